"""Sessions of the Gemini CLI: a message has its calls, and each call its result."""

import json


def count(path):
    lists = [message.get("toolCalls") or [] for message in json.load(open(path))["messages"]]
    calls = [call for calls in lists for call in calls]
    return sum(map(bool, lists)), len(calls), sum(bool(call.get("result")) for call in calls), 0
