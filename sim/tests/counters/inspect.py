"""Logs of Inspect: a conversation for each sample."""

import json

from counters.shapes import chat, total


def count(path):
    return total(chat(sample["messages"]) for sample in json.load(open(path))["samples"])
