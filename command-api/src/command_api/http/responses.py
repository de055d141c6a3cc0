"""Responses to commands: records, problems, the position to read from, and the mask of personal data."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import structlog
from fastapi import Request
from starlette.responses import Response

from command_api.commands.execution import CommandRefused, CommandResult, MaskReason
from command_api.commands.handler import CommandHandler
from command_api.commands.reasons import (
    Duplicate,
    IdempotencyMismatch,
    InvalidDetails,
    NoSuchVersion,
    PreconditionFailed,
)
from command_api.domain.aggregate import Aggregate, AlreadyRegistered, IsRestricted, NotRegistered, RuleBroken
from command_api.domain.definition import STREAMS, Definition
from command_api.domain.entities.assignment import LICENCE
from command_api.domain.events import DetailsChanged, Event, Registered
from command_api.domain.references import ReferenceRefused
from command_api.domain.state import InapplicableEvent
from command_api.event_store.log import EventLog
from command_api.event_store.mapper import UnreadableEvent
from command_api.event_store.records import (
    ClockJumped,
    LogUnavailable,
    RecordedEvent,
    UniqueValuesUnavailable,
)
from ops.base.access_log.views import ACTOR_NAME, PersonalContent, record_view
from ops.base.encryption.key_encryption_keys import KeysUnavailable
from ops.base.http.consistency import LogPosition, add_position, received_position
from ops.base.http.problems import Problem, ValidationError, problem_response, unavailable, validation_failed
from ops.base.http.record_etags import NO_STORE, RecordETag
from ops.base.http.request_context import request_id_of
from ops.base.permissions import Permission
from ops.base.process.failpoints import failpoint
from ops.base.records.entities import entity_type as released
from ops.base.records.json_values import json_bytes
from ops.base.records.masks import MASKED, masked_body
from ops.base.records.operations import moment_text
from ops.base.sign_in import VerifiedToken

NOT_RECORDED: Final = "This access must be recorded, which is not possible now. Please try again."
VERSION_HEADER: Final = "Fleetlog-Version"
"""The version that a command created, for a later undo."""
DUPLICATES_HEADER: Final = "Fleetlog-Duplicates"
"""Fields in which the record now has the value of another one, which the operator allows."""
FAILURES: Final = (
    *(IdempotencyMismatch, UnreadableEvent, InapplicableEvent),
    *(ClockJumped, LogUnavailable, KeysUnavailable, UniqueValuesUnavailable),
)
"""Errors that prevent a decision."""

logger = structlog.get_logger()


class Disclosure(NamedTuple):
    """Decides what the answer to a request shows of a record, and records the personal data in it."""

    request: Request
    token: VerifiedToken
    definition: Definition

    def allows_record(self, result: CommandResult, sent: Mapping[str, Any], *, masked: bool) -> bool:
        """Return whether the answer may show the record; if it may, record that it does.

        Values that the caller has sent are not recorded if this request has appended an event with them.
        """
        state = result.aggregate.state
        if state is None:
            return True
        definition = self.definition
        visible = definition.harmless if masked else definition.fields
        shown = {name for name in visible if name not in sent or sent[name] != state.details.get(name)}
        if shown and not self._may_read:
            return False
        if not result.is_appended:
            shown.update(visible)
        return self.record(result.aggregate.id, shown & definition.personal)

    async def limit(self, refused: CommandRefused, *, masked: bool) -> None:
        """Remove from a refusal what the answer must not show of others' changes and of another record."""
        refused.changes = self._changes_of(refused, masked=masked)
        reason = refused.reason
        if isinstance(reason, ReferenceRefused) and (
            reason.code.startswith("licence") and not self.record_licence(reason.record)
        ):
            refused.reason = RuleBroken(NOT_RECORDED)
        if isinstance(refused.reason, Duplicate) and refused.reason.record is not None:
            refused.reason.record = await self._visible(refused.reason.record, refused.reason.field)

    async def duplicates(self, result: CommandResult) -> dict[str, str | None]:
        """Return the fields that the command gave the value of another record, with its id if visible."""
        try:
            unique = handler_of(self.request).unique
            doubles = await unique.doubles(self.definition, result.aggregate.id, result.event)
        except FAILURES:  # the command was accepted all the same
            return {}
        return {field: await self._visible(record, field) for field, record in sorted(doubles.items())}

    async def _visible(self, other: str, field: str) -> str | None:
        """Return another record's id, and record that it has a field's value; None: not to be shown."""
        try:
            restriction = (await handler_of(self.request).load(self.definition, other)).restriction
        except FAILURES:  # whether the caller may see it is unknown
            return None
        is_shown = self._may_read and not is_masked(self.token, "restricted" if restriction else None)
        return other if is_shown and self.record(other, {field} & self.definition.personal) else None

    def _changes_of(self, refused: CommandRefused, *, masked: bool) -> Sequence[tuple[Event, RecordedEvent]]:
        changes = refused.changes
        if not self._may_read:
            return ()
        has_names = not masked and any(event.metadata.actor.name for event, _ in changes)
        return changes if not has_names or self.record(refused.history.aggregate.id, [ACTOR_NAME]) else ()

    @property
    def _may_read(self) -> bool:
        return self.token.may(self.definition.entity_type.needs(Permission.FLEET_READ))

    def record_licence(self, driver: str) -> bool:
        """Record that the answer reveals something about the last day of a driver's licence; see `record`."""
        return self._replace(definition=STREAMS["driver"]).record(driver, [LICENCE])

    def record(self, entity_id: str, fields: Iterable[str]) -> bool:
        """Record that the answer shows fields of a record; return False if that is impossible now."""
        names = tuple(sorted(fields))
        if names:
            route = self.request.scope["route"].path_format
            content = PersonalContent(route, "change", self.definition.name, names)
            try:
                record_view(self.request, self.token, content, of=entity_id)
            except Problem:
                return False
        return True


async def answer(
    request: Request,
    definition: Definition,
    command: Awaitable[CommandResult],
    token: VerifiedToken,
    accepted: Callable[[CommandResult, str, bool], Response],
) -> Response:
    """Await a command and answer it.

    Args:
        accepted: returns the response to an accepted command, given the result, the log's id, and whether
            personal data is masked.

    Raises:
        Problem: the command could not be decided.
    """
    try:
        outcome: CommandResult | CommandRefused = await command
    except CommandRefused as refused:
        outcome = refused
    except FAILURES as error:
        raise failure(error) from None
    log_id = await log_id_of(request)
    masked = is_masked(token, outcome.mask_reason)
    if isinstance(outcome, CommandRefused):
        await Disclosure(request, token, definition).limit(outcome, masked=masked)
        problem = refusal(definition, outcome, log_id=log_id, masked=masked)
        into = outcome.history.aggregate.into
        is_about_it = isinstance(outcome.reason, NotRegistered | RuleBroken)
        if (
            into is not None
            and is_about_it
            and token.may(definition.entity_type.needs(Permission.FLEET_READ))
        ):
            problem.extensions["into"] = into
        response = problem_response(problem, request_id_of(request.scope))
        position = outcome.history.position
    else:
        response = accepted(outcome, log_id, masked)
        if outcome.event is not None:
            response.headers[VERSION_HEADER] = str(outcome.event.originator_version)
        if duplicates := await Disclosure(request, token, definition).duplicates(outcome):
            parts = [
                f'{field};record="{record}"' if record else field for field, record in duplicates.items()
            ]
            response.headers[DUPLICATES_HEADER] = ", ".join(parts)
        position = outcome.position
    await set_position(request, response, LogPosition(log_id, position))
    failpoint("command.answered")
    return response


async def answer_record(
    request: Request,
    definition: Definition,
    command: Awaitable[CommandResult],
    token: VerifiedToken,
    *,
    sent: Mapping[str, Any] = MappingProxyType({}),
    status: int = 200,
) -> Response:
    """Await a command and answer it with the record, or without a body if the record must not be shown.

    Args:
        status: 200, or 201 for a new record.
    """
    disclosure = Disclosure(request, token, definition)

    def accepted(result: CommandResult, log_id: str, masked: bool) -> Response:  # noqa: FBT001 - see `answer`
        aggregate = result.aggregate
        headers = {"Cache-Control": NO_STORE}
        if status == 201:
            headers["Location"] = f"{definition.entity_type.path}/{aggregate.id}"
        if aggregate.state is None or not disclosure.allows_record(result, sent, masked=masked):
            headers["ETag"] = str(RecordETag.of(aggregate.version, log_id))
            return Response(status_code=201 if status == 201 else 204, headers=headers)
        body = record_body(definition, aggregate, masked=masked)
        headers["ETag"] = str(RecordETag.of(aggregate.version, log_id, body))
        return Response(body, status, headers, "application/json")

    return await answer(request, definition, command, token, accepted)


def record_body(definition: Definition, aggregate: Aggregate, *, masked: bool) -> bytes:
    """Return a record as JSON, byte for byte as the query API returns it."""
    state, entity = aggregate.state, definition.entity_type
    if state is None:
        return json_bytes(entity.wrap(None))
    body = entity.wrap_json(state.json)
    return masked_body(released(entity.name), body) if masked else body


def is_masked(token: VerifiedToken, reason: MaskReason | None = None) -> bool:
    """Return whether personal data is masked for a caller, given what happened to the record's data."""
    permissions = token.permissions
    if reason == "erased" or (reason == "restricted" and Permission.PRIVACY_RESTRICT not in permissions):
        return True
    return Permission.PERSONAL_READ not in permissions


async def log_id_of(request: Request) -> str:
    """Return the log's id, which the process caches until the log is replaced."""
    return await _log(request).log_id()


def handler_of(request: Request) -> CommandHandler:
    """Return the service's command handler."""
    handler: CommandHandler = request.app.state.handler
    return handler


async def set_position(request: Request, response: Response, reached: LogPosition) -> None:
    """Add the position from which queries show the command's result to the response."""
    received = received_position(request, reached.log_id)
    # Keep a later position of the client, unless it is beyond the log's head.
    if received > reached.position and received <= await _log(request).head():
        reached = LogPosition(reached.log_id, received)
    # A client can forge the header; the only effect is that its own cookie needs HTTPS.
    secure = request.app.state.over_https or request.headers.get("x-forwarded-proto") == "https"
    add_position(response, reached, secure=secure)


def _log(request: Request) -> EventLog:
    log: EventLog = request.app.state.log
    return log


def not_found() -> Problem:
    """Return the problem for an id under which no record is registered."""
    return Problem(404, "not-found", "No record has this id.")


def failure(error: Exception) -> Problem:
    """Return the problem for one of `FAILURES`."""
    match error:
        case IdempotencyMismatch():
            detail = "This Idempotency-Key belongs to another command. Send a new key."
            return Problem(422, "idempotency-mismatch", detail)
        case ClockJumped():
            return unavailable(
                "Nothing was changed: the server's clock is wrong. Ask an operator to set it.", retry_after=60
            )
        case KeysUnavailable():
            logger.error("keys_unavailable", error=str(error))
            return unavailable("Nothing was changed: the key of this record is unavailable. Try again later.")
        case UniqueValuesUnavailable():
            return unavailable(
                "Nothing was changed: values that must be unique cannot be compared yet. Try again soon.",
                retry_after=5,
            )
        case LogUnavailable():
            return unavailable(
                "The change could not be confirmed. Send it again with the same Idempotency-Key."
            )
    # Nothing was appended: an inconsistent history allows no decision.
    logger.error("history_unreadable", error=f"{type(error).__name__}: {error}")  # without values
    return Problem(
        500,
        "history-unreadable",
        "Nothing was changed: this record's history cannot be read. Ask an operator to check it.",
    )


def refusal(  # noqa: PLR0911 - one for each reason
    definition: Definition, refused: CommandRefused, *, log_id: str, masked: bool
) -> Problem:
    """Return the problem for a refused command."""
    match refused.reason:
        case NotRegistered():
            return not_found()
        case AlreadyRegistered():
            label = "employee number" if definition.given_id_required else "id"
            message = f"This {label} is already in use"
            errors = [ValidationError.at("id", message=message)]
            return Problem(409, "conflict", f"{message}.", validation_errors=errors)
        case Duplicate(field=field, record=record):
            message = duplicate_message(definition, field)
            return Problem(
                409,
                "duplicate",
                f"{message}.",
                validation_errors=[ValidationError.at(field, message=message)],
                extensions={"record": record},
            )
        case InvalidDetails() | NoSuchVersion() as invalid:
            return validation_failed(invalid.errors)
        case IsRestricted():
            detail = "This record is restricted. Lift the restriction to change it."
            return Problem(409, "restricted", detail)
        case ReferenceRefused() as reference:
            return Problem(
                409,
                "unconfirmed" if reference.is_warning else "reference",
                f"{reference}. Confirm it to save." if reference.is_warning else f"{reference}.",
                validation_errors=[ValidationError.at(reference.field, message=str(reference))],
                extensions={"record": reference.record, "code": reference.code},
            )
        case RuleBroken() as broken:
            return Problem(409, "rule-broken", str(broken))
        case PreconditionFailed() as failed:
            return _precondition_failed(definition, refused, failed, log_id, masked=masked)


def duplicate_message(definition: Definition, field: str) -> str:
    """Return the message about a value that another record has."""
    label = "employee number" if field == "id" else field.replace("_", " ")
    if field in definition.references:
        return f"Another {definition.name} has this {definition.references[field]} in this time"
    return f"Another {definition.name} has this {label}"


def _precondition_failed(
    definition: Definition, refused: CommandRefused, failed: PreconditionFailed, log_id: str, *, masked: bool
) -> Problem:
    aggregate, changes, known_version = refused.history.aggregate, refused.changes, failed.known_version
    etag = RecordETag.of(aggregate.version, log_id, record_body(definition, aggregate, masked=masked))
    left_out = 0 if known_version is None else aggregate.version - known_version - len(changes)
    return Problem(
        412,
        "precondition-failed",
        "This record has changed since you loaded it. Load it again."
        if known_version is not None
        else "The data was restored from a backup since you loaded this record. Load it again.",
        headers={"ETag": str(etag), "Cache-Control": NO_STORE},
        extensions={
            "current_version": aggregate.version,
            "changed_since": [_describe(event, recorded, masked=masked) for event, recorded in changes],
            "changes_left_out": left_out,
            **({} if failed.record is None else {"record": failed.record}),
        },
    )


def _describe(event: Event, recorded: RecordedEvent, *, masked: bool) -> dict[str, Any]:
    # Names of fields without values: clients log error bodies, and values may be personal data.
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
        "moment": moment_text(recorded.moment),
        "actor": {**actor.model_dump(), "name": None if masked else actor.name or None},
        "fields": fields,
        **({MASKED: ["actor.name"]} if masked else {}),
    }
