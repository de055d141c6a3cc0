"""What is known of how the system is doing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, Protocol

from ops.base.records.operations import Action
from projections.progress.status import Status


@dataclass(frozen=True)
class Reported:
    """What a process has said of itself last."""

    name: str
    instance: str
    release: str
    started_at: datetime
    seen_at: datetime
    health: Literal["ready", "not_ready", "ended"]
    reason: str | None
    state: Mapping[str, Any]

    def check(self, name: str) -> Mapping[str, Any]:
        """Return a check of its readiness; empty where it has none of that name."""
        check: Mapping[str, Any] = self.state.get("checks", {}).get(name, {})
        return check

    def detail(self, name: str) -> Mapping[str, Any]:
        """Return what a check tells beside its outcome."""
        detail = self.check(name).get("detail")
        return detail if isinstance(detail, dict) else {}


@dataclass(frozen=True)
class Aside:
    """A record that a projection has set aside."""

    projection: str
    stream: str
    position: int
    since: datetime
    error: str


@dataclass(frozen=True)
class Sample:
    """What all processes have answered in a step."""

    step: int
    commands: int
    reads: int
    refusals: int
    errors: int
    buckets: Sequence[int]


@dataclass(frozen=True)
class Size:
    """What was stored at a moment."""

    step: datetime
    database_bytes: int
    log_bytes: int
    read_bytes: int


@dataclass(frozen=True)
class Verified:
    """The outcome of a verification."""

    at: datetime
    ok: bool
    words: str


@dataclass(frozen=True)
class BackedUp:
    """A backup that was finished."""

    at: datetime
    bytes: int
    where: str


@dataclass(frozen=True, kw_only=True)
class Facts:
    """All of it, as of one moment, but for what processes say now and again."""

    at: datetime
    position: int
    stopped: str | None
    schema_revision: str
    made_at: datetime
    database_bytes: int
    erasing_since: datetime | None
    """When the oldest erasure was asked for that has no receipt."""
    statuses: Sequence[Status]
    reported: Sequence[Reported]
    """Of the last day; those that have ended are among them."""
    set_aside_since: Mapping[str, datetime]
    sizes: Sequence[Size]
    samples: Mapping[int, Sample]
    verified: Verified | None
    backed_up: BackedUp | None


@dataclass(frozen=True, kw_only=True)
class Named:
    """What is named one by one."""

    set_aside: Sequence[Aside]
    actions: Sequence[Action]


class Operations(Protocol):
    """What operators are shown, as it is read."""

    async def facts(self) -> Facts:
        """Return what the state of the whole comes from."""
        ...

    async def named(self) -> Named:
        """Return what is named besides."""
        ...
