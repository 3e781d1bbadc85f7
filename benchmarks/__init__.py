"""Speed and memory of mediacheck beside other tools, as ratios taken in one run: ``python -m benchmarks``."""
