"""What the OpenAPI document says of how the system is doing."""

from typing import Any, Final, Literal

from pydantic import Field

from ops.base.http.openapi import problem_responses
from ops.base.records.operations import MOMENT, Action
from query_api.http.openapi import ANY_PROBLEM, Closed, example_of, headers_of_answer

KEPT: Final = "no-store"


def _moment(**more: Any) -> Any:
    return Field(**MOMENT, **more)


State = Literal["well", "watch", "wrong"]


class Service(Closed):
    """A process that has said that it is there."""

    name: str = Field(examples=["command-api"])
    instance: str = Field(examples=["command-api-3f2a"])
    release: str = Field(examples=["0.1.0"])
    started_at: str = _moment()
    seen_at: str = _moment(description="when it was heard of last")
    health: Literal["ready", "not_ready", "gone"] = Field(examples=["ready"])
    reason: str | None = Field(description="what is the matter with it, in words", examples=[None])


class Rebuild(Closed):
    """How far a rebuild is, in positions of the log."""

    done: int = Field(examples=[10])
    total: int = Field(examples=[100])


class Projection(Closed):
    """How far a projection is."""

    name: str = Field(examples=["drivers"])
    position: int = Field(examples=[123])
    lag_events: int = Field(examples=[0])
    lag_seconds: float = Field(
        description="for how long the oldest event that is not handled is known to have waited",
        examples=[0.0],
    )
    leader: str | None = Field(description="the instance that does the work", examples=["projections-1"])
    standby: int = Field(description="how many could take it over", examples=[1])
    state: Literal["following", "rebuilding", "stopped"] = Field(examples=["following"])
    set_aside: int = Field(
        description="how many records wait at an event that cannot be applied", examples=[0]
    )
    rebuild: Rebuild | None


class SetAside(Closed):
    """A record that waits at an event that cannot be applied."""

    projection: str = Field(examples=["drivers"])
    entity_type: str = Field(examples=["driver"])
    entity_id: str = Field(examples=["EMP-001"])
    position: int = Field(examples=[17])
    since: str = _moment()
    cause: str = Field(examples=["driver.promoted: its kind is not known to this release"])


class Log(Closed):
    """The log's end."""

    position: int = Field(examples=[123])
    events: int = Field(examples=[123])


class Relay(Closed):
    """How far Kafka is, as the relay said when it was heard of last."""

    state: Literal["off", "publishing", "stopped"] = Field(examples=["publishing"])
    position: int = Field(examples=[120])
    lag_events: int = Field(examples=[3])
    lag_seconds: float = Field(examples=[0.4])
    seen_at: str | None = _moment()


class Seal(Closed):
    """The last seal."""

    position: int = Field(examples=[120])
    at: str = _moment()
    lag_events: int = Field(description="how many events came after it", examples=[3])


class Verification(Closed):
    """The last verification."""

    at: str = _moment()
    ok: bool = Field(examples=[True])
    words: str = Field(examples=["120 of 123 events are what was sealed"])


class Backup(Closed):
    """The last backup."""

    at: str = _moment()
    age_seconds: float = Field(examples=[3600.0])
    bytes: int = Field(examples=[123])
    where: str = Field(examples=["/backups/backup-20261122T010203Z"])


class Storage(Closed):
    """What is stored, and where that grows."""

    database_bytes: int = Field(examples=[123])
    log_bytes: int = Field(examples=[100])
    read_bytes: int = Field(examples=[20])
    growth_bytes_per_day: float | None = Field(
        description="null until it was watched for an hour", examples=[12.5]
    )
    disk_free_bytes: int | None = Field(description="null where no process can know", examples=[1000])
    disk_total_bytes: int | None = Field(examples=[2000])


_Counted = list[int | None]


class Samples(Closed):
    """The last 24 hours, the oldest step first; null where nothing was sampled."""

    from_: str = _moment(alias="from")
    step_seconds: int = Field(examples=[300])
    commands: _Counted = Field(examples=[[1]])
    reads: _Counted = Field(examples=[[2]])
    p99_ms: list[float | None] = Field(description="null also where nothing was asked", examples=[[4.2]])
    refusals: _Counted = Field(description="answers with a status of 400 or more", examples=[[0]])


class Alert(Closed):
    """A condition that holds now, for which an alert rings once it has lasted."""

    name: str = Field(examples=["FleetlogQuarantined"])
    severity: Literal["page", "ticket"] = Field(examples=["page"])
    since: str | None = _moment()
    summary: str = Field(examples=["1 record of drivers is set aside and shown as it was"])
    runbook: str = Field(description="its section in ops/alerts/README.md", examples=["fleetlogquarantined"])


class System(Closed):
    """How the system is doing."""

    at: str = _moment()
    release: str = Field(examples=["0.1.0"])
    schema_revision: str = Field(examples=["0022"])
    state: State = Field(
        description="`wrong` where an alert pages, `watch` where there is any other", examples=["well"]
    )
    services: list[Service]
    projections: list[Projection]
    set_aside: list[SetAside] = Field(description="the latest 100")
    set_aside_total: int = Field(examples=[0])
    log: Log
    relay: Relay
    seal: Seal | None
    verification: Verification | None
    backup: Backup | None
    storage: Storage
    samples: Samples
    alerts: list[Alert]
    actions: list[Action] = Field(description="the latest 20")


class SystemState(Closed):
    """The same in one word."""

    state: State = Field(examples=["well"])


def of_system() -> dict[str, Any]:
    """Describe how the system is doing."""
    return _operation("system", "How the system is doing", System)


def of_state() -> dict[str, Any]:
    """Describe the same in one word."""
    return _operation("system_state", "How the system is doing, in one word", SystemState)


def _operation(name: str, summary: str, model: type[Closed]) -> dict[str, Any]:
    return {
        "name": name,
        "summary": summary,
        "responses": {
            200: {
                "model": model,
                "description": "Found",
                "headers": headers_of_answer(KEPT, {}),
                "content": {"application/json": {"example": example_of(model.model_json_schema(), {})}},
            },
            **problem_responses(401, 503),
            "default": ANY_PROBLEM,
        },
    }
