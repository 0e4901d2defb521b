"""Shapes that several formats share."""

import json


def objects(path):
    """The JSON objects of a file of lines; several may stand on one line."""
    decoder = json.JSONDecoder()
    for line in open(path, encoding="utf-8-sig", errors="replace"):
        line = line.strip()
        while line:
            try:
                value, end = decoder.raw_decode(line)
            except ValueError:
                break
            if isinstance(value, dict):
                yield value
            line = line[end:].strip()


def chat(messages):
    """Messages with `tool_calls`, and messages of the role `tool`."""
    turns, calls, open_calls, answered, orphans = 0, 0, [], 0, 0
    for message in messages:
        asked = message.get("tool_calls") or []
        turns += bool(asked)
        calls += len(asked)
        open_calls += [call.get("id") for call in asked]
        if message.get("role") == "tool":
            call = message.get("tool_call_id") or (message.get("tool_call_ids") or [None])[0]
            if call in open_calls:
                open_calls.remove(call)
                answered += 1
            else:
                orphans += 1
    return turns, calls, answered, orphans


def total(counts):
    return tuple(map(sum, zip((0, 0, 0, 0), *counts)))
