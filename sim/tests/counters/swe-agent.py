"""Trajectories of SWE-agent whose actions are calls."""

import json

from counters.shapes import chat


def count(path):
    return chat(json.load(open(path))["history"])
