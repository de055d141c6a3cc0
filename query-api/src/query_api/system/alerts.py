"""Conditions of alerts that hold now, as far as the database tells: `ops/alerts/fleetlog.rules.yaml`.

Names, severities and runbooks are the same there, which a test holds. What only Prometheus can know is named.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal, NamedTuple

from ops.base.process.sampling import STEP_SECONDS
from query_api.system.standing import PROJECTIONS, RELAY, SEALING, Standing, instant

MINUTE: Final = timedelta(minutes=1)
HOUR: Final = timedelta(hours=1)
_NEEDED: Final = ("command-api", "query-api", PROJECTIONS)

ONLY_PROMETHEUS_KNOWS: Final = frozenset(
    {
        "FleetlogRestarts",
        "FleetlogAppendsSlow",
        "FleetlogReadsStale",
        "FleetlogViewsNotRecorded",
        "FleetlogTokensRefused",
        "FleetlogGatewayFull",
        "FleetlogLimitReached",
        "FleetlogPoolExhausted",
    }
)
"""Of these a process's own counters tell, and the gateway's."""


class Rings(NamedTuple):
    """That a condition holds."""

    since: datetime | None
    summary: str


@dataclass(frozen=True)
class Condition:
    """When an alert rings."""

    name: str
    severity: Literal["page", "ticket"]
    holds: Callable[[Standing], Iterator[Rings]]

    @property
    def runbook(self) -> str:
        """The section of `ops/alerts/README.md`."""
        return self.name.lower()


@dataclass(frozen=True)
class Ringing:
    """An alert that rings."""

    condition: Condition
    rings: Rings


def ringing(standing: Standing) -> list[Ringing]:
    """Return all alerts that ring, those that page first."""
    found = [Ringing(condition, rings) for condition in CONDITIONS for rings in condition.holds(standing)]
    return sorted(found, key=lambda one: one.condition.severity != "page")


def _service_down(standing: Standing) -> Iterator[Rings]:
    for name in _NEEDED:
        since = standing.last_seen(name)
        if not standing.there(name) and (since is None or standing.facts.at - since > MINUTE):
            yield Rings(since, f"No instance of {name} is heard of")


def _instance_down(standing: Standing) -> Iterator[Rings]:
    for one in standing.services:
        if standing.facts.at - one.seen_at > 5 * MINUTE:
            yield Rings(one.seen_at, f"{one.instance} is not heard of any more")


def _errors(standing: Standing) -> Iterator[Rings]:
    facts = standing.facts
    current = int(facts.at.timestamp()) // STEP_SECONDS * STEP_SECONDS
    last = [
        sample
        for step in (current, current - STEP_SECONDS)
        if (sample := facts.samples.get(step)) is not None
    ]
    errors = sum(sample.errors for sample in last)
    if errors and (share := errors / sum(sample.commands + sample.reads for sample in last)) > 0.02:
        yield Rings(None, f"{share:.1%} of all requests are answered with errors")


def _log_stopped(standing: Standing) -> Iterator[Rings]:
    if standing.facts.stopped is not None:
        yield Rings(None, "Nothing is served until an operator decides about the log")


def _clock_jumped(standing: Standing) -> Iterator[Rings]:
    if any(one.check("clock").get("ok") is False for one in standing.there("command-api")):
        yield Rings(None, "Nothing is appended, because a clock cannot be right")


def _projection_lags(standing: Standing) -> Iterator[Rings]:
    for one in standing.projections:
        if one.lag_seconds > 5:
            since = standing.facts.at - timedelta(seconds=one.lag_seconds)
            yield Rings(since, f"{one.status.projection} is {one.lag_seconds:.0f} s behind the log")


def _projection_not_led(standing: Standing) -> Iterator[Rings]:
    for one in standing.projections:
        is_new = one.last_led is not None and standing.facts.at - one.last_led < MINUTE
        if not one.status.worker and not is_new:
            why = f": {one.error}" if one.error else ""
            yield Rings(one.last_led, f"No worker keeps {one.status.projection} up{why}")


def _quarantined(standing: Standing) -> Iterator[Rings]:
    for one in standing.projections:
        if count := one.status.quarantined:
            name = one.status.projection
            records = "1 record" if count == 1 else f"{count} records"
            yield Rings(
                standing.facts.set_aside_since.get(name),
                f"{records} of {name} set aside, and shown as before",
            )


def _replica_unfit(standing: Standing) -> Iterator[Rings]:
    for one in standing.there("query-api"):
        check = one.check("replica")
        if check and (check.get("degraded") or not check.get("ok")):
            yield Rings(None, f"The replica of {one.instance} is not fit to be read from, so the primary is")


def _relay_lags(standing: Standing) -> Iterator[Rings]:
    seconds = standing.relay.lag_seconds
    if seconds > 60:
        yield Rings(
            standing.facts.at - timedelta(seconds=seconds), f"Kafka is {seconds:.0f} s behind the log"
        )


def _relay_not_led(standing: Standing) -> Iterator[Rings]:
    if standing.relay.state == "stopped":
        errors = [str(error) for one in standing.there(RELAY) if (error := one.detail(RELAY).get("error"))]
        why = f": {errors[0]}" if errors else ""
        yield Rings(None if errors else standing.relay.seen_at, f"No relay publishes to Kafka{why}")


def _not_sealed(standing: Standing) -> Iterator[Rings]:
    sealers = [one for one in standing.services if one.check(SEALING)]
    leading = [one for one in sealers if one.detail(SEALING).get("role") == "leading"]
    if sealers and not any(map(standing.is_there, leading)):
        since = max((one.seen_at for one in leading), default=None)
        if since is None or standing.facts.at - since > MINUTE:
            yield Rings(since, "Nobody seals the log")
        return
    waiting = [
        instant(since)
        for one in leading
        if standing.is_there(one) and (since := one.detail(SEALING).get("unsealed_since"))
    ]
    if waiting and standing.facts.at - min(waiting) > 1.5 * HOUR:
        yield Rings(min(waiting), "Events have waited for more than an hour and a half for a seal")


def _seals_do_not_fit(standing: Standing) -> Iterator[Rings]:
    faults = [
        one.detail(SEALING).get("error")
        for one in standing.there(PROJECTIONS)
        if one.check(SEALING).get("ok") is False
    ]
    verified = standing.facts.verified
    if faults:
        yield Rings(None, f"The log is not what was sealed: {faults[0]}")
    elif verified is not None and not verified.ok:
        # Of its lines those are in capitals that tell what does not fit.
        amiss = [line for line in verified.words.splitlines() if line.startswith("THE ")]
        yield Rings(verified.at, f"The last verification failed: {'; '.join(amiss) or verified.words}")


def _erasure_waits(standing: Standing) -> Iterator[Rings]:
    since = standing.facts.erasing_since
    if since is not None and standing.facts.at - since > 10 * MINUTE:
        yield Rings(since, "An erasure has no receipt after ten minutes")


def _witness_away(standing: Standing) -> Iterator[Rings]:
    for one in standing.there(PROJECTIONS):
        for name, away in one.detail(SEALING).get("away_since", {}).items():
            if standing.facts.at - instant(away) > HOUR:
                yield Rings(instant(away), f"{name} has not been told of checkpoints for an hour")


def _disk(standing: Standing) -> float:
    disk = standing.disk()
    return 1.0 if disk is None else disk[0] / max(disk[1], 1)


def _disk_fills(standing: Standing) -> Iterator[Rings]:
    disk, growth = standing.disk(), standing.growth()
    left = _disk(standing)
    will_be_full = disk is not None and growth is not None and growth > disk[0]
    if left < 0.15 or (left < 0.4 and will_be_full):
        until = ", and will be full within a day" if will_be_full else ""
        yield Rings(None, f"The disk has {left:.0%} left{until}")


def _disk_full(standing: Standing) -> Iterator[Rings]:
    if (left := _disk(standing)) < 0.05:
        yield Rings(None, f"The disk has {left:.1%} left")


def _backup_old(standing: Standing) -> Iterator[Rings]:
    facts = standing.facts
    # An instance that is as young has none to be old.
    last = facts.made_at if facts.backed_up is None else facts.backed_up.at
    if facts.at - last > 30 * HOUR:
        what = (
            "No backup was ever finished"
            if facts.backed_up is None
            else "No backup was finished for 30 hours"
        )
        yield Rings(last + 30 * HOUR, what)


CONDITIONS: Final = (
    Condition("FleetlogServiceDown", "page", _service_down),
    Condition("FleetlogInstanceDown", "ticket", _instance_down),
    Condition("FleetlogErrors", "page", _errors),
    Condition("FleetlogLogStopped", "page", _log_stopped),
    Condition("FleetlogClockJumped", "page", _clock_jumped),
    Condition("FleetlogProjectionLags", "ticket", _projection_lags),
    Condition("FleetlogProjectionNotLed", "page", _projection_not_led),
    Condition("FleetlogQuarantined", "page", _quarantined),
    Condition("FleetlogReplicaUnfit", "ticket", _replica_unfit),
    Condition("FleetlogRelayLags", "ticket", _relay_lags),
    Condition("FleetlogRelayNotLed", "ticket", _relay_not_led),
    Condition("FleetlogNotSealed", "ticket", _not_sealed),
    Condition("FleetlogSealsDoNotFit", "page", _seals_do_not_fit),
    Condition("FleetlogErasureWaits", "ticket", _erasure_waits),
    Condition("FleetlogWitnessAway", "ticket", _witness_away),
    Condition("FleetlogDiskFills", "ticket", _disk_fills),
    Condition("FleetlogDiskFull", "page", _disk_full),
    Condition("FleetlogBackupOld", "ticket", _backup_old),
)
