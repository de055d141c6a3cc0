"""Derives the answers of users without `personal:read` from the unmasked ones.

A masked answer's entity tag is a digest of the masked body or ends in `-masked`, so that no cache confuses
masked and unmasked answers.
"""

import asyncio
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, Final, TypeVar

from pydantic_core import from_json

from ops.base.http.record_etags import RecordETag
from ops.base.permissions import Permission
from ops.base.records.entities import ENTITY_TYPES, EntityType, entity_type
from ops.base.records.json_values import json_bytes
from ops.base.records.masks import ERASED, MASKED, is_personal, masked_body, masked_record
from ops.base.sign_in import VerifiedToken, require
from query_api.http.representation import Content
from query_api.paging.view import ListView

RECORD_NAME: Final = "record_name"
"""The member with the record's name at that time."""

NAME_FIELDS: Final = {
    entity.name: field
    for entity in ENTITY_TYPES
    for field in [name for name in ("name", "identifier") if name in entity.schema["properties"]][:1]
}
"""The field with a record's name, by entity type; a type may have none."""
PERSONAL_NAMES: Final = {
    name: field for name, field in NAME_FIELDS.items() if is_personal(entity_type(name), field)
}
"""The same, of entity types whose name field is personal."""


def name_in(entity: str, record: bytes) -> str | None:
    """Return the name in a record's JSON, or None if it has none."""
    name = from_json(record).get(NAME_FIELDS.get(entity))
    return name if isinstance(name, str) else None


IN_THREAD_FROM_BYTES: Final = 32 * 1024
"""Parsing more JSON takes milliseconds, during which other requests should be served."""
_TAG_END: Final = '-masked"'

T = TypeVar("T")


def is_masked_for(token: VerifiedToken, *, restricted: bool = False) -> bool:
    """Return whether personal data is masked for a user.

    Args:
        restricted: whether the data is of a restricted record.
    """
    return Permission.PERSONAL_READ not in token.permissions or (restricted and not may_see_restricted(token))


def may_see_restricted(token: VerifiedToken) -> bool:
    """Return whether a user with `personal:read` may see restricted data."""
    return Permission.PRIVACY_RESTRICT in token.permissions


def require_visible(token: VerifiedToken, entity: EntityType, name: str) -> None:
    """Refuse sorting and filtering by a field that is masked for the user.

    Raises:
        Problem: 403.
    """
    if is_personal(entity, name):
        require(token, Permission.PERSONAL_READ)


def visible_view(token: VerifiedToken, entity: EntityType, view: ListView, *names: str) -> ListView:
    """Return a view, masked if necessary.

    Args:
        names: further fields that the answer reveals.

    Raises:
        Problem: 403, the view sorts or filters by a field that is masked for the user.
    """
    if not is_masked_for(token):
        return view
    for name in (view.sort, *names, *(name for name, _ in view.filters)):
        if name:
            require_visible(token, entity, name)
    return replace(view, masked=True)


async def apply_mask(mask: Callable[[bytes], T], body: bytes) -> T:
    """Apply a mask to a body, in a thread if the body is long."""
    return mask(body) if len(body) < IN_THREAD_FROM_BYTES else await asyncio.to_thread(mask, body)


def masked_tag(etag: str) -> str:
    """Return the entity tag of a list's masked form."""
    return etag[:-1] + _TAG_END


def unmasked_tags(etags: Iterable[str]) -> frozenset[str]:
    """Return the lists' own tags for those entity tags that belong to masked forms."""
    return frozenset(f'{etag.removesuffix(_TAG_END)}"' for etag in etags if etag.endswith(_TAG_END))


async def masked_single(entity: EntityType, content: Content) -> Content:
    """Return a record's answer without personal data."""
    tag, body = RecordETag.parse(content.etag), content.json
    if tag is None or body is None:
        raise AssertionError("a record's answer has a record's tag")
    masked = await apply_mask(lambda json: masked_body(entity, json), body)
    return replace(content, etag=str(RecordETag.of(tag.version, tag.log or "", masked)), json=masked)


def masked_list(entity: EntityType, body: bytes) -> bytes:
    """Return a list or page without personal data."""
    answer = json.loads(body)
    return json_bytes({**answer, "content": [masked_record(entity, item) for item in answer["content"]]})


def known_entity(name: str) -> EntityType | None:
    """Return the entity type that an event names, or None if this release does not know it."""
    try:
        return entity_type(name)
    except KeyError:
        return None


def masked_changes(
    entity: EntityType | None, changes: Iterable[dict[str, Any]], among: Iterable[str] = ()
) -> tuple[list[dict[str, Any]], list[str]]:
    """Return changes without personal values, and the names of the masked fields.

    Args:
        entity: the entity type, if known.
        changes: `{"field", "from", "to"}` of each changed field.
        among: fields that would be listed only if they had a value. Personal ones are always listed, because
            their absence would reveal that they had none.
    """
    by_field = {change["field"]: change for change in changes}
    shown, masked = list[dict[str, Any]](), list[str]()
    for name in {**dict.fromkeys(among), **by_field} if among else by_field:
        if is_personal(entity, name):
            masked.append(name)
            shown.append({"field": name, "from": None, "to": None})
        elif name in by_field:
            shown.append(by_field[name])
    return shown, masked


def masked_actor(actor: Mapping[str, Any] | None) -> tuple[dict[str, Any] | None, list[str]]:
    """Return an actor without the name, and the names of the masked fields."""
    return (None, []) if actor is None else ({**actor, "name": None}, ["actor.name"])


def masked_diff(entity: EntityType, diff: Mapping[str, Any], compared: Iterable[str]) -> dict[str, Any]:
    """Return a comparison without personal data.

    Args:
        compared: the compared fields: personal ones are listed whether they differ or not.
    """
    changes, masked = masked_changes(entity, diff["changes"], among=compared)
    return {**diff, "changes": changes, MASKED: masked}


def masked_blame(entity: EntityType, blame: Mapping[str, Any]) -> dict[str, Any]:
    """Return the authors of a record's fields without personal data."""
    fields = [
        {
            **field,
            "value": None if is_personal(entity, field["field"]) else field["value"],
            "actor": masked_actor(field["actor"])[0],
        }
        for field in blame["fields"]
    ]
    masked = [field["field"] for field in fields if is_personal(entity, field["field"])]
    return {**blame, "fields": fields, MASKED: [*masked, "actor.name"]}


def masked_access(access: Mapping[str, Any]) -> dict[str, Any]:
    """Return an entry of the access log without names and query parameters."""
    actor, masked = masked_actor(access["actor"])
    details = access["details"]
    if "filter" in details:
        details, masked = {**details, "filter": None}, [*masked, "details.filter"]
    shown = {name: value for name, value in access.items() if name != ERASED}
    return {**shown, "actor": actor, "details": details, MASKED: masked}


def masked_view(view: Mapping[str, Any]) -> dict[str, Any]:
    """Return a view of a record without the user's name and query parameters."""
    actor, masked = masked_actor(view["actor"])
    shown = {name: value for name, value in view.items() if name != ERASED}
    return {**shown, "actor": actor, "filter": None, MASKED: [*masked, "filter"]}
