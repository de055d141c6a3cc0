"""Reproducible random values: the demonstration fleet must be the same fleet each time."""

import random
from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from functools import cache
from typing import Final, TypeVar

from faker import Faker

T = TypeVar("T")

SEED: Final = "fleetlog-demo"
"""Another text makes another fleet."""
_TRADES: Final = ("Roadlines", "Transport", "Carriers", "Logistics", "Freight Movers", "Trailer Service")


class Draw:
    """A source of invented values; each instance draws one reproducible sequence."""

    def __init__(self, purpose: str) -> None:
        seed = f"{SEED}:{purpose}"
        self.random = random.Random(seed)  # noqa: S311 - secrecy is not needed
        self.fake = Faker("en_IN")
        self.fake.seed_instance(seed)
        self.number = self.random.randint
        self._drawn: dict[str, set[str]] = {}

    def one_of(self, choices: Sequence[T]) -> T:
        """Return one of `choices`."""
        return self.random.choice(choices)

    def weighted(self, weights: Mapping[T, float]) -> T:
        """Return one of the keys with the probability of its weight."""
        return self.random.choices(list(weights), list(weights.values()))[0]

    def happens(self, share: float) -> bool:
        """Return True with the probability `share`."""
        return self.random.random() < share

    def digits(self, count: int) -> str:
        """Return a number of `count` digits, the first not 0."""
        return str(self.number(10 ** (count - 1), 10**count - 1))

    def letters(self, count: int) -> str:
        """Return `count` letters, without those that look like digits."""
        return "".join(self.random.choices("ABCDEFGHJKLMNPRSTUVWXYZ", k=count))

    def day(self, today: date, first: int, last: int) -> str:
        """Return a day as YYYY-MM-DD, from `first` to `last` days after `today` (negative: before)."""
        return (today + timedelta(days=self.number(first, last))).isoformat()

    def unique(self, kind: str, make: Callable[[], str]) -> str:
        """Return a text that was not drawn as this `kind` before."""
        drawn = self._drawn.setdefault(kind, set())
        while (text := make()) in drawn:
            pass
        drawn.add(text)
        return text


@cache
def companies() -> list[str]:
    """Return the names of the firms that the demonstration fleet works with."""
    draw = Draw("companies")
    return [f"{draw.fake.last_name()} {draw.one_of(_TRADES)}" for _ in range(14)]
