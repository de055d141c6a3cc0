"""Verification of the read tables while the log is read once from start to end."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from psycopg import AsyncConnection, sql

from command_api.domain.publication import DEFAULT_POLICY, PublicationPolicy
from command_api.event_store.records import RecordedEvent
from ops.base.encryption.key_cache import KEYS
from ops.tamper_evidence.leaves import LogRow
from projections.entity_tables.fold import EntityRow, Entry, Terms, fold
from projections.failures import ProjectionStopped
from projections.progress import searches
from projections.rebuild.comparison import compare_with_history
from projections.revisions.revision import JSON_COLUMNS, Revision, revise
from projections.workers.verification.states import REMEMBERED_BYTES, States, Step
from read_model.tables import ENTITY_TABLES, REVISIONS, EntityTable, ReadTable

EXAMPLES: Final = 10

_POSITIONS: Final = "SELECT projection, position, version FROM read.positions"
_QUARANTINED: Final = "SELECT projection, originator_id, position FROM read.quarantined_streams"
# A time that Python cannot represent was not written by a projection.
_MOMENT: Final = sql.SQL("CASE WHEN moment BETWEEN '0002-01-01' AND '9998-12-31' THEN moment END")
_REVISIONS: Final = sql.SQL(
    "SELECT {columns} FROM {table} WHERE position BETWEEN %s AND %s ORDER BY position"
).format(
    columns=sql.SQL(", ").join(
        _MOMENT
        if name == "moment"
        else sql.SQL("{}::text").format(sql.Identifier(name))
        if name in JSON_COLUMNS
        else sql.Identifier(name)
        for name in Revision._fields
    ),
    table=REVISIONS.identifier,
)
_STRAY_REVISIONS: Final = sql.SQL(
    "SELECT position::text FROM {} WHERE position IS NULL OR position < 1 OR position > %s"
    " ORDER BY 1 LIMIT %s"
).format(REVISIONS.identifier)
_STRAY_INTERVALS: Final = """
WITH expected AS MATERIALIZED (SELECT * FROM read.intervals_of_revisions())
SELECT DISTINCT id
FROM (
  (TABLE expected EXCEPT ALL TABLE read.assignment_intervals)
  UNION ALL (TABLE read.assignment_intervals EXCEPT ALL TABLE expected)
) AS different
LIMIT %s
"""
_LAST_EVENTS: Final = """
SELECT latest.position
FROM unnest(%s::text[], %s::bigint[]) AS stream (name, up_to)
CROSS JOIN LATERAL (
  SELECT notification_id AS position FROM log.events
  WHERE originator_id = stream.name AND notification_id <= stream.up_to
  ORDER BY originator_version DESC LIMIT 1
) AS latest
"""
_ROWS: Final = sql.SQL(
    "SELECT id, version, position, record::text, list_item::text, key_id, ciphertext, restricted"
    " FROM {table} WHERE id = ANY(%s)"
)
_TERMS: Final = sql.SQL(
    "SELECT id, version, search_text, sort_keys, match_keys::text FROM {table} WHERE id = ANY(%s)"
)
_SEARCHED_ROWS: Final = sql.SQL("(SELECT id FROM {table} UNION SELECT id FROM {search})")
_STRAY_ROWS: Final = sql.SQL(
    """
    SELECT coalesce(kept.id, 'null') FROM {kept} AS kept
    LEFT JOIN read.quarantined_streams AS quarantined
      ON quarantined.projection = %(name)s AND quarantined.originator_id = %(prefix)s || kept.id
    WHERE NOT EXISTS (
      SELECT FROM log.events
      WHERE originator_id = %(prefix)s || kept.id
        AND notification_id <= least(%(position)s, quarantined.position - 1)
    )
    ORDER BY 1 LIMIT %(limit)s
    """
)


@dataclass
class TableVerdict:
    """The result for one table."""

    table: ReadTable
    position: int
    """The table's position in the log."""
    unverified: str | None = None
    """Why the table could not be verified."""
    quarantined: int = 0
    """The number of quarantined streams, which are verified up to the quarantined event."""
    differences: int = 0
    examples: list[str] = field(default_factory=list)
    """Ids or positions of the first rows that differ."""

    @property
    def fits(self) -> bool:
        """Whether the table matches the log."""
        return self.unverified is None and not self.differences

    def differ(self, keys: Iterable[str]) -> None:
        """Count rows that do not match the log."""
        for key in keys:
            self.differences += 1
            if len(self.examples) < EXAMPLES:
                self.examples.append(key)


@dataclass
class ReadTablesCheck:
    """Computes every row with the projections' own functions, and compares it; `begin` starts a check."""

    _connection: AsyncConnection
    _states: States
    _verdicts: dict[str, TableVerdict]
    _quarantined: dict[tuple[str, str], int]
    _otherwise: PublicationPolicy
    """The other setting of free text, which may have been in force when an event was projected."""
    _searchable: Collection[str]
    """Names of the tables whose search terms are complete."""

    @classmethod
    async def begin(
        cls,
        connection: AsyncConnection,
        *,
        publishing: PublicationPolicy = DEFAULT_POLICY,
        remembered_bytes: int = REMEMBERED_BYTES,
    ) -> "ReadTablesCheck":
        """Read the position of each table.

        Args:
            connection: in a transaction with one snapshot of log and tables.
            publishing: what is published in addition to public fields.
            remembered_bytes: size of the states in memory, counted in payloads.
        """
        cursor = await connection.execute(_POSITIONS)
        positions = {name: (position, version) for name, position, version in await cursor.fetchall()}
        cursor = await connection.execute(_QUARANTINED)
        quarantined = {(name, stream): position for name, stream, position in await cursor.fetchall()}
        verdicts = {}
        for table in (REVISIONS, *ENTITY_TABLES):
            position, version = positions.get(table.name, (0, table.version))
            verdicts[table.name] = verdict = TableVerdict(table, position)
            verdict.quarantined = sum(name == table.name for name, _ in quarantined)
            if version != table.version:
                verdict.unverified = f"its rows have version {version}, this release writes {table.version}"
        states = States(connection, publishing=publishing, remembered_bytes=remembered_bytes)
        otherwise = replace(publishing, free_text=not publishing.free_text)
        searchable = [table.name for table in ENTITY_TABLES if await searches.is_complete(connection, table)]
        return cls(connection, states, verdicts, quarantined, otherwise, searchable)

    async def add(self, rows: Sequence[LogRow]) -> None:
        """Verify the rows of the log's next events, which must be in order and without a gap."""
        try:
            events = [RecordedEvent(*row[1:5], row.position, row.moment) for row in rows]
            steps = await self._states.add(await KEYS.unlock(events))
        except (TypeError, ValueError, AttributeError):
            raise ProjectionStopped("a row of the log after its last seal is no event") from None
        await self._compare_revisions(steps)
        await self._compare_entities(steps)
        self._states.trim()

    async def finish(self) -> list[TableVerdict]:
        """Find rows without an event, and return the result for each table."""
        verdict = self._verdicts[REVISIONS.name]
        if verdict.unverified is None:
            cursor = await self._connection.execute(_STRAY_REVISIONS, (verdict.position, EXAMPLES))
            verdict.differ(key or "null" for (key,) in await cursor.fetchall())
            if verdict.fits:  # otherwise the same rows would be counted twice
                cursor = await self._connection.execute(_STRAY_INTERVALS, (EXAMPLES,))
                verdict.differ(key for (key,) in await cursor.fetchall())
        for table in ENTITY_TABLES:
            verdict = self._verdicts[table.name]
            if verdict.unverified is None:
                kept = _SEARCHED_ROWS if table.name in self._searchable else sql.SQL("{table}")
                cursor = await self._connection.execute(
                    _STRAY_ROWS.format(
                        kept=kept.format(table=table.identifier, search=table.search.identifier)
                    ),
                    {
                        "name": table.name,
                        "prefix": f"{table.entity.name}:",
                        "position": verdict.position,
                        "limit": EXAMPLES,
                    },
                )
                verdict.differ(key for (key,) in await cursor.fetchall())
                if verdict.fits:  # otherwise the same rows would be counted twice
                    contradictions = await compare_with_history(self._connection, table)
                    verdict.differ(contradictions.examples)
        return list(self._verdicts.values())

    async def _compare_revisions(self, steps: Sequence[Step]) -> None:
        verdict = self._verdicts[REVISIONS.name]
        due = [step for step in steps if step.event.position <= verdict.position]
        if not due or verdict.unverified is not None:
            return
        cursor = await self._connection.execute(
            _REVISIONS, (due[0].event.position, due[-1].event.position), binary=True
        )
        found: dict[int, list[tuple[Any, ...]]] = {}
        for row in await cursor.fetchall():
            found.setdefault(row[0], []).append(row)
        different = [step for step in due if not self._fits(step, found.get(step.event.position, []))]
        verdict.differ(str(step.event.position) for step in different)
        self._states.distrusted.update((step.event.entity, step.event.entity_id) for step in different)

    def _fits(self, step: Step, rows: Sequence[tuple[Any, ...]]) -> bool:
        if len(rows) != 1:
            return False
        row = Revision(*rows[0])
        if step.event.key is None and row.key_id is not None:
            # The key may have been destroyed after the row was written.
            row = row._replace(ciphertext=None)
        if row == step.revision:
            return True
        # Another setting of free text may have been in force when the event was projected.
        other, _ = revise(step.before, step.event, self._otherwise)
        return row == other

    async def _compare_entities(self, steps: Sequence[Step]) -> None:
        """Compare the rows of streams whose last events are among these."""
        tables = {
            table.entity.name: table
            for table in ENTITY_TABLES
            if self._verdicts[table.name].unverified is None
        }
        due = [(tables[step.event.entity], step) for step in steps if step.event.entity in tables]
        up_to = {
            step.event.originator_id: self._last_position(table, step.event.originator_id)
            for table, step in due
        }
        cursor = await self._connection.execute(_LAST_EVENTS, (list(up_to), list(up_to.values())))
        last = {position for (position,) in await cursor.fetchall()}
        for table in tables.values():
            if final := [step for of, step in due if of is table and step.event.position in last]:
                await self._compare_rows(table, final)

    async def _compare_rows(self, table: EntityTable, steps: Sequence[Step]) -> None:
        cursor = await self._connection.execute(
            _ROWS.format(table=table.identifier), ([step.event.entity_id for step in steps],)
        )
        rows: dict[str, list[EntityRow]] = {}
        for row in await cursor.fetchall():
            rows.setdefault(row[0], []).append(EntityRow(*row))
        terms = await self._terms(table, [step.event.entity_id for step in steps])
        for step in steps:
            entity_id = step.event.entity_id
            folded = fold(table, step.before, [step.event])
            found = rows.get(entity_id, [])
            fits = _rows_match(found, folded.entry)
            if terms is not None:
                fits = fits and _terms_match(found, terms.get(entity_id, []), folded.entry)
            if folded.failure or not fits:
                self._verdicts[table.name].differ([entity_id])

    async def _terms(self, table: EntityTable, ids: Sequence[str]) -> dict[str, list[Terms]] | None:
        """Return the search terms of rows by id; None while the table's terms are incomplete."""
        if table.name not in self._searchable:
            return None
        statement = _TERMS.format(table=table.search.identifier)
        found: dict[str, list[Terms]] = {}
        for row in await (await self._connection.execute(statement, (ids,))).fetchall():
            found.setdefault(row[0], []).append(Terms(*row))
        return found

    def _last_position(self, table: ReadTable, stream: str) -> int:
        position = self._verdicts[table.name].position
        quarantined = self._quarantined.get((table.name, stream))
        return position if quarantined is None else min(position, quarantined - 1)


def _rows_match(rows: Sequence[EntityRow], expected: Entry | None) -> bool:
    """Return whether a stream's rows are as expected; ciphertext without its key is not compared."""
    if expected is None or len(rows) != 1:
        return not rows and expected is None
    is_locked = expected.row.key_id is not None and expected.row.ciphertext is None
    return rows[0] == expected.row or (is_locked and rows[0]._replace(ciphertext=None) == expected.row)


def _terms_match(rows: Sequence[EntityRow], terms: Sequence[Terms], expected: Entry | None) -> bool:
    """Return whether a stream's search terms are as expected, unless their key is missing."""
    if expected is None or expected.terms is None:
        return not terms
    is_locked = (
        expected.row.key_id is not None
        and expected.row.ciphertext is None
        and any(row.ciphertext for row in rows)
    )
    return len(terms) == 1 and (is_locked or terms[0] == expected.terms)
