"""Changes: their columns in the revisions, and their decryption."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from types import MappingProxyType
from typing import Any, Final

from psycopg import sql

from ops.base.encryption.actors import ActorNames, load_actor_names
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

_COLUMNS: Final = f"""
    position, entity, entity_id, version, type, moment, actor_sub, actor_name,
    coalesce(actor_is_program, false), request_id, client_request_id, reason,
    convert_to(changes::text, 'UTF8') AS changes, personal,
    CASE WHEN type = entity || '.hold_set' THEN coalesce(public_event ->> 'until', '') END AS hold_until,
    (public_event ->> 'undoes')::int8 AS undoes, public_event ->> 'batch' AS batch,
    public_event ->> 'document' AS document, public_event ->> 'until' AS until,
    public_event ->> 'source' AS source, public_event ->> 'into' AS into,
    public_event ->> 'other' AS other, (public_event ->> 'dismissed')::boolean AS dismissed,
    {masked_as("measured")} AS masked_as
"""
_NO_CIPHERTEXT: Final = "NULL::text, NULL::bytea"
COLUMNS: Final = sql.SQL(f"{_COLUMNS}, NULL, {_NO_CIPHERTEXT}, key_id, ciphertext")
"""The columns that `load_changes` takes, without the record's name."""

FORMER: Final = """
SELECT state AS former_state, key_id AS former_key_id, ciphertext AS former_ciphertext
FROM {table} AS former
WHERE revision.state IS NULL
  AND (former.entity, former.entity_id, former.version)
    = (revision.entity, revision.entity_id, revision.version - 1)
"""
"""SQL of the revision before a removal, which has the record's last name."""
_NAME_FIELD: Final = " ".join(f"WHEN '{entity}' THEN '{field}'" for entity, field in NAME_FIELDS.items())
_PERSONAL_NAMES: Final = ", ".join(f"'{entity}'" for entity in PERSONAL_NAMES)
NAME: Final = f"""
CASE WHEN key_id IS NULL OR entity NOT IN ({_PERSONAL_NAMES})
  THEN coalesce(state, former_state) ->> CASE entity {_NAME_FIELD} END
END
"""
"""SQL of the record's name, null if it is encrypted; needs `FORMER`."""
NAMED_COLUMNS: Final = sql.SQL(f"{_COLUMNS}, {NAME}, former_key_id, former_ciphertext, key_id, ciphertext")
"""`COLUMNS` with the record's name."""
MASKED_COLUMNS: Final = sql.SQL(
    f"{_COLUMNS.replace(masked_as('measured'), 'NULL')}, {NAME}, {_NO_CIPHERTEXT}, {_NO_CIPHERTEXT}"
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


@dataclass(frozen=True)
class RecordedChange:
    """A change of a record; the fields are columns of its revision."""

    position: int
    entity: str
    entity_id: str
    version: int
    type: str
    moment: datetime
    actor_sub: str | None
    actor_name: str | None
    actor_is_program: bool
    request_id: str | None
    client_request_id: str | None
    reason: str | None
    changes: bytes
    """Stored JSON, passed on without parsing."""
    personal: list[str] | None
    """The changed fields that are personal data; None if unknown."""
    hold_until: str | None = None
    """The last day of a legal hold; empty: the hold was ended. None: the event is not a hold."""
    undoes: int | None = None
    """The version that an undo reverts."""
    batch: str | None = None
    """The id of a run, such as an import."""
    document: str | None = None
    """The document whose reminder was acknowledged."""
    until: str | None = None
    """The day until which a hold or an acknowledgement lasts."""
    source: str | None = None
    """The id of the record that was merged into this one."""
    into: str | None = None
    """The id of the record into which this one was merged."""
    other: str | None = None
    """The other record of a dismissed pair."""
    dismissed: bool | None = None
    masked_as: str | None = None
    """The JSON member that lists masked fields, if personal data is masked."""
    unencrypted_name: str | None = None
    """The record's name, if it is not encrypted."""
    record: bytes | None = None
    """The decrypted record, or the one before a removal, if its name is encrypted."""
    actor_masked_as: str | None = None
    """The JSON member that lists the actor's name, if only that is masked."""

    @property
    def actor(self) -> dict[str, Any] | None:
        """The actor's JSON; None if the event cannot be read."""
        return actor_json(self.actor_sub, self.actor_name, is_program=self.actor_is_program)

    @property
    def fields(self) -> list[str]:
        """The names of the changed fields."""
        return [change["field"] for change in json.loads(self.changes)]

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
            "moment": moment_text(self.moment),
            "actor": self.actor,
            "request_id": self.request_id,
            "client_request_id": self.client_request_id,
            "reason": self.reason,
            **({} if self.hold_until is None else {"hold_until": self.hold_until or None}),
            **({} if self.undoes is None else {"undoes": self.undoes}),
            **({} if self.batch is None else {"batch": self.batch}),
            **({} if self.document is None else {"document": self.document, "until": self.until}),
            **({} if self.source is None else {"source": self.source}),
            **({} if self.into is None else {"into": self.into}),
            **({} if self.dismissed is None else {"other": self.other, "dismissed": self.dismissed}),
        }

    def json(self, personal: Sequence[str] = (), **more: Any) -> bytes:
        """Return the change's JSON with further members.

        Args:
            personal: names of further members that are personal data.
        """
        masked = name_redaction(self.actor_masked_as)
        if self.masked_as is not None:
            masked = {self.masked_as: [*self.masked_fields, *personal]}
        return with_changes({**self.members(), **more}, self.changes, masked)


def with_changes(
    entry: dict[str, Any], changes: bytes, masked: Mapping[str, Sequence[str]] = MappingProxyType({})
) -> bytes:
    """Return an entry's JSON with stored changes, and the members that list masked fields."""
    end = b"," + json_bytes(dict(masked))[1:-1] if masked else b""
    return b'%b,"changes":%b%b}' % (json_bytes(entry)[:-1], changes, end)


async def load_changes(
    rows: Sequence[tuple[Any, ...]],
    matches: Callable[[RecordedChange], bool] = lambda _: True,
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
    found = [RecordedChange(*row[:-4]) for row in rows]
    if masked:
        found = [replace(one, masked_as=MASKED) for one in found]
    elif restricted:
        found = [replace(one, masked_as=None) if one.masked_as == MASKED else one for one in found]
    actor_names = await load_actor_names(
        ((one.actor_sub, one.moment) for one in found if one.masked_as is None),
        restricted=restricted if names is None else names,
    )
    own = [_revision(one, one.version, *row[-2:]) for one, row in zip(found, rows, strict=True)]
    former = [_revision(one, one.version - 1, *row[-4:-2]) for one, row in zip(found, rows, strict=True)]

    def decrypted(texts: Sequence[RevisionTexts | None]) -> list[RecordedChange]:
        changes = []
        each = zip(found, texts[: len(found)], texts[len(found) :], own, strict=True)
        for one, text, former_text, revision in each:
            changes.append(_with_actor(_with_texts(one, text, former_text, revision), actor_names))
        return list(filter(matches, changes))

    size = sum(len(one.changes) for one in found)
    return await decrypt_revisions([*own, *former], decrypted, plaintext_bytes=size)


def is_restricted(row: tuple[Any, ...]) -> bool:
    """Return whether a row with `COLUMNS` is of a restricted stream."""
    return bool(row[-6] == MASKED)


def _revision(
    change: RecordedChange, version: int, key_id: str | None, ciphertext: bytes | None
) -> EncryptedRevision:
    stream = f"{change.entity}:{change.entity_id}"
    return EncryptedRevision(stream, version, None if change.masked_as else key_id, ciphertext)


def _with_texts(
    change: RecordedChange,
    texts: RevisionTexts | None,
    former: RevisionTexts | None,
    revision: EncryptedRevision,
) -> RecordedChange:
    if change.masked_as is not None:
        return _without_personal_values(change)
    if revision.key_id is None and former is None:
        return change
    record = (texts and texts.state) or (former and former.state)
    named = replace(change, record=record) if change.entity in PERSONAL_NAMES else change
    if revision.key_id is None:
        return named
    if texts is None:
        return _without_personal_values(replace(change, masked_as=ERASED))
    circumstances = Circumstances(*json.loads(texts.circumstances))
    return replace(named, changes=texts.changes, **circumstances._asdict())


def _with_actor(change: RecordedChange, names: ActorNames) -> RecordedChange:
    if change.masked_as is not None:
        return change
    name = names.of(change.actor_sub, change.moment, change.actor_name)
    return replace(change, actor_name=name.name, actor_masked_as=name.masked_as)


def _without_personal_values(change: RecordedChange) -> RecordedChange:
    entity = known_entity(change.entity)
    # A registration lists empty fields, too: their absence would reveal that they had no value.
    is_registration = entity is not None and change.type == f"{entity.name}.registered"
    fields = entity.schema["properties"] if entity is not None and is_registration else ()
    changes, masked = masked_changes(entity, json.loads(change.changes), among=fields)
    return replace(
        change,
        actor_name=None,
        request_id=change.request_id if is_own_request_id(change.request_id) else None,
        client_request_id=None,
        reason=None,
        changes=json_bytes(changes),
        personal=masked,
        unencrypted_name=None if change.entity in PERSONAL_NAMES else change.unencrypted_name,
        record=None,
    )
