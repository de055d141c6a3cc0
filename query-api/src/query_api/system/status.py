"""Reads the status of the system: heartbeats, projections, samples, and failing checks."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from operator import attrgetter
from typing import Any, Final, Literal, TypeVar

from psycopg.rows import args_row, class_row, dict_row, kwargs_row

from ops.base.checks.database import EVERY_CHECK, failures
from ops.base.database.connection import BoundedConnection
from ops.base.observability.metrics import FAST_BUCKETS, release
from ops.base.process.sampling import BUCKETS, STEP_SECONDS
from ops.base.records.operations import ACTION_COLUMNS, action_of
from query_api.system.models import (
    Alert,
    Backup,
    Log,
    Projection,
    Rebuild,
    Relay,
    Samples,
    Seal,
    Service,
    SetAside,
    State,
    Storage,
    System,
    Verification,
)
from read_model.status import Status, read_statuses
from read_model.tables import READ_TABLES

STEPS: Final = 24 * 3600 // STEP_SECONDS
_NOW: Final = """
SELECT
  clock_timestamp() AS at, position, pg_database_size(current_database()) AS database_bytes,
  (SELECT revision FROM log.schema_revisions ORDER BY revision DESC LIMIT 1) AS schema_revision
FROM log.head
"""
_PROCESSES: Final = """
SELECT name, instance, release, started_at, seen_at, reason, state, CASE
  WHEN seen_at < clock_timestamp() - interval '30 seconds' THEN 'gone' ELSE health
END AS health
FROM operations.services WHERE health <> 'ended' ORDER BY name, instance
"""
_SET_ASIDE: Final = """
SELECT projection, split_part(originator_id, ':', 1) AS entity_type,
  substr(originator_id, strpos(originator_id, ':') + 1) AS entity_id, position, since, error AS cause
FROM read.quarantined_streams ORDER BY since DESC, position DESC, originator_id LIMIT 100
"""
_VERIFICATION: Final = """
SELECT finished_at AS at, ok, words FROM operations.verifications ORDER BY number DESC LIMIT 1
"""
_BACKUP: Final = """
SELECT finished_at AS at, bytes, place AS "where",
  round(extract(epoch FROM clock_timestamp() - finished_at), 3)::float AS age_seconds
FROM operations.backups ORDER BY finished_at DESC LIMIT 1
"""
_SIZES: Final = """
SELECT coalesce(last.log_bytes, 0) AS log_bytes, coalesce(last.read_bytes, 0) AS read_bytes, (
  SELECT round(
    (pg_database_size(current_database()) - database_bytes) * 86400
      / extract(epoch FROM nullif(clock_timestamp() - step, interval '0')), 1
  )::float
  FROM (
    SELECT * FROM operations.sizes WHERE step >= clock_timestamp() - interval '1 day' ORDER BY step LIMIT 1
  ) AS first
  WHERE step <= clock_timestamp() - interval '1 hour'
) AS growth_bytes_per_day
FROM (SELECT) AS always LEFT JOIN (SELECT * FROM operations.sizes ORDER BY step DESC LIMIT 1) AS last ON true
"""
_SAMPLES: Final = f"""
SELECT extract(epoch FROM step)::bigint, sum(commands)::bigint, sum(reads)::bigint, sum(refusals)::bigint,
  ARRAY[{", ".join(f"sum(buckets[{n}])::bigint" for n in range(1, BUCKETS + 1))}]
FROM operations.samples
WHERE step > to_timestamp(%s) AND cardinality(buckets) = {BUCKETS}
GROUP BY step
"""  # noqa: S608 - constants only
_ACTIONS: Final = f"""
SELECT {ACTION_COLUMNS} FROM operations.actions ORDER BY asked_at DESC, id LIMIT 20
"""  # noqa: S608 - as above

T = TypeVar("T")


def state_of(alerts: Sequence[Alert]) -> State:
    """Return the overall state."""
    if any(alert.severity == "page" for alert in alerts):
        return "wrong"
    return "watch" if alerts else "well"


@dataclass(frozen=True)
class Process:
    """The last heartbeat of a process."""

    name: str
    instance: str
    release: str
    started_at: datetime
    seen_at: datetime
    reason: str | None
    state: Mapping[str, Any]
    health: Literal["ready", "not_ready", "gone"]

    @property
    def is_live(self) -> bool:
        """Whether the process still sends heartbeats."""
        return self.health != "gone"

    def detail(self, check: str) -> Mapping[str, Any]:
        """Return the detail of a readiness check; empty if it has none."""
        detail = self.state.get("checks", {}).get(check, {}).get("detail")
        return detail if isinstance(detail, dict) else {}

    def leads(self, check: str) -> bool:
        """Return whether it reports that it leads a projection, the relay or sealing."""
        return bool(self.detail(check).get("role") == "leading")


async def read_alerts(connection: BoundedConnection) -> list[Alert]:
    """Return an alert for each failing check; those that page first."""
    cursor = await connection.execute(EVERY_CHECK)
    return [
        Alert(
            name=one.check.alert,
            severity=one.check.severity,
            since=one.since,
            summary=one.summary,
            runbook=one.check.runbook,
        )
        for one in failures(await cursor.fetchall())
    ]


async def _rows(
    connection: BoundedConnection, factory: Any, statement: str, *parameters: object
) -> list[Any]:
    async with connection.cursor(row_factory=factory) as cursor:
        await cursor.execute(statement.encode(), parameters)
        return await cursor.fetchall()


async def _last(connection: BoundedConnection, model: Callable[..., T], statement: str) -> T | None:
    return next(iter(await _rows(connection, kwargs_row(model), statement)), None)


async def read_system(connection: BoundedConnection) -> System:
    """Return the status of the system."""
    (now,) = await _rows(connection, dict_row, _NOW)
    (sizes,) = await _rows(connection, dict_row, _SIZES)
    at, position = now["at"], now["position"]
    processes: list[Process] = await _rows(connection, class_row(Process), _PROCESSES)
    statuses = await read_statuses(connection, READ_TABLES)
    alerts = await read_alerts(connection)
    disks = [one.state["disk"] for one in processes if one.is_live and "disk" in one.state]
    disk = min(disks, key=lambda one: one["free"] / max(one["total"], 1), default=None)
    return System(
        at=at,
        release=release(),
        schema_revision=now["schema_revision"],
        state=state_of(alerts),
        services=[
            Service(**{name: getattr(one, name) for name in Service.model_fields}) for one in processes
        ],
        projections=[_projection(status, processes, at) for status in statuses],
        set_aside=await _rows(connection, kwargs_row(SetAside), _SET_ASIDE),
        set_aside_total=sum(status.quarantined for status in statuses),
        log=Log(position=position, events=position),
        relay=_relay(processes, at),
        seal=_seal(processes, position),
        verification=await _last(connection, Verification, _VERIFICATION),
        backup=await _last(connection, Backup, _BACKUP),
        storage=Storage(
            **sizes,
            database_bytes=now["database_bytes"],
            disk_free_bytes=disk and disk["free"],
            disk_total_bytes=disk and disk["total"],
        ),
        samples=await _samples(connection, at),
        alerts=alerts,
        actions=await _rows(connection, args_row(action_of), _ACTIONS),
    )


def _projection(status: Status, processes: Sequence[Process], at: datetime) -> Projection:
    name = status.projection
    workers = [one for one in processes if one.name == "projections" and one.detail(name)]
    live = [one for one in workers if one.is_live]
    leaders = [one for one in live if one.leads(name)]
    has_error = not leaders and any(one.detail(name).get("error") for one in live)
    is_led = status.worker and not has_error
    last = max([one for one in workers if one.leads(name)] or live, key=attrgetter("seen_at"), default=None)
    lag = 0.0
    # Events up to the last reported head have been applied since.
    if last and status.lag_events and status.position < last.detail(name).get("head", 0):
        lag = last.detail(name).get("lag_seconds", 0.0) + _seconds_since(last, at)
    rebuild = status.rebuild_position
    return Projection(
        name=name,
        position=status.position,
        lag_events=status.lag_events,
        lag_seconds=round(lag, 3),
        leader=leaders[0].instance if leaders and status.worker else None,
        standby=sum(one.detail(name).get("role") == "standby" for one in live),
        state="rebuilding" if rebuild is not None else "following" if is_led else "stopped",
        set_aside=status.quarantined,
        rebuild=None if rebuild is None else Rebuild(done=rebuild, total=status.head),
    )


def _relay(processes: Sequence[Process], at: datetime) -> Relay:
    relays = [one for one in processes if one.name == "relay"]
    last = max(
        [one for one in relays if one.leads("relay")] or relays, key=attrgetter("seen_at"), default=None
    )
    if last is None:
        return Relay(state="off", position=0, lag_events=0, lag_seconds=0.0, seen_at=None)
    detail = last.detail("relay")
    publishes = last.is_live and last.leads("relay") and detail.get("error") is None
    lag, events = detail.get("lag_seconds", 0.0), detail.get("lag_events", 0)
    if events and not publishes:
        lag += _seconds_since(last, at)
    return Relay(
        state="publishing" if publishes else "stopped",
        position=detail.get("position", 0),
        lag_events=events,
        lag_seconds=round(lag, 3),
        seen_at=last.seen_at,
    )


def _seal(processes: Sequence[Process], position: int) -> Seal | None:
    details = [detail for one in processes if (detail := one.detail("sealing")).get("sealed_at")]
    last = max(details, key=lambda detail: int(detail["position"]), default=None)
    if last is None:
        return None
    sealed_at = datetime.fromtimestamp(last["sealed_at"], UTC)
    return Seal(position=last["position"], at=sealed_at, lag_events=max(position - last["position"], 0))


def _seconds_since(process: Process, at: datetime) -> float:
    return max((at - process.seen_at) / timedelta(seconds=1), 0.0)


async def _samples(connection: BoundedConnection, at: datetime) -> Samples:
    first = (int(at.timestamp()) // STEP_SECONDS - STEPS + 1) * STEP_SECONDS
    sampled = {
        step: counts
        for step, *counts in await _rows(connection, args_row(lambda *row: row), _SAMPLES, first - 1)
    }
    steps = [sampled.get(step) for step in range(first, first + STEPS * STEP_SECONDS, STEP_SECONDS)]
    return Samples(
        **{"from": datetime.fromtimestamp(first, UTC)},
        step_seconds=STEP_SECONDS,
        commands=[one and one[0] for one in steps],
        reads=[one and one[1] for one in steps],
        p99_ms=[one and p99_ms(one[3]) for one in steps],
        refusals=[one and one[2] for one in steps],
    )


def p99_ms(buckets: Sequence[int]) -> float | None:
    """Return the 99th percentile in milliseconds, interpolated as Prometheus' `histogram_quantile` does.

    Args:
        buckets: cumulative counts.
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
