"""Near doubles: records of one type that may describe the same person or vehicle. Pure functions.

`forms` makes values comparable, `keys` finds candidates, and `scores` compares two records.
"""
