"""Counts the turns, calls and results of recorded sessions, to judge the importers by.

Shares nothing with them: each format is gone through here in its own plain way. For each file given, as `FORMAT=PATH`,
it prints one line: the path, then turns, calls, calls with a result, results without a call, between tabs. A turn is an
answer of the model with at least one call; what sub-agents did is not counted.
"""

import base64
import gzip
import json
import re
import sys


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


def session(path):
    """Sessions of Claude Code and stream-json."""
    turns, calls, results = {}, {}, set()
    for line in objects(path):
        content = (line.get("message") or {}).get("content") if isinstance(line.get("message"), dict) else None
        for block in content if isinstance(content, list) else []:
            if block.get("type") == "tool_result":
                results.add(block["tool_use_id"])
            if block.get("type") == "tool_use":
                aside = line.get("isSidechain") or line.get("parent_tool_use_id")
                calls.setdefault(block["id"], bool(aside))
                if not aside:
                    turns[line["message"].get("id") or line.get("uuid")] = True
    mine = {call for call, aside in calls.items() if not aside}
    return len(turns), len(mine), len(mine & results), len(results - set(calls))


def codex(path):
    """A turn is calls with neither a result nor words of somebody else between them."""
    turns, calls, results, open_turn = 0, [], [], False
    for line in objects(path):
        if line.get("type") != "response_item":
            continue
        item = line["payload"]
        kind = item["type"]
        if kind in ("function_call", "custom_tool_call", "local_shell_call"):
            turns += not open_turn
            open_turn = True
            calls.append(item["call_id"])
        elif kind.endswith("_call_output"):
            open_turn = False
            results.append(item["call_id"])
        elif kind == "message" and item["role"] == "user":
            open_turn = False
    return turns, len(calls), len(set(calls) & set(results)), len(set(results) - set(calls))


def gemini(path):
    lists = [message.get("toolCalls") or [] for message in json.load(open(path))["messages"]]
    calls = [call for calls in lists for call in calls]
    return sum(map(bool, lists)), len(calls), sum(bool(call.get("result")) for call in calls), 0


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


def swe_agent(path):
    return chat(json.load(open(path))["history"])


def inspect(path):
    return total(chat(sample["messages"]) for sample in json.load(open(path))["samples"])


def conversations(path):
    return total(chat(item["traj"]) for item in json.load(open(path)))


def cassette(path):
    """Exchanges in YAML, gone through as text: answers have the calls, the longest request the results."""
    text = open(path).read()
    answers, requests = [], []
    for part in re.split(r"(?m)^- request:", text)[1:]:
        asked, answered = re.split(r"(?m)^  response:", part)
        requests.append(asked)
        packed = re.search(r"!!binary \|\n((?: +[A-Za-z0-9+/=]+\n)+)", answered)
        answers.append(gzip.decompress(base64.b64decode(packed[1])).decode() if packed else answered)
    call = r'(?:type: tool_use$|^ +- function:$|type: function_call$|"type":"tool_use")'
    result = r"(?:type: tool_result$|role: tool$|type: function_call_output$)"
    found = [len(re.findall("(?m)" + call, answer)) for answer in answers]
    results = max(len(re.findall("(?m)" + result, request)) for request in requests)
    # The tools that a Responses answer repeats are no calls; they are `type: function`.
    return sum(map(bool, found)), sum(found), results, 0


FORMATS = {
    "claude-code": session,
    "stream-json": session,
    "codex": codex,
    "gemini": gemini,
    "swe-agent": swe_agent,
    "inspect": inspect,
    "conversations": conversations,
    "cassette": cassette,
}

for argument in sys.argv[1:]:
    name, path = argument.split("=", 1)
    print(path, *FORMATS[name](path), sep="\t")
