"""Batches of rows, sent by imports and bulk changes: each row is a command of its own."""

import asyncio
import hashlib
from collections.abc import Awaitable
from dataclasses import asdict, dataclass
from functools import cache, partial
from typing import Annotated, Any, Final, Literal
from uuid import UUID

from fastapi import APIRouter, Request
from pydantic import BeforeValidator, ConfigDict, Field
from starlette.responses import Response

from command_api.commands.context import CommandContext, IfMatch, command_id, fingerprint
from command_api.commands.execution import CommandRefused, CommandResult
from command_api.commands.handler import CommandHandler
from command_api.commands.reasons import InvalidDetails
from command_api.domain.definition import Definition, Details
from command_api.domain.events import DetailsChanged, Event, Registered, Removed
from command_api.domain.rules import MAX_NUMBER
from command_api.domain.uniqueness import details_after
from command_api.event_store.records import LogUnavailable
from command_api.http.openapi import ANY_MEMBERS, REASON, command, json_body
from command_api.http.requests import (
    INVALID_ID,
    command_context,
    gives_personal_data,
    is_valid_id,
    read_details,
    read_json_object,
    read_new,
    read_patched,
)
from command_api.http.responses import (
    FAILURES,
    NOT_RECORDED,
    Disclosure,
    duplicate_message,
    failure,
    handler_of,
    is_masked,
    log_id_of,
    not_found,
    refusal,
    set_position,
)
from command_api.http.routes import undo_permission
from ops.base.http.consistency import LogPosition
from ops.base.http.direct_routes import direct_router
from ops.base.http.openapi import POSITION, Closed, FieldError, answer_of
from ops.base.http.problems import Problem, ValidationError, unavailable, validation_failed
from ops.base.permissions import Permission
from ops.base.records.control_characters import NO_CONTROLS
from ops.base.records.json_values import merge_patched
from ops.base.sign_in import VerifiedToken, permitted, require

MAX_ROWS: Final = 500
ROWS_SECONDS: Final = 20.0
"""Time limit of a request's rows: the others are answered as unconfirmed."""
_CONCURRENT_ROWS: Final = 64
"""Commands of a request that run at a time: enough to share the log's commits."""


_Outcome = Literal["new", "changed", "removed", "unchanged", "refused", "conflict", "unconfirmed"]


def _integer(value: Any) -> Any:
    """Convert 2.0 to 2, which are equal in JSON."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


class BatchRow(Details):
    """The command for one record."""

    key: Annotated[str, Field(min_length=1, max_length=100, pattern=r"^[\x21-\x7e]+$")]
    do: Literal["save", "change", "remove", "undo"] = "save"
    id: Annotated[str, Field(pattern=NO_CONTROLS)] | None = None
    version: Annotated[int | None, Field(ge=1, le=MAX_NUMBER, strict=True), BeforeValidator(_integer)] = None
    values: dict[str, Any] = Field(default_factory=dict)


class Batch(Details):
    """Rows of a run, such as an import or a bulk change."""

    batch: UUID
    source: Annotated[str | None, Field(pattern=r"^[0-9a-f]{64}$")] = None
    dry_run: Annotated[bool, Field(strict=True)]
    rows: Annotated[list[BatchRow], Field(min_length=1, max_length=MAX_ROWS)]


class DuplicateValue(Closed):
    """A value that another record has, too."""

    field: str = Field(description="Name of the field", examples=["passport_number"])
    message: str = Field(examples=["Another driver has this passport number"])
    record: str | None = Field(
        description="Id of the other record; null if the caller may not see it", examples=["EMP-002"]
    )


class RowOutcome(Closed):
    """The outcome of a row."""

    model_config = ConfigDict(json_schema_serialization_defaults_required=True)

    key: str = Field(description="Key of the row", examples=["2"])
    id: str | None = Field(description="Id of the record; the server may have made it", examples=["EMP-001"])
    outcome: _Outcome = Field(
        description="`conflict`: the record no longer has the row's version. `unconfirmed`: retry the row",
        examples=["changed"],
    )
    version: int | None = Field(default=None, description="Version of the record afterwards", examples=[3])
    fields: list[str] = Field(
        default=[], description="Fields that get a value, or another one", examples=[["name"]]
    )
    validation_errors: list[FieldError] = Field(default=[], examples=[[]])
    detail: str | None = Field(default=None, description="Reason of a refusal")
    duplicates: list[DuplicateValue] = Field(
        default=[], description="Accepted values that other records have, too", examples=[[]]
    )
    claimed: dict[str, str] = Field(
        default={},
        description="Of a dry run: by unique field, a text that is the same for equal values in the batch",
        examples=[{}],
    )
    changed_since: list[dict[str, Any]] = Field(
        default=[], description="Changes by others since the row's version, as with 412", examples=[[]]
    )


class BatchAnswer(Closed):
    """The outcomes of rows."""

    rows: list[RowOutcome] = Field(description="In the order of the request")


@dataclass
class BatchRun:
    """Execution of the rows of one request."""

    definition: Definition
    token: VerifiedToken
    handler: CommandHandler
    context: CommandContext
    """The context of the request, with its user and reason."""
    log_id: str
    disclosure: Disclosure
    batch: UUID
    source: str | None
    dry_run: bool
    position: int = 0
    """The log position from which queries show the results of all rows."""

    async def execute(self, rows: list[BatchRow]) -> list[RowOutcome]:
        """Execute rows, and return their outcomes in the same order."""
        may_begin = asyncio.Semaphore(_CONCURRENT_ROWS)
        ends_at = asyncio.get_running_loop().time() + ROWS_SECONDS
        first = {row.key: number for number, row in reversed(list(enumerate(rows)))}

        async def in_turn(number: int, row: BatchRow) -> RowOutcome:
            if first[row.key] != number:
                return RowOutcome(
                    key=row.key,
                    id=row.id,
                    outcome="refused",
                    detail="Another row of this request has the same key.",
                )
            try:
                async with asyncio.timeout_at(ends_at), may_begin:
                    return await self._outcome(row)
            except TimeoutError as error:
                return _refused(row, failure(LogUnavailable(str(error))))

        return list(await asyncio.gather(*map(in_turn, range(len(rows)), rows)))

    async def _outcome(self, row: BatchRow) -> RowOutcome:
        try:
            result = await self._command(row)
            self._record_comparison(row, result)
        except CommandRefused as refused:
            self.position = max(self.position, refused.history.position)
            masked = is_masked(self.token, refused.mask_reason)
            await self.disclosure.limit(refused, masked=masked)
            problem = refusal(self.definition, refused, log_id=self.log_id, masked=masked)
        except FAILURES as error:
            problem = failure(error)
        except Problem as refused:
            problem = refused
        else:
            self.position = max(self.position, result.position)
            outcome, fields = _effect(result.event)
            aggregate = result.aggregate
            # The names reveal which fields differed before.
            may_read = self.token.may(self.definition.entity_type.needs(Permission.FLEET_READ))
            named = fields if outcome == "new" or may_read else []
            return RowOutcome(
                key=row.key,
                id=aggregate.id,
                outcome=outcome,
                version=aggregate.version,
                fields=named,
                claimed={field: self._mark(value) for field, value in result.claimed.items()},
                duplicates=[
                    DuplicateValue(
                        field=field, message=duplicate_message(self.definition, field), record=record
                    )
                    for field, record in (await self.disclosure.duplicates(result)).items()
                ],
            )
        return _refused(row, problem)

    def _mark(self, value: bytes) -> str:
        """Return a text that is the same for equal values in this batch only."""
        return hashlib.blake2b(value, key=self.batch.bytes, digest_size=12).hexdigest()

    def _record_comparison(self, row: BatchRow, result: CommandResult) -> None:
        """Record that the outcome reveals whether personal data equals the row's values.

        If the row changed the record, the event itself records the user.
        """
        if self.dry_run and self.definition.references and result.event is not None:
            # A driver who may be assigned has a licence that lasts.
            driver = (details_after(result.aggregate, result.event) or {}).get("driver")
            if driver is not None and not self.disclosure.record_licence(driver):
                raise unavailable(NOT_RECORDED)
        if row.do not in ("save", "change") or isinstance(result.event, Registered):
            return
        if self.dry_run or result.event is None:
            compared = self.definition.personal.intersection(row.values)
            if not self.disclosure.record(result.aggregate.id, compared):
                raise unavailable(NOT_RECORDED)

    def _command(self, row: BatchRow) -> Awaitable[CommandResult]:
        definition, context = self.definition, self._context_of(row)
        entity_id = self._id_of(row)
        if row.do == "remove":
            return self.handler.remove(definition, entity_id, context)
        if row.do == "undo":
            context = context._replace(if_match=None)
            version = row.version or 0
            permit = undo_permission(definition, self.token)
            return self.handler.undo(definition, entity_id, version, set(), context, permit=permit)
        may_register = row.do == "save" and (row.id is None or definition.id_may_be_given)
        read = partial(self._read, row, entity_id)
        return self.handler.save(definition, entity_id, read, context, may_register=may_register)

    def _id_of(self, row: BatchRow) -> str:
        """Return the id of a row's record."""
        if row.id is not None:
            if not is_valid_id(row.id):
                raise validation_failed([ValidationError.at("id", message=INVALID_ID)])
            return row.id
        if row.do != "save":
            raise not_found()
        if self.definition.given_id_required is not None:
            read_new(self.definition, row.values)  # raises all errors, the missing id included
        if self.source is None:
            return self.definition.new_id()
        return self.definition.derived_id(f"{self.source} {row.key}")

    def _read(self, row: BatchRow, entity_id: str, before: dict[str, Any] | None) -> dict[str, Any]:
        """Return a record's new details; see `commands.handler.ReadDetails`."""
        definition = self.definition
        if before is not None:
            masked = is_masked(self.token)
            return read_patched(definition, before, row.values, path_id=entity_id, masked=masked)
        own_id = {"id": entity_id} if definition.id_may_be_given else {}
        try:
            return read_new(definition, {**merge_patched({}, row.values), **own_id})[1]
        except Problem as problem:
            raise InvalidDetails(problem.validation_errors) from None

    def _context_of(self, row: BatchRow) -> CommandContext:
        metadata = self.context.metadata
        path = f"{self.definition.entity_type.path}/batch/{self.batch}"
        body = [row.do, row.id, row.version, row.values, self.source]
        return self.context._replace(
            command_id=command_id(row.key, actor=metadata.actor.sub, path=path),
            metadata=metadata.model_copy(
                update={"fingerprint": fingerprint("BATCH", body), "batch": str(self.batch)}
            ),
            is_repeatable=True,
            if_match=None if row.version is None else IfMatch.one(row.version),
            is_dry_run=self.dry_run,
        )


def _effect(event: Event | None) -> tuple[_Outcome, list[str]]:
    """Return the outcome and the fields of a command's event."""
    match event:
        case Registered():
            return "new", list(event.details)
        case DetailsChanged():
            return "changed", list(event.changes)
        case Removed():
            return "removed", []
    return "unchanged", []


def _refused(row: BatchRow, problem: Problem) -> RowOutcome:
    outcomes: dict[int, _Outcome] = {412: "conflict", 503: "unconfirmed"}
    return RowOutcome(
        key=row.key,
        id=row.id,
        outcome=outcomes.get(problem.status, "refused"),
        version=problem.extensions.get("current_version"),
        detail=problem.detail,
        validation_errors=[FieldError(**asdict(error)) for error in problem.validation_errors],
        changed_since=problem.extensions.get("changed_since", []),
    )


PATH: Final = "/api/v1/batches"


@cache
def batch_routes(definition: Definition) -> APIRouter:
    """Build the route of one entity type."""
    router = direct_router(tags=[definition.entity_type.collection])

    entity, collection = definition.entity_type, definition.entity_type.collection
    may_write: Any = permitted(entity.needs(Permission.FLEET_WRITE))
    values = dict(list(definition.example.items())[:1])
    row = {"key": "2", "id": definition.example_id, "values": values}
    known = {"id": definition.example_id, "fields": list(values)}
    example = {"batch": "7e7f1f4a-8f3a-4a55-9c56-0d5c0a3f7a11", "dry_run": True, "rows": [row]}

    body = json_body(Batch, example)
    (media,) = body["content"].values()
    media["schema"]["$defs"]["BatchRow"]["properties"]["values"] |= ANY_MEMBERS

    # Below the records' path, `batches` could be a record's id.
    @command(
        router,
        "POST",
        f"{PATH}/{collection}",
        f"carry_out_{collection}",
        {200: answer_of(BatchAnswer, "The outcome of each row", POSITION, known)},
        body=body,
        parameters=[REASON],
    )
    async def execute(request: Request, token: may_write) -> Response:
        """Save, change, remove or undo many records.

        Each row is a command of its own, under the same rules: `save` registers a record or changes an
        existing one; `change` and `remove` need an existing one; `undo` reverts the change that created
        `version`, unless the same fields have been changed since. `values` is a merge patch (RFC 7396). With
        `version`, other rows are executed only if the record still has that version. Within a `batch` a
        repeated `key` is answered as the first time. If the server gives ids, a row without an id gets one
        derived from `source` and `key`, so that importing the same file again registers nothing twice. With
        `dry_run` nothing is changed: the answer has the outcome that each row would have.
        """
        given = read_details(Batch, await read_json_object(request))
        rows = [BatchRow(**row) for row in given.pop("rows")]
        if any(row.do == "remove" for row in rows):
            require(token, entity.needs(Permission.FLEET_REMOVE))
        if is_masked(token) and any(gives_personal_data(definition, row.values) for row in rows):
            require(token, Permission.PERSONAL_READ)
        log_id = await log_id_of(request)
        run = BatchRun(
            definition=definition,
            token=token,
            handler=handler_of(request),
            context=command_context(request, token.actor, None, log_id=log_id),
            log_id=log_id,
            disclosure=Disclosure(request, token, definition),
            **given,
        )
        outcomes = await run.execute(rows)
        response = Response(BatchAnswer(rows=outcomes).model_dump_json(), media_type="application/json")
        await set_position(request, response, LogPosition(log_id, run.position))
        return response

    return router
