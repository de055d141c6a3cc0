"""How commands are answered: with what came of them, and the position to read from to see it."""

from collections.abc import Awaitable, Callable
from typing import Final

from fastapi import Request
from starlette.responses import Response

from command_api.commands.handler import CommandHandler, CommandResult, Refused, Withheld
from command_api.commands.log import Log
from command_api.domain.aggregate import Aggregate
from command_api.domain.definition import Definition
from command_api.http.refusals import FAILURES, failure, record_body, refusal
from ops.base.consistency import LogPosition, received_position, tell_position
from ops.base.failpoints import failpoint
from ops.base.permissions import Permission
from ops.base.problems import problem_response
from ops.base.record_etags import NO_STORE, RecordETag
from ops.base.request_context import request_id_of
from ops.base.sign_in import VerifiedToken

MADE_HEADER: Final = "Fleetlog-Version"
"""The version that a command has made: what can be undone."""


async def answer(
    request: Request,
    definition: Definition,
    command: Awaitable[CommandResult],
    token: VerifiedToken,
    accepted: Callable[[Aggregate, str, bool], Response],
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
        problem = refusal(definition, outcome, log_id=log_id, masked=masked)
        response = problem_response(problem, request_id_of(request.scope))
        position = outcome.history.position
    else:
        response = accepted(outcome.aggregate, log_id, masked)
        if outcome.made is not None:
            response.headers[MADE_HEADER] = str(outcome.made)
        position = outcome.position
    await tell_reached(request, response, LogPosition(log_id, position))
    failpoint("command.answered")
    return response


def record_response(aggregate: Aggregate, log_id: str, status: int, *, masked: bool) -> Response:
    """Return the answer that shows a record.

    Args:
        aggregate: whose.
        log_id: the log.
        status: 200, or 201 where it is new.
        masked: whether it is for somebody who may not see personal data.
    """
    definition = aggregate.definition
    body = record_body(definition, aggregate, masked=masked)
    etag = RecordETag.of(aggregate.version, log_id, body)
    headers = {"ETag": str(etag), "Cache-Control": NO_STORE}
    if status == 201:
        headers["Location"] = f"{definition.entity_type.path}/{aggregate.id}"
    return Response(body, status_code=status, media_type="application/json", headers=headers)


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
