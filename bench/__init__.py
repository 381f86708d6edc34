"""Benchmarks: every figure is a ratio to a floor or a peer measured in the same run.

`make bench` prints them and writes `build/bench.json`. Absolute rates depend on the machine and on what
else it does; ratios do so far less, so only ratios are goals.
"""
