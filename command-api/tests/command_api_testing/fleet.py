"""Valid bodies, records and clients for each entity type."""

import itertools
from typing import Any

import httpx

from command_api.domain.catalogue import DEFINITIONS
from ops.base.http.record_etags import RecordETag
from ops.testing.token_issuer import TokenIssuer

ENTITIES = list(DEFINITIONS)
CHANGES: dict[str, dict[str, Any]] = {
    "driver": {"city": "Mysuru"},
    "trailer": {"owner_name": "Another"},
    "horse": {"owner": "Another"},
    "location": {"name": "Another"},
    "subscription": {"name": "Another"},
}
"""A change of one field of each entity type."""
CHANGED: dict[str, dict[str, Any]] = {
    "driver": {"city": "Mysuru", "swift_code": "SBININBB"},
    "trailer": {"status": "MAINTENANCE", "data": {"a": [1, None]}},
    "horse": {"owner": "Another", "metadata": {}},
    "location": {"country": "Nepal", "attributes": {"city": "Salem"}},
    "subscription": {"status": "paused", "event_kinds": []},
}
"""A change of several fields."""

_numbers = itertools.count(1)


def path_of(entity: str) -> str:
    return DEFINITIONS[entity].entity_type.path


def new_body(entity: str, **changes: Any) -> dict[str, Any]:
    """The body of a registration; drivers get an unused employee number."""
    own_id = {"id": f"EMP-{next(_numbers):04}"} if entity == "driver" else {}
    return {**own_id, **DEFINITIONS[entity].example, **changes}


async def register(client: httpx.AsyncClient, entity: str) -> tuple[str, dict[str, Any]]:
    """Register a record and return its address and the record."""
    answer = await client.post(path_of(entity), json=new_body(entity))
    assert (answer.status_code, answer.headers["fleetlog-version"]) == (201, "1"), answer.text
    return answer.headers["location"], unwrap(entity, answer.json())


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
