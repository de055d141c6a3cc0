"""What the facts come to: who is there, how far each part is, since when."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final, Literal

from ops.base.process.heartbeat import GONE_SECONDS
from projections.progress.status import Status
from query_api.system.facts import Facts, Reported

PROJECTIONS: Final = "projections"
"""What the workers' service is called."""
RELAY: Final = "relay"
SEALING: Final = "sealing"


@dataclass(frozen=True)
class Projected:
    """How far a projection is."""

    status: Status
    leader: str | None
    standby: int
    error: str | None
    lag_seconds: float
    last_led: datetime | None
    """When somebody who led it was heard of last."""

    @property
    def state(self) -> Literal["following", "rebuilding", "stopped"]:
        """What becomes of its events."""
        if self.status.rebuild_position is not None:
            return "rebuilding"
        return "following" if self.status.worker and self.error is None else "stopped"


@dataclass(frozen=True)
class Relayed:
    """How far Kafka is."""

    state: Literal["off", "publishing", "stopped"]
    position: int = 0
    lag_events: int = 0
    lag_seconds: float = 0.0
    seen_at: datetime | None = None


@dataclass(frozen=True)
class Sealed:
    """How far the log is sealed."""

    position: int
    at: datetime


class Standing:
    """How everything stands, by what processes have said and by what the database shows."""

    def __init__(self, facts: Facts) -> None:
        """Look at the facts."""
        self.facts = facts
        self.services = [one for one in facts.reported if one.health != "ended"]
        self.projections = [self._projected(status) for status in facts.statuses]
        self.relay = self._relayed()
        self.seal = self._sealed()

    def is_there(self, one: Reported) -> bool:
        """Whether a process is heard of."""
        return one.health != "ended" and self.facts.at - one.seen_at < timedelta(seconds=GONE_SECONDS)

    def health(self, one: Reported) -> Literal["ready", "not_ready", "gone"]:
        """Return how a process is."""
        if not self.is_there(one):
            return "gone"
        return "ready" if one.health == "ready" else "not_ready"

    def there(self, name: str) -> list[Reported]:
        """Return the processes of a service that are heard of."""
        return [one for one in self.facts.reported if one.name == name and self.is_there(one)]

    def last_seen(self, name: str) -> datetime | None:
        """Return when any process of a service was heard of last."""
        return max((one.seen_at for one in self.facts.reported if one.name == name), default=None)

    def disk(self) -> tuple[int, int] | None:
        """Return what is free and what there is of the fullest disk that is looked after."""
        disks = [
            one.state["disk"] for one in self.facts.reported if self.is_there(one) and "disk" in one.state
        ]
        known = [(disk["free"], disk["total"]) for disk in disks]
        return min(known, key=lambda disk: disk[0] / max(disk[1], 1), default=None)

    def growth(self) -> float | None:
        """Return by how many bytes a day the database has grown."""
        sizes = [size for size in self.facts.sizes if self.facts.at - size.step <= timedelta(days=1)]
        if not sizes or (passed := self.facts.at - sizes[0].step) < timedelta(hours=1):
            return None
        return (self.facts.database_bytes - sizes[0].database_bytes) / (passed / timedelta(days=1))

    def _projected(self, status: Status) -> Projected:
        name = status.projection
        workers = [one for one in self.there(PROJECTIONS) if one.check(name)]
        led = [one for one in self.facts.reported if one.detail(name).get("role") == "leading"]
        leaders = [one for one in workers if one in led]
        errors = [str(error) for one in workers if (error := one.detail(name).get("error"))]
        return Projected(
            status,
            leader=leaders[0].instance if leaders and status.worker else None,
            standby=sum(one.detail(name).get("role") == "standby" for one in workers),
            error=errors[0] if errors and not leaders else None,
            lag_seconds=self._lag_seconds(status, led or workers),
            last_led=max((one.seen_at for one in led), default=None),
        )

    def _lag_seconds(self, status: Status, told: Sequence[Reported]) -> float:
        """Return for how long the oldest event that is not handled is known to have waited."""
        if not status.lag_events or not told:
            return 0.0
        last = max(told, key=lambda one: one.seen_at)
        said = last.detail(status.projection)
        if status.position >= said.get("head", 0):
            # What was known then is handled.
            return 0.0
        passed = (self.facts.at - last.seen_at).total_seconds()
        return float(said.get("lag_seconds", 0.0)) + max(passed, 0.0)

    def _relayed(self) -> Relayed:
        relays = [one for one in self.facts.reported if one.name == RELAY and one.health != "ended"]
        if not relays:
            return Relayed("off")
        leading = [one for one in relays if one.detail(RELAY).get("role") == "leading"]
        last = max(leading or relays, key=lambda one: one.seen_at)
        said = last.detail(RELAY)
        publishes = last in leading and self.is_there(last) and said.get("error") is None
        waits = self.facts.at - last.seen_at if said.get("lag_events") and not publishes else timedelta()
        return Relayed(
            "publishing" if publishes else "stopped",
            position=said.get("position", 0),
            lag_events=said.get("lag_events", 0),
            lag_seconds=float(said.get("lag_seconds", 0.0)) + max(waits.total_seconds(), 0.0),
            seen_at=last.seen_at,
        )

    def _sealed(self) -> Sealed | None:
        told = (one.detail(SEALING) for one in self.facts.reported)
        sealed = [one for one in told if one.get("position") is not None and one.get("sealed_at")]
        last = max(sealed, key=lambda one: int(one["position"]), default=None)
        return None if last is None else Sealed(last["position"], instant(last["sealed_at"]))


def instant(seconds: float) -> datetime:
    """Return a moment that is told in seconds since 1970."""
    return datetime.fromtimestamp(seconds, UTC)
