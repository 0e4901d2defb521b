"""Counts the turns, calls and results of recorded sessions, to judge the importers by.

Shares nothing with them: each format is gone through in its own plain way, in `counters`. For each file given, as
`FORMAT=PATH`, it prints one line: the path, then turns, calls, calls with a result, results without a call, between tabs.
A turn is an answer of the model with at least one call; what sub-agents did is not counted.
"""

import importlib
import sys

# Nothing is left beside the counters.
sys.dont_write_bytecode = True

for argument in sys.argv[1:]:
    name, path = argument.split("=", 1)
    print(path, *importlib.import_module(f"counters.{name}").count(path), sep="\t")
