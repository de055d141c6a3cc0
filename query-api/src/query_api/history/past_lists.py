"""Reads lists from the revisions in batches, so that no statement takes long."""

import json
import time
from collections.abc import AsyncIterator, Sequence
from datetime import datetime
from typing import Any, Final

from psycopg import sql

from ops.base.records.entities import EntityType
from ops.base.records.json_values import json_bytes
from ops.base.records.masks import ERASED, masked_record
from query_api.database.decryption import EncryptedRevision, decrypt_revisions
from query_api.database.source import PART_BYTES, Source, fetch, next_batch_size
from query_api.history.past_states import AT_MOMENT, NOW, LogPoint
from query_api.masking.restrictions import masked_as
from read_model.tables import REVISIONS
from read_model.tables.revision_texts import RevisionTexts


def without_personal_data(entity: EntityType, record: bytes, member: str = ERASED) -> bytes:
    """Return a record without its personal data, with the member that lists the missing fields."""
    return json_bytes(masked_record(entity, json.loads(record), member))


EncryptedRow = tuple[bytes, str, int, str | None, bytes | None, str | None]
"""A state without encrypted values; id and version, key id, ciphertext, and the reason for masking."""


async def decrypt_records(entity: EntityType, rows: Sequence[EncryptedRow]) -> bytes:
    """Return records as JSON, separated by commas."""

    def joined(texts: Sequence[RevisionTexts | None]) -> bytes:
        return b",".join(
            (found.state or b"null")
            if found
            else without_personal_data(entity, state, reason or ERASED)
            if key_id or reason
            else state
            for (state, _, _, key_id, _, reason), found in zip(rows, texts, strict=True)
        )

    revisions = [
        EncryptedRevision(f"{entity.name}:{entity_id}", version, None if reason else key_id, ciphertext)
        for _, entity_id, version, key_id, ciphertext, reason in rows
    ]
    return await decrypt_revisions(revisions, joined)


FIRST_BATCH: Final = 500
"""Records that the first statement reads."""
BATCH_SECONDS: Final = 0.05
"""Duration for which the size of later batches is chosen."""
LARGEST_BATCH: Final = 1_600

# Ids and their last versions come from an index-only scan; `+ 0` keeps the planner from scanning the index on
# positions instead.
_LATEST: Final = sql.SQL(
    """
    SELECT entity_id AS key, entity_id, max(version) AS version
    FROM {table}
    WHERE entity = %(entity)s AND entity_id > %(after)s AND position + 0 <= %(position)s
    GROUP BY entity_id
    ORDER BY entity_id
    LIMIT %(limit)s
    """
).format(table=REVISIONS.identifier)

_NAMED: Final = sql.SQL(
    """
    SELECT number AS key, entity_id, version
    FROM unnest(%(ids)s::text[], %(versions)s::bigint[]) WITH ORDINALITY AS row (entity_id, version, number)
    WHERE number > %(after)s
    ORDER BY number
    LIMIT %(limit)s
    """
)

_BATCH: Final = sql.SQL(
    """
    WITH wanted AS MATERIALIZED ({wanted}), measured AS (
      SELECT wanted.*, kept.state, kept.key_id, kept.ciphertext, {masked_as} AS masked_as,
        coalesce(sum(coalesce(octet_length(kept.ciphertext), read.json_bytes(kept.state))) OVER (
        ORDER BY wanted.key ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
      ), 0) AS bytes_before
      FROM wanted JOIN {table} AS kept
      ON kept.entity = %(entity)s AND kept.entity_id = wanted.entity_id AND kept.version = wanted.version
    ), taken AS MATERIALIZED (
      SELECT * FROM measured WHERE bytes_before < {most} AND state IS NOT NULL
    ), reached AS MATERIALIZED (
      SELECT count(*) AS rows, max(key) AS key FROM measured WHERE bytes_before < {most}
    )
    SELECT
      identity.log_id,
      coalesce(progress.generation, 0),
      (SELECT count(*) FROM wanted) = %(limit)s
        OR reached.rows < (SELECT count(*) FROM wanted),
      reached.key,
      found.*
    FROM log.identity CROSS JOIN reached
    CROSS JOIN (
      SELECT array_agg(convert_to(state::text, 'UTF8') ORDER BY key), array_agg(entity_id ORDER BY key),
        array_agg(version ORDER BY key), array_agg(key_id ORDER BY key), array_agg(ciphertext ORDER BY key),
        array_agg(masked_as ORDER BY key)
      FROM taken
    ) AS found
    LEFT JOIN read.positions AS progress ON progress.projection = {projection}
    """
)


def _batch_statement(wanted: sql.Composable) -> sql.Composed:
    return _BATCH.format(
        wanted=wanted,
        table=REVISIONS.identifier,
        projection=sql.Literal(REVISIONS.name),
        masked_as=sql.SQL(masked_as("kept")),
        most=sql.Literal(PART_BYTES),
    )


_LATEST_BATCH: Final = _batch_statement(_LATEST)
_NAMED_BATCH: Final = _batch_statement(_NAMED)


class Replaced(Exception):
    """The revisions were rebuilt, or the log restored, while a list was read."""


class PastLists:
    """Reads lists at positions of the log."""

    def __init__(self, source: Source, *, first_batch: int = FIRST_BATCH) -> None:
        self._source = source
        self._first_batch = first_batch

    async def point_at(self, moment: datetime) -> LogPoint:
        """Return the log's last position at an instant; 0 before the first event."""
        (row,) = await fetch(self._source, AT_MOMENT, {"moment": moment})
        return LogPoint(*row)

    async def point_of(self, position: int) -> LogPoint:
        """Return a position, with the current log and generation of the revisions."""
        ((log_id, generation),) = await fetch(self._source, NOW)
        return LogPoint(log_id, generation, position)

    def records(self, entity: EntityType, point: LogPoint, *, masked: bool = False) -> AsyncIterator[bytes]:
        """Yield all records of a type at a position, ordered by id: JSON, separated by commas.

        Records that are restricted now are masked for all users; erased ones are without personal data.

        Args:
            masked: whether the records are for a user without `personal:read`: then nothing is decrypted.

        Raises:
            Replaced: the revisions were rebuilt, or the log restored.
        """
        parameters = {"position": point.position}
        return self._batches(_LATEST_BATCH, entity, parameters, point=point, before="", masked=masked)

    def rows(
        self, entity: EntityType, point: LogPoint, rows: Sequence[tuple[str, int]], *, masked: bool = False
    ) -> AsyncIterator[bytes]:
        """Yield records with given ids and versions, in that order; see `records`."""
        parameters = {
            "ids": [entity_id for entity_id, _ in rows],
            "versions": [version for _, version in rows],
        }
        return self._batches(_NAMED_BATCH, entity, parameters, point=point, before=0, masked=masked)

    async def _batches(
        self,
        statement: sql.Composed,
        entity: EntityType,
        parameters: dict[str, Any],
        *,
        point: LogPoint,
        before: str | int,
        masked: bool,
    ) -> AsyncIterator[bytes]:
        parameters = {**parameters, "entity": entity.name}
        after, limit = before, self._first_batch
        while True:
            began = time.monotonic()
            ((log_id, generation, has_more, after, states, *columns),) = await fetch(
                self._source, statement, {**parameters, "after": after, "limit": limit}
            )
            if (log_id, generation) != (point.log_id, point.generation) or (has_more and after is None):
                raise Replaced
            rows = [] if states is None else list(zip(states, *columns, strict=True))
            records = b",".join(states or ()) if masked else await decrypt_records(entity, rows)
            seconds = time.monotonic() - began  # without the time that the client takes
            del states, columns, rows  # frees memory while a slow client reads
            if records:
                yield records
            if not has_more:
                return
            limit = min(LARGEST_BATCH, next_batch_size(limit, seconds, aim=BATCH_SECONDS, most_growth=2))
