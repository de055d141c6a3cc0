"""Which of several media types a client would rather have (RFC 9110, section 12.5.1)."""

import re
from collections.abc import Sequence
from typing import Final

_WEIGHT: Final = re.compile(r"q\s*=\s*([01](?:\.[0-9]{0,3})?)", re.ASCII | re.IGNORECASE)


def preferred(accept: str, offered: Sequence[str]) -> str | None:
    """Return the media type to answer with.

    Args:
        accept: the header's value; empty: anything.
        offered: media types, what the server would rather send first.

    Returns:
        One of them; None where the client takes none.
    """
    ranges = _ranges(accept)
    if not ranges:
        return offered[0]
    weights = {media_type: _weight(media_type, ranges) for media_type in offered}
    best = max(offered, key=lambda media_type: weights[media_type])  # the first of the best
    return best if weights[best] > 0 else None


def _ranges(accept: str) -> dict[str, float]:
    ranges: dict[str, float] = {}
    for item in accept.split(","):
        media_range, *parameters = (part.strip().lower() for part in item.split(";"))
        if media_range:
            weight = next((_WEIGHT.fullmatch(part) for part in parameters if part.startswith("q")), None)
            ranges[media_range] = min(float(weight[1]), 1.0) if weight else 1.0
    return ranges


def _weight(media_type: str, ranges: dict[str, float]) -> float:
    """What is said most precisely counts."""
    family = f"{media_type.partition('/')[0]}/*"
    for media_range in (media_type, family, "*/*"):
        if media_range in ranges:
            return ranges[media_range]
    return 0.0
