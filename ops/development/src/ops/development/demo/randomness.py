"""Chance that comes out the same on every run: the demonstration fleet must be the same fleet each time."""

import random
from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from functools import cache
from typing import Final, TypeVar

from faker import Faker

T = TypeVar("T")

SEED: Final = "fleetlog-demo"
"""Another text would make another fleet."""
_TRADES: Final = ("Roadlines", "Transport", "Carriers", "Logistics", "Freight Movers", "Trailer Service")
_COUNT: Final = 14


class Draw:
    """A source of invented values; each instance draws one reproducible sequence.

    Attributes:
        random: numbers.
        fake: Indian names and streets.
    """

    def __init__(self, purpose: str) -> None:
        seed = f"{SEED}:{purpose}"
        self.random = random.Random(seed)  # noqa: S311 - secrecy is the last thing wanted
        self.fake = Faker("en_IN")
        self.fake.seed_instance(seed)
        self._drawn: dict[str, set[str]] = {}

    def one_of(self, choices: Sequence[T]) -> T:
        """Return one of `choices`, each as likely as the others."""
        return self.random.choice(choices)

    def weighted(self, weights: Mapping[T, float]) -> T:
        """Return one of the keys, as likely as its weight says."""
        return self.random.choices(list(weights), list(weights.values()))[0]

    def happens(self, share: float) -> bool:
        """Return True in `share` (0 to 1) of all draws."""
        return self.random.random() < share

    def number(self, low: int, high: int) -> int:
        """Return a whole number from `low` to `high`, both included."""
        return self.random.randint(low, high)

    def digits(self, count: int) -> str:
        """Return that many digits, the first not 0."""
        return str(self.number(10 ** (count - 1), 10**count - 1))

    def letters(self, count: int, alphabet: str = "ABCDEFGHJKLMNPQRSTUVWXYZ") -> str:
        """Return that many letters."""
        return "".join(self.random.choices(alphabet, k=count))

    def day(self, today: date, first: int, last: int) -> str:
        """Return a day as YYYY-MM-DD, from `first` to `last` days after `today` (negative: before)."""
        return (today + timedelta(days=self.number(first, last))).isoformat()

    def later_day(self, former: str, today: date) -> str:
        """Return a day as YYYY-MM-DD after a former one, today at the latest."""
        gap = (today - date.fromisoformat(former)).days
        return self.day(today, -gap + 1, 0) if gap > 0 else former

    def some_of(self, count: int, how_many: int) -> frozenset[int]:
        """Return which `how_many` of `count` things, numbered from 0, are meant."""
        return frozenset(self.random.sample(range(count), how_many))

    def unique(self, kind: str, make: Callable[[], str]) -> str:
        """Return a text that was not drawn as this `kind` before."""
        drawn = self._drawn.setdefault(kind, set())
        while (text := make()) in drawn:
            pass
        drawn.add(text)
        return text


@cache
def companies() -> list[str]:
    """Return the names of the firms that the demonstration fleet deals with; always the same."""
    draw = Draw("companies")
    return [
        draw.unique("company", lambda: f"{draw.fake.last_name()} {draw.one_of(_TRADES)}")
        for _ in range(_COUNT)
    ]
