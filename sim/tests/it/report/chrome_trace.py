"""Judges a file by the rules of the Chrome trace format; prints how many events of each phase it has."""

import collections
import json
import sys

KNOWN = set("BEXiIMsftbenCPNODSTF")


def number(event, name):
    value = event.get(name)
    assert isinstance(value, (int, float)) and not isinstance(value, bool), (name, event)
    assert value >= 0, (name, event)
    return value


def main(path):
    with open(path, encoding="utf-8") as file:
        trace = json.load(file)
    events = trace["traceEvents"]
    counts = collections.Counter()
    processes, threads, used = set(), set(), set()
    slices = collections.defaultdict(list)
    begun = collections.defaultdict(list)
    asynchronous = collections.Counter()
    arrows = collections.defaultdict(dict)
    for event in events:
        phase = event["ph"]
        assert phase in KNOWN, event
        counts[phase] += 1
        assert isinstance(event["name"], str), event
        track = (event["pid"], event["tid"])
        assert all(isinstance(part, int) for part in track), event
        if phase == "M":
            if event["name"] == "process_name":
                processes.add(event["pid"])
            if event["name"] == "thread_name":
                threads.add(track)
            assert isinstance(event["args"], dict), event
            continue
        used.add(track)
        at = number(event, "ts")
        if phase == "X":
            slices[track].append((at, at + number(event, "dur"), event["name"]))
        elif phase == "B":
            begun[track].append(event["name"])
        elif phase == "E":
            assert begun[track], ("an end without beginning", event)
            begun[track].pop()
        elif phase in "be":
            key = (event["cat"], event["id"], event["pid"])
            asynchronous[key] += 1 if phase == "b" else -1
            assert asynchronous[key] >= 0, event
        elif phase in "sf":
            assert phase not in arrows[event["cat"], event["id"]], event
            arrows[event["cat"], event["id"]][phase] = (at, track)
        elif phase == "i":
            assert event["s"] in "tpg", event
    assert not any(begun.values()), ("beginnings without end", begun)
    assert not any(asynchronous.values()), asynchronous
    for pid, tid in used:
        assert pid in processes, ("a process without name", pid)
        assert (pid, tid) in threads, ("a track without name", pid, tid)
    for track, all_of_track in slices.items():
        stack = []
        for start, end, name in sorted(all_of_track, key=lambda it: (it[0], -it[1])):
            while stack and stack[-1] <= start:
                stack.pop()
            # Microseconds are floating point: a nanosecond is no overlap.
            assert not stack or end <= stack[-1] + 0.0005, ("slices overlap", track, name)
            stack.append(end)
    for key, ends in arrows.items():
        assert set(ends) == {"s", "f"}, ("an arrow with one end", key)
        assert ends["s"][0] <= ends["f"][0], ("an arrow into the past", key)
        for at, track in ends.values():
            assert any(start <= at <= end for start, end, _ in slices[track]), ("an arrow to no slice", key)
    print(json.dumps({**counts, "processes": len({pid for pid, _ in used})}))


main(sys.argv[1])
