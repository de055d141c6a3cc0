"""The scores of all pairs of a type, kept in memory by id: only changed records are compared again."""

import asyncio
from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from typing import Any, Final, NamedTuple

from psycopg import sql

from query_api.database.source import Source
from query_api.paging.statement import LIST, SEARCH_IS_COMPLETE
from query_api.possible_duplicates.candidates import (
    Found,
    all_pairs,
    read_pairs,
    records_like,
    with_candidates,
)
from read_model.matching.scores import LEAST_SCORE, Match, compare
from read_model.tables import EntityTable

Pair = tuple[str, str]
"""The ids of two records, in order."""

MOST_CHANGED: Final = 1000
"""With more changed records, all are compared again."""

# Keys of changed records, and known records that are removed, restricted or erased since.
_CHANGES: Final = sql.SQL(
    """
    SELECT json_build_object(
      'among', (SELECT count(*) FROM {search}),
      'changed', (
        SELECT coalesce(json_agg(json_build_array(id, match_keys)), '[]') FROM (
          SELECT id, match_keys FROM {table} AS row JOIN {search} USING (id)
          WHERE row.position > %(after)s LIMIT {most} + 1
        ) AS changed
      ),
      'gone', (
        SELECT coalesce(json_agg(id), '[]') FROM unnest(%(ids)s::text[]) AS known (id)
        WHERE NOT EXISTS (SELECT FROM {search} WHERE id = known.id)
      )
    )::text
    """
)


class Scored(NamedTuple):
    """The pairs of a state of the table."""

    etag: str
    table: str
    """The table's log, version and generation."""
    position: int
    among: int
    scores: Mapping[Pair, float]
    is_stale: bool
    """Whether events could not be applied."""


class ScoredPairs:
    """The scored pairs of each type."""

    def __init__(self) -> None:
        self._known: dict[str, Scored] = {}
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._updates: set[asyncio.Task[Scored]] = set()

    def clear(self) -> None:
        """Drop all pairs."""
        self._known.clear()

    async def current(self, source: Source, table: EntityTable) -> Scored:
        """Return the pairs with a sufficient score; raises as `fetch_list` does.

        The first call takes half a minute for 100,000 records, and continues if the caller is cancelled.
        """
        update = asyncio.create_task(self._update(source, table))
        self._updates.add(update)  # the loop has weak references only
        update.add_done_callback(self._updates.discard)
        return await asyncio.shield(update)

    async def _update(self, source: Source, table: EntityTable) -> Scored:
        async with self._locks[table.name]:
            known = self._known.get(table.name)
            ids = sorted({one for pair in known.scores for one in pair}) if known else []
            after = known.position if known else 0
            more = {"known_etags": [known.etag] if known else [], "ids": ids, "after": after}
            read = await read_pairs(source, table, _statement(table), more)
            if known and read.found is None:
                return known._replace(is_stale=read.is_stale)
            place = read.etag.rpartition("-")[0]
            changes: Mapping[str, Any] = read.found or {}
            is_small = len(changes["changed"]) <= MOST_CHANGED
            if known and known.table == place and is_small:
                keys = {entity_id: some or [] for entity_id, some in changes["changed"]}
                found = await _pairs_of(source, table, keys)
                dropped = {*keys, *changes["gone"]}
                kept = {pair: score for pair, score in known.scores.items() if dropped.isdisjoint(pair)}
            else:
                found, kept = await all_pairs(source, table, changes["among"]), {}
            found = await with_candidates(source, table, found._replace(among=changes["among"]))
            matches = await asyncio.to_thread(matches_of, found)
            scores = {**kept, **{pair: match.score for pair, match in matches.items()}}
            self._known[table.name] = scored = Scored(
                read.etag, place, read.position, found.among, scores, read.is_stale
            )
            return scored


async def _pairs_of(source: Source, table: EntityTable, keys: Mapping[str, list[str]]) -> Found:
    ids = list(keys)
    found = await records_like(source, table, list(keys.values()))
    pairs = {(min(ids[number], other), max(ids[number], other)) for number, other in found.pairs}
    return found._replace(pairs=sorted(pair for pair in pairs if pair[0] != pair[1]))


def matches_of(found: Found) -> dict[Pair, Match]:
    """Return the matches of the pairs with a sufficient score, in their order."""
    return {
        pair: match
        for pair in found.pairs
        if (one := found.candidates.get(pair[0])) and (other := found.candidates.get(pair[1]))
        if (match := compare(one.profile, other.profile, among=found.among, least=LEAST_SCORE))
    }


@cache
def _statement(table: EntityTable) -> bytes:
    found = _CHANGES.format(
        search=table.search.identifier, table=table.identifier, most=sql.Literal(MOST_CHANGED)
    )
    return LIST.format(is_complete=SEARCH_IS_COMPLETE, found=found).as_bytes(None)
