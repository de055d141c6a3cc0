"""Reading how it stands: what revisions say of restrictions, and what workers say of erasures."""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

from ops.base.encryption.actor_names import ActorNames, load_actor_names
from ops.base.records.entities import EntityType
from ops.base.records.masks import ERASED, is_personal
from projections.tables.revision_texts import RevisionTexts
from query_api.history.wire import actor_json, moment_text
from query_api.privacy import statements
from query_api.reading.opening import Boxed, opening
from query_api.reading.source import Source, fetch


class Receipt(NamedTuple):
    """What says that a record was erased, and where."""

    version: int
    """The record's, with which it was erased."""
    text: str
    """JSON."""


class _Request(NamedTuple):
    """What was asked for; the fields are the columns of its statement."""

    entity: str
    entity_id: str
    version: int
    moment: datetime
    actor_sub: str | None
    key_id: str | None
    box: bytes | None
    actor_name: str | None
    basis: str | None
    due: str | None
    hold_until: str | None
    ended_by: str | None
    ended_version: int | None
    ended_at: datetime | None
    ended_sub: str | None
    receipt: bool
    withheld: str | None

    @property
    def boxed(self) -> Boxed:
        key_id = None if self.withheld == ERASED else self.key_id
        return Boxed(f"{self.entity}:{self.entity_id}", self.version, key_id, self.box)

    def told(self, texts: RevisionTexts | None, names: ActorNames | None) -> dict[str, Any]:
        """Return it as answers tell it.

        Args:
            texts: of the event that asked for it.
            names: what people are called; None: whoever is asking is not told.
        """
        name = json.loads(texts.circumstances)[0] if texts else self.actor_name
        if names is None or self.withheld == ERASED:
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


_NOTHING_ASKED: Final[dict[str, Any]] = {
    "state": "active",
    **dict.fromkeys(
        ("basis", "due", "hold_until", "asked_at", "asked_by", "erased_at", "erased_by"),
    ),
    "receipt": False,
}


async def all_requests(source: Source, *, names: bool) -> list[dict[str, Any]]:
    """Return what was asked for and not withdrawn: what is open first, by due dates, then the latest.

    Args:
        names: whether whoever is asking is told what people are called.

    Raises:
        KeysUnavailable: their names cannot be had now.
    """
    found = [_Request._make(row) for row in await fetch(source, statements.ALL, prepare=False)]
    return [
        {"entity": one.entity, "id": one.entity_id, "version": one.ended_version, **told}
        for one, told in zip(found, await _told(found, names=names), strict=True)
    ]


async def standing_of(
    source: Source, entity: EntityType, entity_id: str, *, names: bool
) -> dict[str, Any] | None:
    """Return how it stands with a record's newest life; None: the id was never used.

    Args:
        entity: the record's type.
        entity_id: its id.
        names: as for `all`.

    Raises:
        KeysUnavailable: what is sealed cannot be opened now.
    """
    asked = {"entity": entity.name, "id": entity_id}
    latest = await fetch(source, statements.LATEST, asked)
    if not latest:
        return None
    ((version, key_id, box, state, reason, events, in_the_clear),) = latest
    told = await requested_of(source, entity, entity_id, names=names, since=version)
    fields: list[str] = []
    if reason != ERASED:
        boxed = Boxed(f"{entity.name}:{entity_id}", version, key_id, box)
        fields = await opening([boxed], lambda texts: _with_values(entity, texts[0], state))
    return {
        "id": entity_id,
        "entity": entity.name,
        **told,
        "events": events,
        "in_the_clear": in_the_clear,
        "fields": fields,
    }


async def requested_of(
    source: Source, entity: EntityType, entity_id: str, *, names: bool, since: int = 0
) -> dict[str, Any]:
    """Return what was asked for of a stream at last.

    Args:
        entity: of which type.
        entity_id: its id.
        names: as for `all`.
        since: the version since which it counts, if it has ended.

    Raises:
        KeysUnavailable: what is sealed cannot be opened now.
    """
    of_stream = {"entity": entity.name, "id": entity_id}
    requests = [_Request._make(row) for row in await fetch(source, statements.OF_STREAM, of_stream)]
    that_count = [one for one in requests if one.ended_version is None or one.ended_version >= since]
    told = await _told(that_count, names=names)
    return told[0] if told else _NOTHING_ASKED


async def receipt_of(
    source: Source, entity: EntityType, entity_id: str, version: int | None
) -> Receipt | None:
    """Return the receipt of an erasure; None: there is none, or not yet.

    Args:
        entity: the record's type.
        entity_id: its id.
        version: with which it was erased; None: the last time.
    """
    asked = {"entity": entity.name, "id": entity_id, "version": version}
    rows = await fetch(source, statements.RECEIPT, asked)
    return Receipt(*rows[0]) if rows and rows[0][1] is not None else None


def names_somebody(standing: dict[str, Any]) -> bool:
    """Return whether a request is shown with the name of the person who made it."""
    by = standing["asked_by"]
    return by is not None and by["name"] is not None


def is_over(standing: dict[str, Any]) -> bool:
    """Tell whether somebody was erased, so that nobody can tell what was personal."""
    return standing["state"] in {"erasing", "erased"}


async def _told(requests: Sequence[_Request], *, names: bool) -> list[dict[str, Any]]:
    if not names:
        return [one.told(None, None) for one in requests]
    called = await load_actor_names(((one.actor_sub, one.moment) for one in requests), restricted=True)
    return await opening(
        [one.boxed for one in requests],
        lambda texts: [one.told(text, called) for one, text in zip(requests, texts, strict=True)],
    )


def _with_values(entity: EntityType, texts: RevisionTexts | None, state: bytes | None) -> list[str]:
    """Return which personal fields of a record have values."""
    text = texts.state if texts else state
    record: dict[str, Any] = json.loads(text) if text else {}
    return [name for name, value in record.items() if value is not None and is_personal(entity, name)]
