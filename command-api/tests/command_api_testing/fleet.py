"""Valid bodies for each entity type, and what is known of how they are answered."""

import itertools
from typing import Any

import httpx

from command_api.domain.catalogue import DEFINITIONS
from ops.base.http.record_etags import RecordETag

ENTITIES = list(DEFINITIONS)

_numbers = itertools.count(1)


def path_of(entity: str) -> str:
    return DEFINITIONS[entity].entity_type.path


def new_body(entity: str, **changes: Any) -> dict[str, Any]:
    """A body to register; drivers get an employee number that nobody has."""
    own_id = {"id": f"EMP-{next(_numbers):04}"} if entity == "driver" else {}
    return {**own_id, **DEFINITIONS[entity].example, **changes}


def unwrap(entity: str, body: dict[str, Any]) -> dict[str, Any]:
    wrapper = DEFINITIONS[entity].entity_type.wrapper
    record: dict[str, Any] = body if wrapper is None else body[wrapper]
    return record


def version_of(answer: httpx.Response) -> int:
    """The version that an answer's ETag names."""
    tag = RecordETag.parse(answer.headers["etag"])
    assert tag is not None
    return tag.version
