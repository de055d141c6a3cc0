"""Near doubles: records of one type that may describe the same person or vehicle. Pure functions.

`forms` makes values comparable, `keys` finds candidates, and `scores` compares two records.
"""

from read_model.matching.keys import KEY_FORM, match_keys
from read_model.matching.scores import (
    COMPARED,
    LEAST_SCORE,
    LEAST_SUGGESTED,
    MATCHED_TYPES,
    FieldMatch,
    Match,
    Profile,
    compare,
)

__all__ = [
    "COMPARED",
    "KEY_FORM",
    "LEAST_SCORE",
    "LEAST_SUGGESTED",
    "MATCHED_TYPES",
    "FieldMatch",
    "Match",
    "Profile",
    "compare",
    "match_keys",
]
