"""Changes: their columns in the revisions, and their decryption."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, Self

from psycopg import sql
from pydantic_core import from_json

from ops.base.encryption.actors import load_actor_names
from ops.base.http.request_context import is_own_request_id
from ops.base.records.json_values import json_bytes
from ops.base.records.masks import ERASED, MASKED, is_personal
from query_api.database.decryption import EncryptedRevision, decrypt_revisions
from query_api.history.wire import ACTOR_NAME, actor_json, moment_text, name_redaction
from query_api.masking.masks import (
    NAME_FIELDS,
    PERSONAL_NAMES,
    known_entity,
    masked_changes,
    name_in,
)
from query_api.masking.restrictions import masked_as
from read_model.tables.revision_texts import Circumstances, RevisionTexts

_COLUMNS: Final = """
    position, entity, entity_id, version, type, moment, actor_sub, coalesce(actor_is_program, false),
    request_id, convert_to(changes::text, 'UTF8') AS changes,
    convert_to(public_event::text, 'UTF8') AS public_event
"""
_MASKABLE: Final = f"actor_name, client_request_id, reason, personal, {masked_as('measured')} AS masked_as"
_NO_CIPHERTEXT: Final = "NULL::text, NULL::bytea"
COLUMNS: Final = sql.SQL(f"{_COLUMNS}, {_MASKABLE}, NULL, {_NO_CIPHERTEXT}, key_id, ciphertext")
"""The columns that `load_changes` takes, without the record's name."""

FORMER: Final = """
SELECT state AS former_state, key_id AS former_key_id, ciphertext AS former_ciphertext
FROM {table} AS former
WHERE revision.state IS NULL
  AND (former.entity, former.entity_id, former.version)
    = (revision.entity, revision.entity_id, revision.version - 1)
LIMIT 1
"""
"""SQL of the revision before a removal, which has the record's last name.

The limit keeps the planner from reading the former revisions of all other changes, too.
"""
_NAME_FIELD: Final = " ".join(f"WHEN '{entity}' THEN '{field}'" for entity, field in NAME_FIELDS.items())
_PERSONAL_NAMES: Final = ", ".join(f"'{entity}'" for entity in PERSONAL_NAMES)
NAME: Final = f"""
CASE WHEN key_id IS NULL OR entity NOT IN ({_PERSONAL_NAMES})
  THEN coalesce(state, former_state) ->> CASE entity {_NAME_FIELD} END
END
"""
"""SQL of the record's name, null if it is encrypted; needs `FORMER`."""
NAMED_COLUMNS: Final = sql.SQL(
    f"{_COLUMNS}, {_MASKABLE}, {NAME}, former_key_id, former_ciphertext, key_id, ciphertext"
)
"""`COLUMNS` with the record's name."""
MASKED_COLUMNS: Final = sql.SQL(
    f"{_COLUMNS}, NULL, NULL, NULL, NULL, NULL, {NAME}, {_NO_CIPHERTEXT}, {_NO_CIPHERTEXT}"
)
"""`NAMED_COLUMNS` for users without `personal:read`: nothing is decrypted."""
FIELDS: Final = """
SELECT change ->> 'field' FROM json_array_elements(changes) AS change
UNION ALL
SELECT name FROM json_array_elements_text(personal) AS name
WHERE key_id IS NOT NULL AND type = entity || '.registered'
"""
"""SQL of the fields that a change has set; an encrypted registration may have set fewer personal ones."""
BYTES: Final = "read.json_bytes(changes) + coalesce(octet_length(ciphertext), 0)"
"""SQL of the size of `COLUMNS`."""
NAMED_BYTES: Final = f"{BYTES} + coalesce(octet_length(former_ciphertext), 0)"
"""SQL of the size of `NAMED_COLUMNS`."""


_DETAILS: Final = {
    "undoes": ("undoes",),
    "batch": ("batch",),
    "document": ("document", "until"),
    "source": ("source",),
    "into": ("into",),
    "dismissed": ("other", "dismissed"),
}
"""Members of public events that only some types have, by the member that always has a value."""
_HAS_DETAILS: Final = re.compile(rf'"(?:{"|".join(_DETAILS)})"\s*:'.encode())


@dataclass(slots=True)
class RecordedChange:
    """A change of a record; the fields are columns of its revision."""

    position: int
    entity: str
    entity_id: str
    version: int
    type: str
    moment: datetime
    actor_sub: str | None
    actor_is_program: bool
    request_id: str | None
    changes: bytes
    """Stored JSON, passed on without parsing."""
    details: dict[str, Any]
    """JSON members that only some types of changes have; see `_details`."""
    actor_name: str | None = None
    client_request_id: str | None = None
    reason: str | None = None
    personal: list[str] | None = None
    """The changed fields that are personal data; None if unknown."""
    masked_as: str | None = None
    """The JSON member that lists masked fields, if personal data is masked."""
    unencrypted_name: str | None = None
    """The record's name, if it is not encrypted."""
    record: bytes | None = None
    """The decrypted record, or the one before a removal, if its name is encrypted."""
    actor_masked_as: str | None = None
    """The JSON member that lists the actor's name, if only that is masked."""
    _parsed: tuple[bytes, list[dict[str, Any]]] | None = field(default=None, init=False, compare=False)
    """`changes`, and the value."""
    _moment_text: str | None = field(default=None, init=False, compare=False)

    @classmethod
    def of_row(cls, row: Sequence[Any]) -> Self:
        """Create it from a row with `COLUMNS` or the like; nothing is decrypted or masked."""
        members = [*row[:10], _details(row[4], row[10]), *row[11:-4]]
        return cls(*members)

    def mask(self, masked_as: str) -> None:
        """Remove the personal values."""
        entity = known_entity(self.entity)
        # A registration lists empty fields, too: their absence would reveal that they had no value.
        is_registration = entity is not None and self.type == f"{entity.name}.registered"
        fields = entity.schema["properties"] if entity is not None and is_registration else ()
        changes, self.personal = masked_changes(entity, from_json(self.changes), among=fields)
        self.changes = json_bytes(changes)
        self._parsed = self.changes, changes
        self.masked_as = masked_as
        self.request_id = self.request_id if is_own_request_id(self.request_id) else None
        self.actor_name = self.client_request_id = self.reason = self.record = None
        if self.entity in PERSONAL_NAMES:
            self.unencrypted_name = None

    @property
    def moment_text(self) -> str:
        """The moment's JSON, which several formats need."""
        if self._moment_text is None:
            self._moment_text = moment_text(self.moment)
        return self._moment_text

    @property
    def actor(self) -> dict[str, Any] | None:
        """The actor's JSON; None if the event cannot be read."""
        return actor_json(self.actor_sub, self.actor_name, is_program=self.actor_is_program)

    @property
    def fields(self) -> list[str]:
        """The names of the changed fields."""
        return [change["field"] for change in self.values()]

    def values(self) -> list[dict[str, Any]]:
        """Return the value of `changes`, which callers must not change."""
        if self._parsed is None or self._parsed[0] is not self.changes:
            self._parsed = self.changes, from_json(self.changes)
        return self._parsed[1]

    @property
    def record_name(self) -> str | None:
        """The record's name then, or None if it had none or its key was destroyed."""
        return self.unencrypted_name if self.record is None else name_in(self.entity, self.record)

    @property
    def masked_fields(self) -> list[str]:
        """The masked fields, as answers list them."""
        if self.masked_as is None:
            return []
        entity = known_entity(self.entity)
        fields = [name for name in self.fields if is_personal(entity, name)]
        names = [ACTOR_NAME] if self.actor_sub else []
        own = [] if self.request_id else ["request_id"]
        return [*fields, *names, *own, "client_request_id", "reason"]

    def members(self) -> dict[str, Any]:
        """Return the JSON members, without the changed fields."""
        return {
            "position": self.position,
            "version": self.version,
            "type": self.type,
            "moment": self.moment_text,
            "actor": self.actor,
            "request_id": self.request_id,
            "client_request_id": self.client_request_id,
            "reason": self.reason,
            **self.details,
        }

    def json(self, personal: Sequence[str] = (), **more: Any) -> bytes:
        """Return the change's JSON with further members.

        Args:
            personal: names of further members that are personal data.
        """
        masked = name_redaction(self.actor_masked_as)
        if self.masked_as is not None:
            masked = {self.masked_as: [*self.masked_fields, *personal]}
        end = b"," + json_bytes(dict(masked))[1:-1] if masked else b""
        return b'%b,"changes":%b%b}' % (json_bytes({**self.members(), **more})[:-1], self.changes, end)


def _details(event_type: str, public_event: bytes) -> dict[str, Any]:
    """Return JSON members that only some types of changes have.

    hold_until: the last day of a legal hold; None: the hold was ended.
    undoes: the version that an undo reverts.
    batch: the id of a run, such as an import.
    document, until: the document whose reminder was acknowledged, and the day until which.
    source: the id of the record that was merged into this one.
    into: the id of the record into which this one was merged.
    other, dismissed: the other record of a pair, and whether it is dismissed.
    """
    is_hold = event_type.endswith(".hold_set")
    if not is_hold and _HAS_DETAILS.search(public_event) is None:
        return {}
    event = from_json(public_event)
    found = {"hold_until": event.get("until")} if is_hold else {}
    for key, names in _DETAILS.items():
        if event.get(key) is not None:
            found |= {name: event.get(name) for name in names}
    return found


async def load_changes(
    rows: Sequence[tuple[Any, ...]],
    matches: Callable[[RecordedChange], bool] | None = None,
    *,
    masked: bool = False,
    restricted: bool = False,
    names: bool | None = None,
) -> list[RecordedChange]:
    """Return the decrypted changes of rows with `COLUMNS` or the like.

    Args:
        matches: filters changes by values that the statement cannot decrypt.
        masked: whether all personal data is masked; then nothing is decrypted.
        restricted: whether restricted data is shown.
        names: whether names of restricted users are included; by default as `restricted`.
    """
    found = [RecordedChange.of_row(row) for row in rows]
    size = sum(len(one.changes) for one in found)

    def without_personal_values(_: Any) -> list[RecordedChange]:
        for one in found:
            one.mask(MASKED)
        return found if matches is None else [*filter(matches, found)]

    if masked:
        return await decrypt_revisions([], without_personal_values, plaintext_bytes=size)
    if restricted:
        for one in found:
            one.masked_as = None if one.masked_as == MASKED else one.masked_as
    actor_names = await load_actor_names(
        ((one.actor_sub, one.moment) for one in found if one.masked_as is None),
        restricted=restricted if names is None else names,
    )
    own = [_revision(one, one.version, *row[-2:]) for one, row in zip(found, rows, strict=True)]
    former = [_revision(one, one.version - 1, *row[-4:-2]) for one, row in zip(found, rows, strict=True)]

    def decrypted(texts: Sequence[RevisionTexts | None]) -> list[RecordedChange]:
        each = zip(found, texts[: len(found)], texts[len(found) :], own, strict=True)
        for one, text, former_text, revision in each:
            _open(one, text, former_text, revision)
            if one.masked_as is None:
                name = actor_names.of(one.actor_sub, one.moment, one.actor_name)
                one.actor_name, one.actor_masked_as = name.name, name.masked_as
        return found if matches is None else [*filter(matches, found)]

    return await decrypt_revisions([*own, *former], decrypted, plaintext_bytes=size)


def is_restricted(row: tuple[Any, ...]) -> bool:
    """Return whether a row with `COLUMNS` is of a restricted stream."""
    return bool(row[-6] == MASKED)


def _revision(
    change: RecordedChange, version: int, key_id: str | None, ciphertext: bytes | None
) -> EncryptedRevision:
    stream = f"{change.entity}:{change.entity_id}"
    return EncryptedRevision(stream, version, None if change.masked_as else key_id, ciphertext)


def _open(
    change: RecordedChange,
    texts: RevisionTexts | None,
    former: RevisionTexts | None,
    revision: EncryptedRevision,
) -> None:
    """Set the decrypted members of a change, or mask it."""
    if change.masked_as is not None:
        change.mask(change.masked_as)
    elif revision.key_id is not None and texts is None:
        change.mask(ERASED)
    elif revision.key_id is not None or former is not None:
        if change.entity in PERSONAL_NAMES:
            change.record = (texts and texts.state) or (former and former.state)
        if texts is not None:
            change.changes = texts.changes
            own = Circumstances(*json.loads(texts.circumstances))
            change.actor_name, change.request_id = own.actor_name, own.request_id
            change.client_request_id, change.reason = own.client_request_id, own.reason
