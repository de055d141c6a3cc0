"""What a look has found: what is well, what to watch, what is wrong, and what to type."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final, Literal

Level = Literal["wrong", "warning", "well"]
LEVELS: Final[tuple[Level, ...]] = ("wrong", "warning", "well")
"""The worst first."""


@dataclass(frozen=True)
class Finding:
    """One thing that was seen.

    Attributes:
        level: `wrong`: it does not work, or soon will not, or is open to strangers; `warning`: somebody is to
            see to it.
        what: in words, without anybody's data.
        commands: what to type, in this order; none where all is well.
        look: which look has found it.
    """

    level: Level
    what: str
    commands: tuple[str, ...] = ()
    look: str = ""


Findings = Iterable[Finding]
Look = Callable[[], Findings]


def well(what: str) -> Finding:
    """All is well with something."""
    return Finding("well", what)


def warning(what: str, *commands: str) -> Finding:
    """Somebody should see to something, by typing this."""
    return Finding("warning", what, commands)


def wrong(what: str, *commands: str) -> Finding:
    """Something is wrong, which is mended by typing this."""
    return Finding("wrong", what, commands)


def worst(findings: Findings) -> Level:
    """Return the level of the whole."""
    return min((finding.level for finding in findings), key=LEVELS.index, default="well")
