"""Valid bodies, records and clients for each entity type."""

import itertools
from datetime import date, timedelta
from typing import Any

import httpx

from command_api.domain.catalogue import DEFINITIONS
from command_api.event_store.mapper import MAPPER
from command_api.event_store.records import RecordedEvent
from command_api_testing.contexts import METADATA, MOMENT
from command_api_testing.log_in_memory import LogInMemory
from ops.base.http.record_etags import RecordETag
from ops.testing.token_issuer import TokenIssuer

ENTITIES = list(DEFINITIONS)
CHANGES: dict[str, dict[str, Any]] = {
    "driver": {"city": "Mysuru"},
    "trailer": {"owner_name": "Another"},
    "horse": {"owner": "Another"},
    "location": {"name": "Another"},
    "subscription": {"name": "Another"},
    "assignment": {"note": "Another"},
}
"""A change of one field of each entity type."""
CHANGED: dict[str, dict[str, Any]] = {
    "driver": {"city": "Mysuru", "swift_code": "SBININBB"},
    "trailer": {"status": "MAINTENANCE", "data": {"a": [1, None]}},
    "horse": {"owner": "Another", "metadata": {}},
    "location": {"country": "Nepal", "attributes": {"city": "Salem"}},
    "subscription": {"status": "paused", "event_kinds": []},
    "assignment": {"location": None, "trailers": []},
}
"""A change of several fields."""

_numbers = itertools.count(100)  # the examples refer to EMP-0042


def path_of(entity: str) -> str:
    return DEFINITIONS[entity].entity_type.path


def new_body(entity: str, **changes: Any) -> dict[str, Any]:
    """The body of a registration; drivers get an unused employee number, and assignments another day."""
    own: dict[str, Any] = {}
    if entity == "driver":
        own = {"id": f"EMP-{next(_numbers):04}"}
    elif entity == "assignment":
        day = date(2026, 11, 21) + timedelta(days=next(_numbers))
        own = {"starts_at": f"{day}T04:00:00.000Z", "ends_at": f"{day}T18:00:00.000Z"}
    return {**DEFINITIONS[entity].example, **own, **changes}


def hold_references(log: LogInMemory) -> LogInMemory:
    """Register the records to which the example of an assignment refers, with unique values of their own."""
    definition = DEFINITIONS["assignment"]
    for name, entity in definition.references.items():
        value = definition.example[name]
        aggregate = DEFINITIONS[entity].unused(value[0] if isinstance(value, list) else value)
        if not log.stream(DEFINITIONS[entity].stream(aggregate.id)):
            unique = {name: f"Referred 1 {name}" for name in DEFINITIONS[entity].unique if name != "id"}
            details = {**DEFINITIONS[entity].example, **unique}
            event = MAPPER.to_stored_event(aggregate.register(details, METADATA))
            log.hold(RecordedEvent.of(event, log.length + 1, MOMENT))
    return log


async def register(client: httpx.AsyncClient, entity: str) -> tuple[str, dict[str, Any]]:
    """Register a record and return its address and the record."""
    answer = await client.post(path_of(entity), json=new_body(entity))
    assert (answer.status_code, answer.headers["fleetlog-version"]) == (201, "1"), answer.text
    return answer.headers["location"], unwrap(entity, answer.json())


async def new_references(client: httpx.AsyncClient) -> dict[str, Any]:
    """Register the records to which an assignment refers, and return its fields with their ids."""
    ids = {}
    for name, entity in DEFINITIONS["assignment"].references.items():
        address, _ = await register(client, entity)
        ids[name] = address.rpartition("/")[2]
    return {**ids, "trailers": [ids["trailers"]]}


def unwrap(entity: str, body: dict[str, Any]) -> dict[str, Any]:
    wrapper = DEFINITIONS[entity].entity_type.wrapper
    record: dict[str, Any] = body if wrapper is None else body[wrapper]
    return record


def without_times(record: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in record.items() if name not in ("created_at", "updated_at")}


def version_of(answer: httpx.Response) -> int:
    """The version in an answer's ETag."""
    tag = RecordETag.parse(answer.headers["etag"])
    assert tag is not None
    return tag.version


def client_of(origin: str, issuer: TokenIssuer, **claims: Any) -> httpx.AsyncClient:
    """A client of a service, with a token of these claims."""
    headers = {"Authorization": f"Bearer {issuer.token(**claims)}"}
    return httpx.AsyncClient(base_url=origin, headers=headers, trust_env=False, timeout=60)
