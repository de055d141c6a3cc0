"""Changes as revisions store them: their columns, and their decryption."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from types import MappingProxyType
from typing import Any, Final

from psycopg import sql

from ops.base.encryption.actor_names import ActorNames, load_actor_names
from ops.base.http.request_context import is_own_request_id
from ops.base.records.json_values import json_bytes
from ops.base.records.masks import ERASED, MASKED, is_personal
from projections.tables.revision_texts import Circumstances, RevisionTexts
from query_api.history.wire import ACTOR_NAME, actor_json, moment_text, withheld_name
from query_api.masking.masking import (
    NAME_FIELDS,
    PERSONAL_NAMES,
    fields_of_event,
    known_entity,
    masked_changes,
    name_in,
)
from query_api.masking.withheld import withheld
from query_api.reading.opening import Boxed, opening

_COLUMNS: Final = """
    position, entity, entity_id, version, type, moment, actor_sub, actor_name, request_id, client_request_id,
    reason, convert_to(changes::text, 'UTF8') AS changes, personal,
    CASE WHEN type = entity || '.hold_set' THEN coalesce(public_event ->> 'until', '') END AS hold_until,
    (public_event ->> 'undoes')::int8 AS undoes, public_event ->> 'batch' AS batch,
"""
_WITHHELD: Final = f"{withheld('measured')} AS withheld"
_UNOPENED: Final = "NULL::text, NULL::bytea"
COLUMNS: Final = sql.SQL(f"{_COLUMNS} {_WITHHELD}, NULL, {_UNOPENED}, key_id, box")
"""What `changes.changes_in` takes."""

FORMER: Final = """
SELECT state AS former_state, key_id AS former_key_id, box AS former_box
FROM {table} AS former
WHERE revision.state IS NULL
  AND (former.entity, former.entity_id, former.version)
    = (revision.entity, revision.entity_id, revision.version - 1)
"""
"""SQL of the revision before one that ended a record, which tells what that was called."""
_NAME_FIELD: Final = " ".join(f"WHEN '{entity}' THEN '{field}'" for entity, field in NAME_FIELDS.items())
_PERSONAL_NAMES: Final = ", ".join(f"'{entity}'" for entity in PERSONAL_NAMES)
NAME: Final = f"""
CASE WHEN key_id IS NULL OR entity NOT IN ({_PERSONAL_NAMES})
  THEN coalesce(state, former_state) ->> CASE entity {_NAME_FIELD} END
END
"""
"""SQL of what the record was called, as far as that is not sealed; stands on `FORMER`."""
NAMED_COLUMNS: Final = sql.SQL(f"{_COLUMNS} {_WITHHELD}, {NAME}, former_key_id, former_box, key_id, box")
"""`COLUMNS` of changes that tell it."""
MASKED_COLUMNS: Final = sql.SQL(f"{_COLUMNS} NULL AS withheld, {NAME}, {_UNOPENED}, {_UNOPENED}")
"""The same for those who may not see personal data: nothing is opened for them."""
FIELDS: Final = """
SELECT change ->> 'field' FROM json_array_elements(changes) AS change
UNION ALL
SELECT name FROM json_array_elements_text(personal) AS name
WHERE key_id IS NOT NULL AND type = entity || '.registered'
"""
"""SQL of which fields one has set; of a registration that is sealed it may be fewer of the personal ones."""
BYTES: Final = "read.json_bytes(changes) + coalesce(octet_length(box), 0)"
"""SQL of how long one is."""
NAMED_BYTES: Final = f"{BYTES} + coalesce(octet_length(former_box), 0)"
"""The same of `NAMED_COLUMNS`."""


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
    hold_until: str | None = None
    """Of a legal hold, its last day; empty: it was ended. None: it is none."""
    undoes: int | None = None
    """The version whose change it takes back; None: it is a change like any other."""
    batch: str | None = None
    """The run that it came about in together with others; None: it came alone."""
    withheld: str | None = None
    """The member that names what is null for it must not be shown, or cannot; None: there is none."""
    clear_name: str | None = None
    """What the record was called, as far as that stands in the clear."""
    record: bytes | None = None
    """As it was, or before it was removed, where its name is sealed; None: it is not, or nobody knows."""
    unnamed: str | None = None
    """The same where that is only what who did it is called."""

    @property
    def fields(self) -> list[str]:
        """The names of the changed fields."""
        return [change["field"] for change in json.loads(self.changes)]

    @property
    def record_name(self) -> str | None:
        """What the record was called then; None: nothing, or nobody can tell."""
        return self.clear_name if self.record is None else name_in(self.entity, self.record)

    @property
    def hidden(self) -> list[str]:
        """How answers name what is withheld."""
        if self.withheld is None:
            return []
        entity = known_entity(self.entity)
        fields = [name for name in self.fields if is_personal(entity, name)]
        own = [] if self.request_id else ["request_id"]
        return [*fields, ACTOR_NAME, *own, "client_request_id", "reason"]

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
            **({} if self.hold_until is None else {"hold_until": self.hold_until or None}),
            **({} if self.undoes is None else {"undoes": self.undoes}),
            **({} if self.batch is None else {"batch": self.batch}),
        }

    def json(self, personal: Sequence[str] = (), **more: Any) -> bytes:
        """Return it as an answer tells it: JSON.

        Args:
            personal: which of the members that it has besides are withheld where all that is personal is.
            more: members that it has besides.
        """
        hidden = withheld_name(self.unnamed)
        if self.withheld is not None:
            hidden = {self.withheld: [*self.hidden, *personal]}
        return with_changes({**self.told(), **more}, self.changes, hidden)


def with_changes(
    entry: dict[str, Any], changes: bytes, hidden: Mapping[str, Sequence[str]] = MappingProxyType({})
) -> bytes:
    """Return an entry as JSON, with its changes as they were stored, and what is not shown of it."""
    end = b"," + json_bytes(dict(hidden))[1:-1] if hidden else b""
    return b'%b,"changes":%b%b}' % (json_bytes(entry)[:-1], changes, end)


async def changes_in(
    rows: Sequence[tuple[Any, ...]],
    lets_through: Callable[[Change], bool] = lambda _: True,
    *,
    restricted: bool = False,
    names: bool | None = None,
) -> list[Change]:
    """Return the changes of rows of `columns.COLUMNS`.

    Args:
        rows: these.
        lets_through: is asked of those that are sealed or withheld, for only what is harmless in them could
            be looked at, or more than that.
        restricted: whether what is restricted is shown.
        names: whether names of people are that are restricted; None: as all else.

    Raises:
        KeysUnavailable: they cannot be opened now.
    """

    found = [Change(*row[:-4]) for row in rows]
    if restricted:
        found = [replace(one, withheld=None) if one.withheld == MASKED else one for one in found]
    called = await load_actor_names(
        ((one.actor_sub, one.moment) for one in found if one.withheld is None),
        restricted=restricted if names is None else names,
    )
    boxes = [_boxed(one, one.version, *row[-2:]) for one, row in zip(found, rows, strict=True)]
    formers = [_boxed(one, one.version - 1, *row[-4:-2]) for one, row in zip(found, rows, strict=True)]

    def made(texts: Sequence[RevisionTexts | None]) -> list[Change]:
        changes = []
        each = zip(found, texts[: len(found)], texts[len(found) :], boxes, strict=True)
        for one, text, former, boxed in each:
            change = _named(_opened(one, text, former, boxed), called)
            if (boxed.key_id is None and change.withheld is None) or lets_through(change):
                changes.append(change)
        return changes

    return await opening([*boxes, *formers], made)


def is_restricted(row: tuple[Any, ...]) -> bool:
    """Tell whether a row of `columns.COLUMNS` is of a stream that is restricted."""
    return bool(row[-6] == MASKED)


def _boxed(change: Change, version: int, key_id: str | None, box: bytes | None) -> Boxed:
    return Boxed(f"{change.entity}:{change.entity_id}", version, None if change.withheld else key_id, box)


def _opened(
    change: Change, texts: RevisionTexts | None, former: RevisionTexts | None, boxed: Boxed
) -> Change:
    if change.withheld is not None:
        return without_personal_values(change)
    if boxed.key_id is None and former is None:
        return change
    record = (texts and texts.state) or (former and former.state)
    named = replace(change, record=record) if change.entity in PERSONAL_NAMES else change
    if boxed.key_id is None:
        return named
    if texts is None:
        return without_personal_values(replace(change, withheld=ERASED))
    said = Circumstances(*json.loads(texts.circumstances))
    return replace(named, changes=texts.changes, **said._asdict())


def _named(change: Change, names: ActorNames) -> Change:
    if change.withheld is not None:
        return change
    called = names.of(change.actor_sub, change.moment, change.actor_name)
    return replace(change, actor_name=called.name, unnamed=called.masked_as)


def without_personal_values(change: Change) -> Change:
    """Return a change with null for all that is personal in it, or may be, also where it was empty."""
    entity = known_entity(change.entity)
    fields = fields_of_event(entity, change.type)
    changes, hidden = masked_changes(entity, json.loads(change.changes), among=fields)
    return replace(
        change,
        actor_name=None,
        request_id=change.request_id if is_own_request_id(change.request_id) else None,
        client_request_id=None,
        reason=None,
        changes=json_bytes(changes),
        personal=hidden,
        clear_name=None if change.entity in PERSONAL_NAMES else change.clear_name,
        record=None,
    )
