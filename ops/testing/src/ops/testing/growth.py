"""How the time that a parser takes grows with what it is given: twice as much may take 2.5 times as long.

Of all timings these may be asserted, for they are ratios of this process's own processor time. Each is
measured once, and again with care only where it looks bad; what takes next to nothing at all lengths passes.
"""

import gc
import random
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, NamedTuple

RATIO: Final = 2.5
NEXT_TO_NOTHING: Final = 0.002
"""Seconds that a doubling may cost whatever the ratio."""
_DOUBLINGS: Final = 7
_LEAST_CAREFUL_RUNS: Final = 9
_CAREFUL_RUNS: Final = 400
_BREATH_SECONDS: Final = 0.02
"""Between runs that look bad: whoever else fills the caches at that moment may be done with it."""


class Hostile(NamedTuple):
    """A family of texts: something again and again, between a beginning and an end."""

    prefix: str
    unit: str
    suffix: str

    def text(self, length: int) -> str:
        """Return the family's text of about a length."""
        return self.prefix + self.unit * (length // len(self.unit)) + self.suffix


@dataclass(frozen=True)
class EntryPoint:
    """Where a stranger's text comes in."""

    name: str
    work: Callable[[str], object]
    """What is done with it."""
    tokens: Sequence[str]
    """What hostile texts are put together from: what means something there, and what does not."""
    refusals: tuple[type[Exception], ...] = ()
    """The exceptions by which it is refused."""
    longest: int = 128 * 1024
    """Longer than what the gateway lets through, so that a bad ratio shows."""
    known: Sequence[Hostile] = ()
    """Families to begin with; the others are generated."""

    def hostile(self, count: int) -> Iterator[Hostile]:
        """Generate families: always the same for the same name."""
        yield from self.known
        choices = random.Random(self.name)  # noqa: S311 - no secret

        def some(least: int, most: int) -> str:
            return "".join(choices.choices(self.tokens, k=choices.randint(least, most)))

        for _ in range(count):
            yield Hostile(some(0, 3), some(1, 3), some(0, 2))


def require_linear(entry: EntryPoint, family: Hostile) -> None:
    """Measure an entry point on longer and longer texts of a family.

    Raises:
        AssertionError: twice the text took more than `RATIO` times the time. It is found at the shortest such
            text, so that what is bad does not take for ever.
    """
    shorter = _seconds(entry, family.text(entry.longest >> _DOUBLINGS))
    for halvings in reversed(range(_DOUBLINGS)):
        length = entry.longest >> halvings
        longer = _seconds(entry, family.text(length))
        if _is_bad(shorter, longer):
            shorter, longer = _carefully(entry, family.text(length // 2), family.text(length))
            if _is_bad(shorter, longer):
                raise AssertionError(
                    f"{entry.name}: {length // 2} characters of {family} take {shorter * 1000:.1f} ms,"
                    f" {length} take {longer * 1000:.1f} ms"
                )
        shorter = longer


def _carefully(entry: EntryPoint, half: str, whole: str) -> tuple[float, float]:
    """The least times of both texts, taken in turn, so that what else the machine does delays both alike.

    Beyond some runs they are taken again only while they look bad: what is bad stays so, however often.
    """
    shorter = longer = float("inf")
    for run in range(1, _CAREFUL_RUNS + 1):
        shorter = min(shorter, _seconds(entry, half))
        longer = min(longer, _seconds(entry, whole))
        if run >= _LEAST_CAREFUL_RUNS:
            if not _is_bad(shorter, longer):
                break
            time.sleep(_BREATH_SECONDS)
    return shorter, longer


def _is_bad(shorter: float, longer: float) -> bool:
    return longer > RATIO * shorter + NEXT_TO_NOTHING


def _seconds(entry: EntryPoint, text: str) -> float:
    """The processor time of one run, without what collecting the garbage of others takes."""
    gc.disable()
    try:
        began = time.process_time()
        with suppress(*entry.refusals):
            entry.work(text)
        return time.process_time() - began
    finally:
        gc.enable()
