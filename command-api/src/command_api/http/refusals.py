"""How refused commands are told over HTTP."""

from typing import Any, Final

import structlog

from command_api.commands.execution import Refused
from command_api.commands.idempotency import IdempotencyMismatch
from command_api.commands.reasons import Invalid, NoSuchVersion, PreconditionFailed
from command_api.domain.aggregate import Aggregate, AlreadyRegistered, IsRestricted, NotRegistered, RuleBroken
from command_api.domain.definition import Definition
from command_api.domain.events import DetailsChanged, Event, Registered
from command_api.domain.state import InapplicableEvent, wire_time
from command_api.event_store.mapper import UnreadableEvent
from command_api.event_store.records import ClockJumped, LogUnavailable, RecordedEvent
from ops.base.encryption.key_encryption_keys import KeysUnavailable
from ops.base.http.problems import Problem, ValidationError, unavailable, validation_failed
from ops.base.http.record_etags import NO_STORE, RecordETag
from ops.base.records.entities import entity_type as released
from ops.base.records.json_values import json_bytes
from ops.base.records.masks import MASKED, masked_body

logger = structlog.get_logger()


def not_found() -> Problem:
    """The problem for an id under which nothing is registered."""
    return Problem(404, "not-found", "There is nothing under this id.")


FAILURES: Final = (
    *(IdempotencyMismatch, UnreadableEvent, InapplicableEvent),
    *(ClockJumped, LogUnavailable, KeysUnavailable),
)
"""What keeps the command handler from deciding."""


def failure(error: Exception) -> Problem:
    """The problem for one of `FAILURES`."""
    match error:
        case IdempotencyMismatch():
            detail = "This Idempotency-Key was used for another command."
            return Problem(422, "idempotency-mismatch", detail)
        case ClockJumped():
            return unavailable(
                "Nothing was changed: the server's clock cannot be right. An operator must look at it.",
                retry_after=60,
            )
        case KeysUnavailable():
            logger.error("keys_unavailable", error=str(error))
            return unavailable("Nothing was changed: the keys that this record is sealed with cannot be had.")
        case LogUnavailable():
            return unavailable(
                "The change could not be confirmed. Send it again with the same Idempotency-Key."
            )
    # Nothing was appended: nobody can decide on a history that does not add up.
    logger.error("history_unreadable", error=f"{type(error).__name__}: {error}")  # without values
    return Problem(
        500,
        "history-unreadable",
        "This record's history cannot be read, so nothing was changed. An operator must look at it.",
    )


def refusal(definition: Definition, refused: Refused, *, log_id: str, masked: bool) -> Problem:
    """The problem for a command that the entity's history stands against.

    Args:
        definition: the entity's type.
        refused: the command.
        log_id: the log.
        masked: whether the client may not see personal data.
    """
    match refused.reason:
        case NotRegistered():
            return not_found()
        case AlreadyRegistered():
            label = "employee number" if definition.given_id_required else "id"
            message = f"This {label} is already in use"
            errors = [ValidationError.at("id", message=message)]
            return Problem(409, "conflict", f"{message}.", validation_errors=errors)
        case Invalid() | NoSuchVersion() as invalid:
            return validation_failed(invalid.errors)
        case IsRestricted():
            detail = "This record is restricted: nothing may be changed until that is lifted."
            return Problem(409, "restricted", detail)
        case RuleBroken() as broken:
            return Problem(409, "rule-broken", str(broken))
        case PreconditionFailed(known_version=known_version):
            return _precondition_failed(definition, refused, known_version, log_id, masked=masked)


def record_body(definition: Definition, aggregate: Aggregate, *, masked: bool) -> bytes:
    """Return the answer that shows a record, byte for byte as the read side has it.

    Args:
        definition: the record's type.
        aggregate: whose record it is.
        masked: whether it is for somebody who may not see personal data.
    """
    state, entity = aggregate.state, definition.entity_type
    if state is None:
        return json_bytes(entity.wrap(None))
    body = entity.wrap_json(state.json)
    return masked_body(released(entity.name), body) if masked else body


def _precondition_failed(
    definition: Definition, refused: Refused, known_version: int | None, log_id: str, *, masked: bool
) -> Problem:
    aggregate, changes = refused.history.aggregate, refused.changes
    etag = RecordETag.of(aggregate.version, log_id, record_body(definition, aggregate, masked=masked))
    left_out = 0 if known_version is None else aggregate.version - known_version - len(changes)
    return Problem(
        412,
        "precondition-failed",
        "This has been changed since you loaded it."
        if known_version is not None
        else "The data has been restored from a backup since you loaded this; what changed is not known.",
        headers={"ETag": str(etag), "Cache-Control": NO_STORE},
        extensions={
            "current_version": aggregate.version,
            "changed_since": [_describe(event, recorded, masked=masked) for event, recorded in changes],
            "changes_left_out": left_out,
        },
    )


def _describe(event: Event, recorded: RecordedEvent, *, masked: bool) -> dict[str, Any]:
    # Which fields, not which values: those may be personal data, and error bodies get logged by clients.
    match event:
        case Registered():
            fields = list(event.details)
        case DetailsChanged():
            fields = list(event.changes)
        case _:
            fields = []
    actor = event.metadata.actor
    return {
        "version": event.originator_version,
        "type": event.type,
        "moment": wire_time(recorded.moment),
        "actor": {"sub": actor.sub, "name": None if masked else actor.name or None},
        "fields": fields,
        **({MASKED: ["actor.name"]} if masked else {}),
    }
