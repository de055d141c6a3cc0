"""Comparison of the next table with the table that it replaces, while both change."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from psycopg import AsyncConnection, IsolationLevel, sql

from projections.engine.projection import Projection
from read_model.tables import REVISIONS, EntityTable, next_table

EXAMPLES: Final = 10
MOST_UNSETTLED: Final = 10_000
"""Changed rows above which the positions of the tables are too far apart to compare."""

_POSITIONS: Final = """
SELECT coalesce(min(position), 0), coalesce(max(position), 0) FROM read.positions WHERE projection IN (%s, %s)
"""

# The keys of rows with events that only one of the tables contains.
_UNSETTLED: Final = """
SELECT DISTINCT CASE WHEN %(prefix)s = '' THEN notification_id::text
                     ELSE substr(originator_id, length(%(prefix)s) + 1) END
FROM log.events
WHERE notification_id > %(low)s AND notification_id <= %(high)s AND starts_with(originator_id, %(prefix)s)
LIMIT %(most)s + 1
"""

# `*<>` compares the bytes of rows: JSON has no equality operator, and comparing texts is slower. The next
# table has no ciphertext for an erased key, so the old table's is ignored.
_DIFFERENT: Final = sql.SQL(
    """
    SELECT count(*), (array_agg(key ORDER BY key))[1:{examples}]
    FROM (
      SELECT coalesce(old.{key}, next.{key})::text AS key
      FROM {old} AS old FULL JOIN {next} AS next ON old.{key} = next.{key}
      WHERE (old.{key} IS NULL) <> (next.{key} IS NULL)
        OR (old *<> next AND json_populate_record(old, '{{"ciphertext": null}}') *<> next)
    ) AS different
    WHERE key <> ALL (%s)
    """
)
_DIFFERENT_AMONG: Final = sql.SQL(
    """
    SELECT count(*), (array_agg(key ORDER BY key))[1:{examples}]
    FROM unnest(%s::text[]) AS wanted (key)
    LEFT JOIN {old} AS old ON old.{key} = wanted.key::{type}
    LEFT JOIN {next} AS next ON next.{key} = wanted.key::{type}
    WHERE (old.{key} IS NULL) <> (next.{key} IS NULL)
        OR (old *<> next AND json_populate_record(old, '{{"ciphertext": null}}') *<> next)
    """
)


# The same fold computes rows and the revisions' states, but not the changes, which the events name. A fold
# that ignores a change contradicts them. A registration names each field that has a value.
_CONTRADICTORY: Final = sql.SQL(
    """
    SELECT count(*), (array_agg(id ORDER BY id))[1:{examples}]
    FROM (
      SELECT kept.id
      FROM {table} AS kept
      CROSS JOIN LATERAL (
        SELECT version, state::text AS state FROM {revisions}
        WHERE entity = {entity} AND entity_id = kept.id ORDER BY version DESC LIMIT 1
      ) AS newest
      WHERE newest.version = kept.version AND (
        newest.state IS DISTINCT FROM kept.record::text
        OR EXISTS (
          SELECT FROM (
            SELECT DISTINCT ON (change ->> 'field')
              change ->> 'field' AS field, (change -> 'to')::text AS value
            FROM {revisions} AS revision CROSS JOIN LATERAL json_array_elements(revision.changes) AS change
            WHERE revision.entity = {entity} AND revision.entity_id = kept.id
              AND (revision.key_id IS NULL) = (kept.key_id IS NULL)
              AND revision.version >= (
                SELECT max(version) FROM {revisions}
                WHERE entity = {entity} AND entity_id = kept.id AND type = {registered}
              )
            ORDER BY change ->> 'field', revision.version DESC
          ) AS changed
          WHERE (kept.record -> field)::text IS DISTINCT FROM value
        )
      )
    ) AS contradictory
    """
)


@dataclass(frozen=True)
class Differences:
    """Where two tables differ."""

    count: int
    examples: tuple[str, ...]
    """The keys of some of the rows: ids or positions."""
    unsettled: Sequence[str] = ()
    """The keys of rows that could not be compared, because only one table contains their last events."""


NO_DIFFERENCES: Final = Differences(0, ())


async def compare(connection: AsyncConnection, projection: Projection) -> Differences | None:
    """Compare a projection's table with its next one, except for the most recently changed rows.

    Args:
        connection: in autocommit mode.

    Returns:
        The differences; None if the tables' positions are too far apart.
    """
    await connection.set_isolation_level(IsolationLevel.REPEATABLE_READ)
    try:
        async with connection.transaction():  # one snapshot of both tables and their positions
            unsettled = await _unsettled(connection, projection)
            if len(unsettled) > MOST_UNSETTLED:
                return None
            cursor = await connection.execute(_format(_DIFFERENT, projection), (unsettled,))
            ((count, examples),) = await cursor.fetchall()
            return Differences(count, tuple(examples or ()), unsettled)
    finally:
        await connection.set_isolation_level(None)


async def compare_again(
    connection: AsyncConnection, projection: Projection, before: Differences
) -> Differences:
    """Add the differences of unsettled rows, in a transaction that locks both positions."""
    still = set(await _unsettled(connection, projection))
    settled = [key for key in before.unsettled if key not in still]
    cursor = await connection.execute(_format(_DIFFERENT_AMONG, projection), (settled,))
    ((count, found),) = await cursor.fetchall()
    examples = (*before.examples, *(found or ()))[:EXAMPLES]
    return Differences(before.count + count, examples, [key for key in before.unsettled if key in still])


async def compare_with_history(connection: AsyncConnection, table: EntityTable) -> Differences:
    """Compare an entity table with each record's newest revision and its changes since registration.

    Unlike a rebuild, this comparison does not fold, so it finds rows that a wrong fold has computed. It
    decrypts nothing: of encrypted records it compares the values that are not personal. It skips rows whose
    version is not that of their newest revision, because table and revisions are at different positions then.
    """
    statement = _CONTRADICTORY.format(
        examples=sql.Literal(EXAMPLES),
        table=table.identifier,
        revisions=REVISIONS.identifier,
        entity=sql.Literal(table.entity.name),
        registered=sql.Literal(f"{table.entity.name}.registered"),
    )
    ((count, examples),) = await (await connection.execute(statement)).fetchall()
    return Differences(count, tuple(examples or ()))


async def _unsettled(connection: AsyncConnection, projection: Projection) -> list[str]:
    names = (projection.table.name, next_table(projection.table).name)
    ((low, high),) = await (await connection.execute(_POSITIONS, names)).fetchall()
    cursor = await connection.execute(
        _UNSETTLED,
        {"low": low, "high": high, "most": MOST_UNSETTLED, "prefix": projection.prefix},
    )
    return [key for (key,) in await cursor.fetchall()]


def _format(statement: sql.SQL, projection: Projection) -> sql.Composed:
    return statement.format(
        examples=sql.Literal(EXAMPLES),
        key=sql.Identifier(projection.key),
        type=sql.SQL("bigint" if projection.key == "position" else "text"),
        old=projection.table.identifier,
        next=next_table(projection.table).identifier,
    )
