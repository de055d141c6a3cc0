"""Validation of published events and states against the released schemas."""

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

import jsonschema

from ops.base.records.entities import ENTITY_TYPES
from projections.revisions.revision import Revision
from read_model.public_events.envelope import PublicEvent, state_type, type_of
from read_model.public_events.schemas import released_schemas

_STATE_TYPES = {entity.name: state_type(entity) for entity in ENTITY_TYPES}


def published(revision: Revision) -> PublicEvent:
    """Return the public event of a revision."""
    return PublicEvent(
        position=revision.position,
        entity=revision.entity,
        entity_id=revision.entity_id,
        type=revision.type,
        moment=revision.moment,
        schema_version=json.loads(revision.public_event).get("schema_version"),
        data=revision.public_event,
    )


@cache
def validator_of(type_name: str) -> jsonschema.Draft202012Validator:
    """Return the validator of a type's released schema."""
    checker = jsonschema.Draft202012Validator.FORMAT_CHECKER
    return jsonschema.Draft202012Validator(released_schemas()[type_name], format_checker=checker)


def assert_event_fits(event: PublicEvent) -> None:
    """Validate an event's data against the schema of its type."""
    validator_of(type_of(event)).validate(json.loads(event.data))


def assert_state_fits(entity: str, state: Mapping[str, Any]) -> None:
    """Validate a public state against its schema."""
    validator_of(_STATE_TYPES[entity]).validate(state)
