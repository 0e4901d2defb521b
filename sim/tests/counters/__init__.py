"""A counter for each format, by its word on the command line: `count` gives turns, calls, calls with a result, and results
without a call. None knows anything of the importers; `shapes` has what several formats share."""
