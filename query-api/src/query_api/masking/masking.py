"""Answers for those who may not see personal data, made of what everybody else gets.

Their entity tags are made of what they show, or say that they are masked: a cache that knows the one answer
never takes it for the other.
"""

import asyncio
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, Final, TypeVar

from pydantic_core import from_json

from ops.base.http.record_etags import RecordETag
from ops.base.http.request_context import is_own_request_id
from ops.base.permissions import Permission
from ops.base.records.entities import ENTITY_TYPES, EntityType, entity_type
from ops.base.records.json_values import json_bytes
from ops.base.records.masks import ERASED, MASKED, is_personal, masked_body, masked_record
from ops.base.sign_in import VerifiedToken, require
from query_api.http.representation import Content
from query_api.paging.view import View

RECORD_NAME: Final = "record_name"
"""The member of answers that says what a record was called."""

_NAMING: Final = ("name", "identifier")


def _naming_field(entity: EntityType) -> str | None:
    return next((name for name in _NAMING if name in entity.schema["properties"]), None)


NAME_FIELDS: Final = {entity.name: field for entity in ENTITY_TYPES if (field := _naming_field(entity))}
"""By entity types, the field that people call a record by; some may have none."""
PERSONAL_NAMES: Final = {
    entity.name: field
    for entity in ENTITY_TYPES
    if (field := NAME_FIELDS.get(entity.name)) and is_personal(entity, field)
}
"""The same of those where it is personal."""


def name_in(entity: str, record: bytes) -> str | None:
    """Return what a record is called; None: nothing.

    Args:
        entity: the name of its type.
        record: as JSON.
    """
    name = from_json(record).get(NAME_FIELDS.get(entity))
    return name if isinstance(name, str) else None


ASIDE_FROM_BYTES: Final = 32 * 1024
"""Taking more JSON apart takes milliseconds, which other requests need not wait for."""
_TAG_END: Final = '-masked"'

T = TypeVar("T")


def sees_masked(token: VerifiedToken, *, restricted: bool = False) -> bool:
    """Tell whether personal data is masked for somebody.

    Args:
        token: whose.
        restricted: whether it is of a record that is restricted.
    """
    return Permission.PERSONAL_READ not in token.permissions or (restricted and not sees_restricted(token))


def sees_restricted(token: VerifiedToken) -> bool:
    """Tell whether what is restricted is shown to somebody who may see personal data."""
    return Permission.PRIVACY_RESTRICT in token.permissions


def require_shown(token: VerifiedToken, entity: EntityType, name: str) -> None:
    """Refuse whoever wants to sort or filter by what is masked for them.

    Raises:
        Problem: 403.
    """
    if is_personal(entity, name):
        require(token, Permission.PERSONAL_READ)


def shown_view(token: VerifiedToken, entity: EntityType, view: View, *names: str) -> View:
    """Return a view as somebody gets it, who must not sort or filter by what is masked for them.

    Args:
        token: whose.
        entity: of which list.
        view: what they ask for.
        names: of fields that they ask for besides.

    Raises:
        Problem: 403.
    """
    if not sees_masked(token):
        return view
    for name in (view.sort, *names, *(name for name, _ in view.filters)):
        if name:
            require_shown(token, entity, name)
    return replace(view, masked=True)


async def aside(mask: Callable[[bytes], T], body: bytes) -> T:
    """Return what a mask makes of a body, beside other requests if that takes long."""
    return mask(body) if len(body) < ASIDE_FROM_BYTES else await asyncio.to_thread(mask, body)


def masked_tag(etag: str) -> str:
    """Return the entity tag of the masked form of a list, whose own says how far it tells."""
    return etag[:-1] + _TAG_END


def unmasked_tags(etags: Iterable[str]) -> frozenset[str]:
    """Return the tags of the lists of which clients have the masked form."""
    return frozenset(f'{etag.removesuffix(_TAG_END)}"' for etag in etags if etag.endswith(_TAG_END))


async def masked_single(entity: EntityType, content: Content) -> Content:
    """Return the answer that shows a record, without personal data."""
    tag, body = RecordETag.parse(content.etag), content.json
    if tag is None or body is None:
        raise AssertionError("a record's answer has a record's tag")
    shown = await aside(lambda json: masked_body(entity, json), body)
    return replace(content, etag=str(RecordETag.of(tag.version, tag.log or "", shown)), json=shown)


def masked_list(entity: EntityType, body: bytes) -> bytes:
    """Return a list, or a page of one, without personal data."""
    answer = json.loads(body)
    return json_bytes({**answer, "content": [masked_record(entity, item) for item in answer["content"]]})


def known_entity(name: str) -> EntityType | None:
    """Return the entity type of a name that an event has; None: there is no such type."""
    try:
        return entity_type(name)
    except KeyError:
        return None


def masked_changes(
    entity: EntityType | None, changes: Iterable[dict[str, Any]], among: Iterable[str] = ()
) -> tuple[list[dict[str, Any]], list[str]]:
    """Return changes of fields without personal values, and the names of those that are masked.

    Args:
        entity: whose; None: of a type that is not known.
        changes: `{"field", "from", "to"}` of each.
        among: the fields of which some are only told where there is a value: of personal ones nobody is told
            whether there is.
    """
    told = {change["field"]: change for change in changes}
    names = [name for name in dict.fromkeys((*among, *told)) if name in told or is_personal(entity, name)]
    hidden = [name for name in names if is_personal(entity, name)]
    blank = {"from": None, "to": None}
    return [{"field": name, **blank} if name in hidden else told[name] for name in names], hidden


def fields_of_event(entity: EntityType | None, kind: str) -> Iterable[str]:
    """Return the fields that an event of a kind sets, also those that it leaves empty and does not name."""
    return () if entity is None or kind != f"{entity.name}.registered" else entity.schema["properties"]


def masked_event(entity: EntityType | None, event: Mapping[str, Any]) -> dict[str, Any]:
    """Return an entry of a history or of the audit trail without personal data.

    Args:
        entity: what it is about; None: that is not known.
        event: the entry.
    """
    changes, hidden = masked_changes(
        entity, event["changes"], among=fields_of_event(entity, str(event["type"]))
    )
    actor, hidden_name = masked_actor(event["actor"])
    own = is_own_request_id(event["request_id"])
    names = [RECORD_NAME] if event.get("entity") in PERSONAL_NAMES else []
    return {
        **{name: value for name, value in event.items() if name != ERASED},
        **dict.fromkeys(names),
        "actor": actor,
        "request_id": event["request_id"] if own else None,
        "client_request_id": None,
        "reason": None,
        "changes": changes,
        MASKED: [
            *hidden,
            *names,
            *hidden_name,
            *([] if own else ["request_id"]),
            "client_request_id",
            "reason",
        ],
    }


def masked_actor(actor: Mapping[str, Any] | None) -> tuple[dict[str, Any] | None, list[str]]:
    """Return who did something, without their name, and how `masked` names what is left out."""
    return (None, []) if actor is None else ({**actor, "name": None}, ["actor.name"])


def masked_history(entity: EntityType, body: bytes) -> bytes:
    """Return a part of a history without personal data."""
    part = json.loads(body)
    return json_bytes({**part, "content": [masked_event(entity, event) for event in part["content"]]})


def masked_diff(entity: EntityType, told: Mapping[str, Any], compared: Iterable[str]) -> dict[str, Any]:
    """Return what differs between two versions without personal data.

    Args:
        entity: what was compared.
        told: the answer.
        compared: the fields that were compared: personal ones are named whether they differ or not.
    """
    shown, hidden = masked_changes(entity, told["changes"], among=compared)
    return {**told, "changes": shown, MASKED: hidden}


def masked_blame(entity: EntityType, told: Mapping[str, Any]) -> dict[str, Any]:
    """Return who last set each field without personal data."""
    shown = [
        {
            **field,
            "value": None if is_personal(entity, field["field"]) else field["value"],
            "actor": masked_actor(field["actor"])[0],
        }
        for field in told["fields"]
    ]
    hidden = [field["field"] for field in shown if is_personal(entity, field["field"])]
    return {**told, "fields": shown, MASKED: [*hidden, "actor.name"]}


def masked_access(access: Mapping[str, Any]) -> dict[str, Any]:
    """Return an entry of the access log without names, and without what was looked for."""
    actor, hidden = masked_actor(access["actor"])
    details = access["details"]
    if "filter" in details:
        details, hidden = {**details, "filter": None}, [*hidden, "details.filter"]
    told = {name: value for name, value in access.items() if name != ERASED}
    return {**told, "actor": actor, "details": details, MASKED: hidden}
