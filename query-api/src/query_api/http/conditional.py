"""What a request's headers say about the answer: what the client knows already, and whether to compress."""

import re
from functools import lru_cache
from typing import Final

from starlette.types import Scope

from ops.base.http.record_etags import CODING
from ops.base.http.request_context import headers_of

ANY: Final = "*"
_ENTITY_TAG = re.compile(rf'"([\x21\x23-\x7e]*?){CODING}"')
_ZERO_WEIGHT = re.compile(r"\s*q\s*=\s*0(\.0{0,3})?\s*")


def known_etags(scope: Scope) -> frozenset[str]:
    """Return the entity tags in `If-None-Match`, or `*`.

    They are compared weakly (RFC 9110, section 13.1.2), so a leading `W/` means nothing; neither does the
    suffix of a proxy that compresses.
    """
    value = ",".join(headers_of(scope, b"if-none-match"))
    if not value:
        return frozenset()
    if value.strip() == ANY:
        return frozenset({ANY})
    return frozenset(f'"{tag}"' for tag in _ENTITY_TAG.findall(value))


def accepts_gzip(scope: Scope) -> bool:
    """Tell whether `Accept-Encoding` allows gzip (RFC 9110, section 12.5.3)."""
    return _allows_gzip(",".join(headers_of(scope, b"accept-encoding")))


@lru_cache(maxsize=64)  # there are few browsers
def _allows_gzip(value: str) -> bool:
    accepted: dict[str, bool] = {}
    for item in value.lower().split(","):
        coding, _, weight = item.partition(";")
        accepted[coding.strip()] = not _ZERO_WEIGHT.fullmatch(weight)
    return accepted.get("gzip", accepted.get(ANY, False))
