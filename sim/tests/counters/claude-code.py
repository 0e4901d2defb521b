"""Sessions of Claude Code: calls are blocks of messages; those of sub-agents are not counted."""

from counters.shapes import objects


def count(path):
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
