"""Answers to commands: results, refusals, the position to read from, and what may be shown."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from fastapi import Request
from starlette.responses import Response

from command_api.commands.execution import CommandResult, Refused, Withheld
from command_api.commands.handler import CommandHandler
from command_api.commands.log import Log
from command_api.domain.definition import Definition
from command_api.domain.events import Event
from command_api.event_store.records import RecordedEvent
from command_api.http.refusals import FAILURES, failure, record_body, refusal
from ops.base.access_log.showing import WHO, Showing, record_view
from ops.base.http.consistency import LogPosition, received_position, tell_position
from ops.base.http.problems import Problem, problem_response
from ops.base.http.record_etags import NO_STORE, RecordETag
from ops.base.http.request_context import request_id_of
from ops.base.permissions import Permission
from ops.base.process.failpoints import failpoint
from ops.base.sign_in import VerifiedToken


class Disclosure(NamedTuple):
    """Decides what the answer to a request shows of a record, and records the personal data in it."""

    request: Request
    token: VerifiedToken
    definition: Definition

    def allows_record(self, result: CommandResult, sent: Mapping[str, Any], *, masked: bool) -> bool:
        """Return whether the answer may show the record; if it may, record that it does.

        Values that the caller has sent are not recorded if this request has appended an event with them.

        Args:
            result: the command's result.
            sent: the details that the caller has sent.
            masked: whether personal data is masked.
        """
        state = result.aggregate.state
        if state is None:
            return True
        definition = self.definition
        visible = definition.harmless if masked else definition.fields
        shown = {name for name in visible if name not in sent or sent[name] != state.details.get(name)}
        if shown and not self.token.may(Permission.FLEET_READ):
            return False
        if not result.is_appended:
            shown.update(visible)
        return self.record(result.aggregate.id, shown & definition.personal)

    def changes_of(self, refused: Refused, *, masked: bool) -> Sequence[tuple[Event, RecordedEvent]]:
        """Return the others' changes that the answer to a refused command may report."""
        changes = refused.changes
        if not self.token.may(Permission.FLEET_READ):
            return ()
        has_names = not masked and any(event.metadata.actor.name for event, _ in changes)
        return changes if not has_names or self.record(refused.history.aggregate.id, [WHO]) else ()

    def record(self, entity_id: str, fields: Iterable[str]) -> bool:
        """Record that the answer shows fields of a record; return False if that is impossible now."""
        names = tuple(sorted(fields))
        if names:
            route = self.request.scope["route"].path_format
            showing = Showing(route, "change", self.definition.name, names)
            try:
                record_view(self.request, self.token, showing, of=entity_id)
            except Problem:
                return False
        return True


MADE_HEADER: Final = "Fleetlog-Version"
"""The version that a command has made: what can be undone."""


async def answer(
    request: Request,
    definition: Definition,
    command: Awaitable[CommandResult],
    token: VerifiedToken,
    accepted: Callable[[CommandResult, str, bool], Response],
) -> Response:
    """Await a command and answer it.

    Args:
        request: its request.
        definition: the type of what it is about.
        command: the command.
        token: of who sends it.
        accepted: makes the answer, if it is not refused; it is given the id of the log, too, and whether
            personal data is masked in it.

    Raises:
        Problem: nobody could decide.
    """
    try:
        outcome: CommandResult | Refused = await command
    except Refused as refused:
        outcome = refused
    except FAILURES as error:
        raise failure(error) from None
    log_id = await log_id_of(request)
    masked = is_masked(token, outcome.withheld)
    if isinstance(outcome, Refused):
        outcome.changes = Disclosure(request, token, definition).changes_of(outcome, masked=masked)
        problem = refusal(definition, outcome, log_id=log_id, masked=masked)
        response = problem_response(problem, request_id_of(request.scope))
        position = outcome.history.position
    else:
        response = accepted(outcome, log_id, masked)
        if outcome.made is not None:
            response.headers[MADE_HEADER] = str(outcome.made)
        position = outcome.position
    await tell_reached(request, response, LogPosition(log_id, position))
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
        request: see `answer`.
        definition: see `answer`.
        command: see `answer`.
        token: see `answer`.
        sent: the record's details that the caller has sent.
        status: 200, or 201 where the record is new.
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


def is_masked(token: VerifiedToken, withheld: Withheld | None = None) -> bool:
    """Tell whether personal data is masked for somebody, as what has been restricted is for most."""
    permissions = token.permissions
    if withheld == "erased" or (withheld == "restricted" and Permission.PRIVACY_RESTRICT not in permissions):
        return True
    return Permission.PERSONAL_READ not in permissions


async def log_id_of(request: Request) -> str:
    """Return which log it is; once a process knows, that costs nothing.

    A restored log is refused until it is accepted, and whoever sees that this has happened sees its new name.
    """
    return await _log(request).log_id()


def handler_of(request: Request) -> CommandHandler:
    """Return what carries out a request's command."""
    handler: CommandHandler = request.app.state.handler
    return handler


async def tell_reached(request: Request, response: Response, reached: LogPosition) -> None:
    """Tell from where on a client can read what came of its command."""
    received = received_position(request, reached.log_id)
    # What a client claims to have seen counts only if it can be.
    if received > reached.position and received <= await _log(request).head():
        reached = LogPosition(reached.log_id, received)
    # Whoever claims to have come over https gets a cookie that leaves it no more: that is theirs alone.
    secure = request.app.state.over_https or request.headers.get("x-forwarded-proto") == "https"
    tell_position(response, reached, secure=secure)


def _log(request: Request) -> Log:
    log: Log = request.app.state.log
    return log
