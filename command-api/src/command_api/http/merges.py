"""The command that merges two records of the same type."""

from functools import cache
from typing import Annotated, Any

from fastapi import APIRouter, Request
from pydantic import Field
from starlette.responses import Response

from command_api.domain.definition import Definition, Details
from command_api.domain.rules import VersionNumber
from command_api.http.openapi import ANY_MEMBERS, NO_BODY, command, json_body, record_answer
from command_api.http.requests import (
    command_context,
    gives_personal_data,
    is_valid_id,
    read_details,
    read_json_object,
    read_patched,
)
from command_api.http.responses import answer_record, handler_of, is_masked, log_id_of, not_found
from ops.base.http.direct_routes import direct_router
from ops.base.http.openapi import EntityId
from ops.base.http.problems import ValidationError, validation_failed
from ops.base.permissions import Permission
from ops.base.records.entities import ID_PATTERN
from ops.base.sign_in import permitted, require


class MergeBody(Details):
    """The record to merge into another one, and the changes of that one."""

    from_: str = Field(
        alias="from", description="Id of the record to remove", json_schema_extra={"pattern": ID_PATTERN}
    )
    version: Annotated[int, VersionNumber()] = Field(description="Version of that record")
    values: dict[str, Any] = Field({}, description="Merge patch (RFC 7396) of the record that remains")


@cache
def merge_routes(definition: Definition) -> APIRouter:
    """Build the route of one entity type."""
    router = direct_router(tags=[definition.entity_type.collection])
    needed = definition.entity_type.needs
    may_merge: Any = permitted(needed(Permission.FLEET_WRITE), needed(Permission.FLEET_REMOVE))
    body = json_body(MergeBody, {"from": f"{definition.example_id}2", "version": 3, "values": {}})
    (media,) = body["content"].values()
    media["schema"]["properties"]["values"] |= ANY_MEMBERS

    @command(
        *(router, "POST", f"{definition.entity_type.path}/{{entity_id}}/merges", f"merge_{definition.name}"),
        {200: record_answer(definition, "Merged"), **NO_BODY},
        body=body,
    )
    async def merge(entity_id: EntityId, request: Request, token: may_merge) -> Response:
        """Merge another record into this one.

        The other record is removed: its address redirects to this one, and its history stays readable.
        `values` are set in this record at the same time, such as those of the other. Both changes take effect
        together, or neither. 412 has the member `record` if the other record no longer has `version`. An
        `undo` of the change of either record reverts both.
        """
        given = await read_json_object(request)
        if not is_valid_id(entity_id):
            raise not_found()
        other_id, version, values = read_details(MergeBody, given).values()
        if other_id == entity_id or not is_valid_id(other_id):
            raise validation_failed([ValidationError.at("from", message="Give the id of another record")])
        masked = is_masked(token)
        if masked and gives_personal_data(definition, values):
            require(token, Permission.PERSONAL_READ)

        def read(before: dict[str, Any] | None) -> dict[str, Any]:
            return read_patched(definition, before or {}, values, path_id=entity_id, masked=masked)

        context = command_context(request, token.actor, given, log_id=await log_id_of(request))
        result = handler_of(request).merge(definition, entity_id, (other_id, version), read, context)
        return await answer_record(request, definition, result, token, sent=values)

    return router
