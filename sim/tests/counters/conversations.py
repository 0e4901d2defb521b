"""Lists of conversations of chat completions."""

import json

from counters.shapes import chat, total


def count(path):
    return total(chat(item["traj"]) for item in json.load(open(path)))
