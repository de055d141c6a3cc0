"""Invented haulage firms, who own trailers and horses."""

from functools import cache
from typing import Final

from ops.launcher.demo.randomness import Draw

_TRADES: Final = ("Roadlines", "Transport", "Carriers", "Logistics", "Freight Movers", "Trailer Service")
_COUNT: Final = 14


@cache
def companies() -> list[str]:
    """Return the names of the firms that the demonstration fleet deals with; always the same."""
    draw = Draw("companies")
    return [
        draw.unique("company", lambda: f"{draw.fake.last_name()} {draw.one_of(_TRADES)}")
        for _ in range(_COUNT)
    ]
