"""A corpus of tokens that must be refused: what each is, and for which reason it is refused.

A test that uses it must see `TokenIssuer.token()`, of which all of them are changed copies, accepted.
"""

from typing import Final

from ops.testing.bad_tokens import algorithms, audiences, forms, headers, signatures, times
from ops.testing.bad_tokens.making import BadToken
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
