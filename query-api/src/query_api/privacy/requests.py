"""Privacy requests: restrictions and erasures, read from the revisions and the erasures' receipts."""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

from ops.base.encryption.actors import ActorNames, load_actor_names
from ops.base.records.entities import EntityType
from ops.base.records.masks import ERASED, is_personal
from query_api.database.decryption import EncryptedRevision, decrypt_revisions
from query_api.database.source import Source, fetch
from query_api.history.wire import actor_json, moment_text
from query_api.privacy import statements
from read_model.tables.revision_texts import RevisionTexts


class _Request(NamedTuple):
    """A request; the fields are the columns of its statement."""

    entity: str
    entity_id: str
    version: int
    moment: datetime
    actor_sub: str | None
    key_id: str | None
    ciphertext: bytes | None
    actor_name: str | None
    basis: str | None
    due: str | None
    hold_until: str | None
    ended_by: str | None
    ended_version: int | None
    ended_at: datetime | None
    ended_sub: str | None
    receipt: bool
    masked_as: str | None

    @property
    def revision(self) -> EncryptedRevision:
        key_id = None if self.masked_as == ERASED else self.key_id
        return EncryptedRevision(f"{self.entity}:{self.entity_id}", self.version, key_id, self.ciphertext)

    def json(self, texts: RevisionTexts | None, names: ActorNames | None) -> dict[str, Any]:
        """Return the request's JSON.

        Args:
            names: names of users; None: the requester's name is left out.
        """
        name = json.loads(texts.circumstances)[0] if texts else self.actor_name
        if names is None or self.masked_as == ERASED:
            name = None
        else:
            name = names.of(self.actor_sub, self.moment, name).name
        return {
            "state": "restricted" if self.ended_by is None else "erased" if self.receipt else "erasing",
            "basis": self.basis,
            "due": self.due,
            "hold_until": self.hold_until,
            "asked_at": moment_text(self.moment),
            "asked_by": actor_json(self.actor_sub, name),
            "erased_at": moment_text(self.ended_at) if self.ended_at else None,
            "erased_by": actor_json(self.ended_sub, None),
            "receipt": self.receipt,
        }


_NO_REQUEST: Final[dict[str, Any]] = {
    "state": "active",
    **dict.fromkeys(
        ("basis", "due", "hold_until", "asked_at", "asked_by", "erased_at", "erased_by"),
    ),
    "receipt": False,
}


async def all_requests(source: Source, *, names: bool) -> list[dict[str, Any]]:
    """Return all requests that were not withdrawn: open ones first, by due date, then the latest."""
    found = [_Request._make(row) for row in await fetch(source, statements.ALL, prepare=False)]
    return [
        {"entity": one.entity, "id": one.entity_id, "version": one.ended_version, **request}
        for one, request in zip(found, await _json(found, names=names), strict=True)
    ]


async def privacy_status(
    entity: EntityType, source: Source, entity_id: str, *, names: bool
) -> dict[str, Any] | None:
    """Return the privacy status of a record's newest registration, or None if the id was never used."""
    latest = await fetch(source, statements.LATEST, {"entity": entity.name, "id": entity_id})
    if not latest:
        return None
    ((version, key_id, ciphertext, state, masked_as, events, unencrypted),) = latest
    request = await last_request(source, entity, entity_id, names=names, since=version)
    fields: list[str] = []
    if masked_as != ERASED:
        revision = EncryptedRevision(f"{entity.name}:{entity_id}", version, key_id, ciphertext)
        fields = await decrypt_revisions([revision], lambda texts: _with_values(entity, texts[0], state))
    return {
        "id": entity_id,
        "entity": entity.name,
        **request,
        "events": events,
        "in_the_clear": unencrypted,
        "fields": fields,
    }


async def last_request(
    source: Source, entity: EntityType, entity_id: str, *, names: bool, since: int = 0
) -> dict[str, Any]:
    """Return the last request about a stream.

    Args:
        since: the version before which a finished request belongs to an earlier registration.
    """
    rows = await fetch(source, statements.OF_STREAM, {"entity": entity.name, "id": entity_id})
    requests = map(_Request._make, rows)
    current = [one for one in requests if one.ended_version is None or one.ended_version >= since]
    found = await _json(current, names=names)
    return found[0] if found else _NO_REQUEST


async def receipt_of(
    source: Source, entity: EntityType, entity_id: str, version: int | None
) -> tuple[int, str] | None:
    """Return an erasure's version and its receipt as JSON, or None if it has not been issued.

    Args:
        version: version of the erasure; None: the last erasure.
    """
    parameters = {"entity": entity.name, "id": entity_id, "version": version}
    rows = await fetch(source, statements.RECEIPT, parameters)
    return rows[0] if rows and rows[0][1] is not None else None


def names_requester(status: dict[str, Any]) -> bool:
    """Return whether a request is shown with the name of the user who made it."""
    by = status["asked_by"]
    return by is not None and by["name"] is not None


def is_erased(status: dict[str, Any]) -> bool:
    """Return whether a privacy status is of an erased record or user."""
    return status["state"] in {"erasing", "erased"}


async def _json(requests: Sequence[_Request], *, names: bool) -> list[dict[str, Any]]:
    if not names:
        return [one.json(None, None) for one in requests]
    actor_names = await load_actor_names(((one.actor_sub, one.moment) for one in requests), restricted=True)
    return await decrypt_revisions(
        [one.revision for one in requests],
        lambda texts: [one.json(text, actor_names) for one, text in zip(requests, texts, strict=True)],
    )


def _with_values(entity: EntityType, texts: RevisionTexts | None, state: bytes | None) -> list[str]:
    """Return which personal fields of a record have values."""
    text = texts.state if texts else state
    record: dict[str, Any] = json.loads(text) if text else {}
    return [name for name, value in record.items() if value is not None and is_personal(entity, name)]
