"""A corpus of tokens that must be refused, each with the reason of the refusal.

All are changed copies of `TokenIssuer.token()`; tests must also check that this token is accepted.
"""

from typing import Final

from ops.testing.bad_tokens import algorithms, audiences, forms, headers, signatures, times
from ops.testing.bad_tokens.builders import BadToken
from ops.testing.bad_tokens.times import GOOD_TIMES

CORPUS: Final[tuple[BadToken, ...]] = (
    *forms.TOKENS,
    *headers.TOKENS,
    *algorithms.TOKENS,
    *signatures.TOKENS,
    *audiences.TOKENS,
    *times.TOKENS,
)

__all__ = ["CORPUS", "GOOD_TIMES", "BadToken"]
