"""Changes as revisions tell them, opened where they are sealed."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from psycopg import sql

from ops.base.json_values import json_bytes
from ops.base.masks import ERASED, is_personal
from projections.tables.revision_texts import Circumstances, RevisionTexts
from query_api.history.wire import actor_json, moment_text
from query_api.masking import known_entity
from query_api.opening import Boxed, opening

_COLUMNS: Final = """
    position, entity, entity_id, version, type, moment, actor_sub, actor_name, request_id, client_request_id,
    reason, convert_to(changes::text, 'UTF8') AS changes, personal,
"""
COLUMNS: Final = sql.SQL(_COLUMNS + "key_id, box")
"""What `changes_in` takes."""
MASKED_COLUMNS: Final = sql.SQL(_COLUMNS + "NULL::text, NULL::bytea")
"""The same for those who may not see personal data: nothing is opened for them."""
BYTES: Final = "read.json_bytes(changes) + coalesce(octet_length(box), 0)"
"""SQL of how long one is."""


@dataclass(frozen=True)
class Change:
    """One change, as its revision has it."""

    position: int
    entity: str
    entity_id: str
    version: int
    type: str
    moment: datetime
    actor_sub: str | None
    actor_name: str | None
    request_id: str | None
    client_request_id: str | None
    reason: str | None
    changes: bytes
    """JSON, as it was stored: many are passed on, and none of them needs to be read for that."""
    personal: list[str] | None
    """The changed fields that are personal; None where nobody can tell."""
    is_sealed: bool = False
    """Whether it was opened, or would have been if anybody had its key."""
    is_erased: bool = False
    """Whether nobody has its key any more: what was personal in it is null."""

    @property
    def fields(self) -> list[str]:
        """The names of the changed fields."""
        return [change["field"] for change in json.loads(self.changes)]

    @property
    def erased(self) -> list[str]:
        """How answers name what was erased."""
        if not self.is_erased:
            return []
        entity = known_entity(self.entity)
        fields = [name for name in self.fields if is_personal(entity, name)]
        own = [] if self.request_id else ["request_id"]
        return [*fields, "actor.name", *own, "client_request_id", "reason"]

    def told(self) -> dict[str, Any]:
        """Return what answers say of it beside its changes."""
        return {
            "position": self.position,
            "version": self.version,
            "type": self.type,
            "moment": moment_text(self.moment),
            "actor": actor_json(self.actor_sub, self.actor_name),
            "request_id": self.request_id,
            "client_request_id": self.client_request_id,
            "reason": self.reason,
        }

    def json(self, **more: Any) -> bytes:
        """Return it as an answer tells it: JSON.

        Args:
            more: members that it has besides.
        """
        return with_changes({**self.told(), **more}, self.changes, self.erased)


def with_changes(entry: dict[str, Any], changes: bytes, erased: Sequence[str] = ()) -> bytes:
    """Return an entry as JSON, with its changes as they were stored."""
    end = b',"%b":%b' % (ERASED.encode(), json_bytes(list(erased))) if erased else b""
    return b'%b,"changes":%b%b}' % (json_bytes(entry)[:-1], changes, end)


async def changes_in(
    rows: Sequence[tuple[Any, ...]], lets_through: Callable[[Change], bool] = lambda _: True
) -> list[Change]:
    """Return the changes of rows of `COLUMNS`.

    Args:
        rows: these.
        lets_through: is asked of those that are sealed, for only what is harmless in them could be looked at.

    Raises:
        KeysUnavailable: they cannot be opened now.
    """

    def made(texts: Sequence[RevisionTexts | None]) -> list[Change]:
        changes = [_change(row, text) for row, text in zip(rows, texts, strict=True)]
        return [change for change in changes if not change.is_sealed or lets_through(change)]

    return await opening([_boxed(row) for row in rows], made)


def _boxed(row: tuple[Any, ...]) -> Boxed:
    _, entity, entity_id, version, *_, key_id, box = row
    return Boxed(f"{entity}:{entity_id}", version, key_id, box)


def _change(row: tuple[Any, ...], texts: RevisionTexts | None) -> Change:
    change = Change(*row[:-2])
    if row[-2] is None:
        return change
    if texts is None:
        return replace(change, is_sealed=True, is_erased=True)
    said = Circumstances(*json.loads(texts.circumstances))
    return replace(change, is_sealed=True, changes=texts.changes, **said._asdict())
