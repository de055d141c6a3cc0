"""Findings of the doctor's checks."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final, Literal

Level = Literal["wrong", "warning", "well"]
LEVELS: Final[tuple[Level, ...]] = ("wrong", "warning", "well")
"""The worst first."""


@dataclass(frozen=True)
class Finding:
    """One result of a check.

    Attributes:
        level: `wrong`: a failure, now or soon, or a security problem; `warning`: to be fixed eventually.
        what: text without personal data.
        commands: commands that fix it, in order.
    """

    level: Level
    what: str
    commands: tuple[str, ...] = ()
    check: str = ""


Findings = Iterable[Finding]
Diagnostic = Callable[[], Findings]
"""Yields findings; without findings, all is well."""


def well(what: str) -> Finding:
    """Return a finding that needs no action."""
    return Finding("well", what)


def warning(what: str, *commands: str) -> Finding:
    """Return a finding to be fixed eventually, by the commands."""
    return Finding("warning", what, commands)


def wrong(what: str, *commands: str) -> Finding:
    """Return a fault, to be fixed by the commands."""
    return Finding("wrong", what, commands)


def worst(findings: Findings) -> Level:
    """Return the worst level."""
    return min((finding.level for finding in findings), key=LEVELS.index, default="well")
