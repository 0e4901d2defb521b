"""Rollouts of Codex: a turn is calls with neither a result nor words of somebody else between them."""

from counters.shapes import objects


def count(path):
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
