"""Intervals that carry a decision: of means and rates, of quantiles, of shares, of rare events.

Every bound is one-sided at the stated confidence. What was drawn is drawn from a seed, the same every time.
"""
