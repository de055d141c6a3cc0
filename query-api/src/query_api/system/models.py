"""Answers of the system routes."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from ops.base.http.openapi import Closed
from ops.base.records.operations import MOMENT, Action, moment_text


def _text(moment: datetime | str | None) -> str | None:
    return moment_text(moment) if isinstance(moment, datetime) else moment


Moment = Annotated[str, BeforeValidator(_text), Field(**MOMENT)]
OptionalMoment = Annotated[str | None, BeforeValidator(_text), Field(**MOMENT)]
State = Literal["well", "watch", "wrong"]


class Service(Closed):
    """A process that sends heartbeats."""

    name: str = Field(examples=["command-api"])
    instance: str = Field(examples=["command-api-3f2a"])
    release: str = Field(examples=["0.1.0"])
    started_at: Moment
    seen_at: Moment = Field(description="Time of the last heartbeat")
    health: Literal["ready", "not_ready", "gone"] = Field(examples=["ready"])
    reason: str | None = Field(description="Why the process is not ready, or degraded", examples=[None])


class Rebuild(Closed):
    """Progress of a rebuild, in positions of the log."""

    done: int = Field(examples=[10])
    total: int = Field(examples=[100])


class Projection(Closed):
    """Status of a projection."""

    name: str = Field(examples=["drivers"])
    position: int = Field(examples=[123])
    lag_events: int = Field(examples=[0])
    lag_seconds: float = Field(
        description="Known waiting time of the oldest event that is not applied", examples=[0.0]
    )
    leader: str | None = Field(
        description="The instance that leads the projection", examples=["projections-1"]
    )
    standby: int = Field(description="Number of instances that could take over", examples=[1])
    state: Literal["following", "rebuilding", "stopped"] = Field(examples=["following"])
    set_aside: int = Field(description="Number of quarantined records", examples=[0])
    rebuild: Rebuild | None


class SetAside(Closed):
    """A record quarantined at an event that cannot be applied."""

    projection: str = Field(examples=["drivers"])
    entity_type: str = Field(examples=["driver"])
    entity_id: str = Field(examples=["EMP-001"])
    position: int = Field(examples=[17])
    since: Moment
    cause: str = Field(examples=["driver.promoted: its kind is not known to this release"])


class Log(Closed):
    """End of the log."""

    position: int = Field(examples=[123])
    events: int = Field(examples=[123])


class Relay(Closed):
    """Status of the relay to Kafka, from its last heartbeat."""

    state: Literal["off", "publishing", "stopped"] = Field(examples=["publishing"])
    position: int = Field(examples=[120])
    lag_events: int = Field(examples=[3])
    lag_seconds: float = Field(examples=[0.4])
    seen_at: OptionalMoment


class Seal(Closed):
    """The last checkpoint."""

    position: int = Field(examples=[120])
    at: Moment
    lag_events: int = Field(description="Number of events after it", examples=[3])


class Verification(Closed):
    """The last verification."""

    at: Moment
    ok: bool = Field(examples=[True])
    words: str = Field(examples=["120 of 123 events match their seals"])


class Backup(Closed):
    """The last backup."""

    at: Moment
    age_seconds: float = Field(examples=[3600.0])
    bytes: int = Field(examples=[123])
    where: str = Field(examples=["/backups/backup-20261122T010203Z"])


class Storage(Closed):
    """Sizes of the database and its disk."""

    database_bytes: int = Field(examples=[123])
    log_bytes: int = Field(examples=[100])
    read_bytes: int = Field(examples=[20])
    growth_bytes_per_day: float | None = Field(
        description="Null until an hour has been measured", examples=[12.5]
    )
    disk_free_bytes: int | None = Field(description="Null if no process reports a disk", examples=[1000])
    disk_total_bytes: int | None = Field(examples=[2000])


_Counted = list[int | None]


class Samples(Closed):
    """The last 24 hours, the oldest step first; null where nothing was sampled."""

    from_: Moment = Field(alias="from")
    step_seconds: int = Field(examples=[300])
    commands: _Counted = Field(examples=[[1]])
    reads: _Counted = Field(examples=[[2]])
    p99_ms: list[float | None] = Field(description="Null also without requests", examples=[[4.2]])
    refusals: _Counted = Field(description="Answers with a status of 400 or more", examples=[[0]])


class Alert(Closed):
    """A failing check; Prometheus alerts once it has failed for some time."""

    name: str = Field(examples=["FleetlogQuarantined"])
    severity: Literal["page", "ticket"] = Field(examples=["page"])
    since: OptionalMoment
    summary: str = Field(examples=["1 record of drivers quarantined, shown in the former state"])
    runbook: str = Field(description="Section in ops/alerts/README.md", examples=["fleetlogquarantined"])


class System(Closed):
    """Status of the system."""

    at: Moment
    release: str = Field(examples=["0.1.0"])
    schema_revision: str = Field(examples=["0022"])
    state: State = Field(
        description="`wrong` if an alert pages, `watch` if there is any other", examples=["well"]
    )
    services: list[Service]
    projections: list[Projection]
    set_aside: list[SetAside] = Field(description="The latest 100")
    set_aside_total: int = Field(examples=[0])
    log: Log
    relay: Relay
    seal: Seal | None
    verification: Verification | None
    backup: Backup | None
    storage: Storage
    samples: Samples
    alerts: list[Alert]
    actions: list[Action] = Field(description="The latest 20")


class SystemState(Closed):
    """The overall state."""

    state: State = Field(examples=["well"])
