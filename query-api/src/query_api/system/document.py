"""The document that operators are shown, made of what was read."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from ops.base.observability.metrics import FAST_BUCKETS, release
from ops.base.process.sampling import STEP_SECONDS
from ops.base.records.operations import moment_text
from query_api.system import documentation as wire
from query_api.system.alerts import Ringing, ringing
from query_api.system.facts import Facts, Named, Sample
from query_api.system.reading import STEPS
from query_api.system.standing import Projected, Standing


def state_of(facts: Facts) -> wire.State:
    """Return how the system is doing, in one word."""
    return _state(ringing(Standing(facts)))


def document_of(facts: Facts, named: Named) -> wire.System:
    """Return how the system is doing."""
    standing = Standing(facts)
    alerts = ringing(standing)
    seal, verified, backed_up, relay = standing.seal, facts.verified, facts.backed_up, standing.relay
    return wire.System(
        at=moment_text(facts.at),
        release=release(),
        schema_revision=facts.schema_revision,
        state=_state(alerts),
        services=[
            wire.Service(
                name=one.name,
                instance=one.instance,
                release=one.release,
                started_at=moment_text(one.started_at),
                seen_at=moment_text(one.seen_at),
                health=standing.health(one),
                reason=one.reason,
            )
            for one in standing.services
        ],
        projections=[_projection(one) for one in standing.projections],
        set_aside=[
            wire.SetAside(
                projection=one.projection,
                entity_type=one.stream.partition(":")[0],
                entity_id=one.stream.partition(":")[2],
                position=one.position,
                since=moment_text(one.since),
                cause=one.error,
            )
            for one in named.set_aside
        ],
        set_aside_total=sum(one.status.quarantined for one in standing.projections),
        log=wire.Log(position=facts.position, events=facts.position),
        relay=wire.Relay(
            state=relay.state,
            position=relay.position,
            lag_events=relay.lag_events,
            lag_seconds=round(relay.lag_seconds, 3),
            seen_at=relay.seen_at and moment_text(relay.seen_at),
        ),
        seal=seal
        and wire.Seal(
            position=seal.position, at=moment_text(seal.at), lag_events=max(facts.position - seal.position, 0)
        ),
        verification=verified
        and wire.Verification(at=moment_text(verified.at), ok=verified.ok, words=verified.words),
        backup=backed_up
        and wire.Backup(
            at=moment_text(backed_up.at),
            age_seconds=round((facts.at - backed_up.at).total_seconds(), 3),
            bytes=backed_up.bytes,
            where=backed_up.where,
        ),
        storage=_storage(standing),
        samples=_samples(facts),
        alerts=[
            wire.Alert(
                name=one.condition.name,
                severity=one.condition.severity,
                since=one.rings.since and moment_text(one.rings.since),
                summary=one.rings.summary,
                runbook=one.condition.runbook,
            )
            for one in alerts
        ],
        actions=list(named.actions),
    )


def p99_ms(buckets: Sequence[int]) -> float | None:
    """Return below which time 99 of 100 answers came, as Prometheus' `histogram_quantile` tells it.

    Args:
        buckets: each counts all before it.
    """
    if not buckets[-1]:
        return None
    rank = 0.99 * buckets[-1]
    number = next(number for number, count in enumerate(buckets) if count >= rank)
    if number >= len(FAST_BUCKETS):
        return 1000 * FAST_BUCKETS[-1]
    lower, before = (FAST_BUCKETS[number - 1], buckets[number - 1]) if number else (0.0, 0)
    within = (rank - before) / (buckets[number] - before)
    return round(1000 * (lower + (FAST_BUCKETS[number] - lower) * within), 2)


def _state(alerts: Sequence[Ringing]) -> wire.State:
    if any(one.condition.severity == "page" for one in alerts):
        return "wrong"
    return "watch" if alerts else "well"


def _projection(one: Projected) -> wire.Projection:
    status = one.status
    return wire.Projection(
        name=status.projection,
        position=status.position,
        lag_events=status.lag_events,
        lag_seconds=round(one.lag_seconds, 3),
        leader=one.leader,
        standby=one.standby,
        state=one.state,
        set_aside=status.quarantined,
        rebuild=None
        if status.rebuild_position is None
        else wire.Rebuild(done=status.rebuild_position, total=status.head),
    )


def _storage(standing: Standing) -> wire.Storage:
    facts, disk, growth = standing.facts, standing.disk(), standing.growth()
    last = facts.sizes[-1] if facts.sizes else None
    return wire.Storage(
        database_bytes=facts.database_bytes,
        log_bytes=last.log_bytes if last else 0,
        read_bytes=last.read_bytes if last else 0,
        growth_bytes_per_day=growth if growth is None else round(growth, 1),
        disk_free_bytes=disk and disk[0],
        disk_total_bytes=disk and disk[1],
    )


def _samples(facts: Facts) -> wire.Samples:
    current = int(facts.at.timestamp()) // STEP_SECONDS * STEP_SECONDS
    first = current - (STEPS - 1) * STEP_SECONDS
    steps: list[Sample | None] = [facts.samples.get(step) for step in range(first, current + 1, STEP_SECONDS)]
    told: dict[str, Any] = {
        "from": moment_text(datetime.fromtimestamp(first, UTC)),
        "step_seconds": STEP_SECONDS,
        "commands": [one and one.commands for one in steps],
        "reads": [one and one.reads for one in steps],
        "p99_ms": [one and p99_ms(one.buckets) for one in steps],
        "refusals": [one and one.refusals for one in steps],
    }
    return wire.Samples.model_validate(told)
