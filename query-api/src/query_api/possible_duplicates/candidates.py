"""Candidates by shared keys, and the forms of their values.

SQL compares keys only; the candidates' rows are then decrypted, and compared in Python.
"""

import asyncio
import json
from collections.abc import Mapping, Sequence
from functools import cache
from secrets import randbits
from typing import Any, Final, NamedTuple

from psycopg import sql

from ops.base.http.problems import unavailable
from query_api.database.decryption import SEARCH_INCOMPLETE
from query_api.database.lists import load_items
from query_api.database.source import Source, fetch
from query_api.masking.masks import NAME_FIELDS
from query_api.paging.statement import LIST, SEARCH_IS_COMPLETE, list_parameters
from read_model.matching.keys import NAMESAKE
from read_model.matching.scores import Profile
from read_model.tables import EntityTable

MOST_SHARING: Final = 20
"""Keys that more records share are ignored: they say too little, and give pairs by the square."""
NAMESAKES_UP_TO: Final = 2000
"""Number of drivers up to which a common name and father's name are evidence enough."""
_BATCH: Final = 4000

# PostgreSQL may write what it groups to temporary files, so it groups hashes with a seed that is used once.
# Counting before collecting ids takes a tenth of the memory.
_PAIRS: Final = sql.SQL(
    """
    WITH hashed AS MATERIALIZED (
      SELECT id, hashtextextended(key, %(seed)s) AS hash
      FROM (SELECT id, unnest(match_keys) AS key FROM {search}) AS each
      WHERE abs(hashtextextended(key, %(seed)s) %% %(parts)s) = %(part)s
        AND (%(among)s <= {namesakes} OR left(key, 1) <> {namesake})
    ), shared AS MATERIALIZED (
      SELECT hash FROM hashed GROUP BY hash HAVING count(*) BETWEEN 2 AND {most}
    ), grouped AS MATERIALIZED (
      SELECT array_agg(id) AS ids FROM hashed JOIN shared USING (hash) GROUP BY hash
    ), pairs AS (
      SELECT DISTINCT one, other
      FROM grouped CROSS JOIN LATERAL unnest(ids) AS one CROSS JOIN LATERAL unnest(ids) AS other
      WHERE one < other
    )
    SELECT json_build_object(
      'pairs', (SELECT coalesce(json_agg(json_build_array(one, other)), '[]') FROM pairs)
    )::text
    """
)
_COUNT: Final = sql.SQL("SELECT count(*) FROM {}")
_PART: Final = 20_000
"""Records whose keys one statement groups; with more records, each of several groups a part of the keys."""
# An edited record may be one of those that share a key. Of many records, PostgreSQL's estimate of their
# number is enough, and takes no time.
_LIKE: Final = sql.SQL(
    """
    SELECT json_build_object(
      'among', (
        SELECT CASE WHEN reltuples < {few} THEN (SELECT count(*) FROM {search}) ELSE reltuples::bigint END
        FROM pg_class WHERE oid = {name}::regclass
      ),
      'pairs', (SELECT coalesce(json_agg(DISTINCT jsonb_build_array(number, id)), '[]') FROM (
        SELECT number, unnest(ids) AS id
        FROM unnest(%(numbers)s::int[], %(keys)s::text[]) AS wanted (number, key)
          CROSS JOIN LATERAL (
            SELECT array_agg(id) AS ids FROM {search} WHERE match_keys @> ARRAY[wanted.key]
          ) AS sharing
        WHERE cardinality(ids) <= {most} + 1
      ) AS found)
    )::text
    """
)


class Candidate(NamedTuple):
    """A record that shares a key."""

    name: str | None
    profile: Profile


class Found(NamedTuple):
    """Pairs that share a key."""

    among: int
    """The number of records, except for restricted ones."""
    pairs: Sequence[tuple[Any, str]]
    """Ids, or the number of a wanted row and an id."""
    candidates: Mapping[str, Candidate]
    """By id."""
    is_stale: bool
    """Whether events could not be applied."""


class Answer(NamedTuple):
    """The answer of a statement about keys."""

    etag: str
    position: int
    is_stale: bool
    """Whether events could not be applied."""
    found: Mapping[str, Any] | None
    """None: the caller knows the state with the entity tag."""


async def all_pairs(source: Source, table: EntityTable, among: int) -> Found:
    """Return the pairs of records that share a key; raises as `fetch_list` does.

    Args:
        among: the number of records.
    """
    seed, parts = randbits(63), 1 + among // _PART
    pairs: set[tuple[str, str]] = set()
    is_stale = False
    for part in range(parts):
        more = {"among": among, "seed": seed, "parts": parts, "part": part}
        answer = await read_pairs(source, table, _statement(table, of_rows=False), more)
        pairs |= {(one, other) for one, other in (answer.found or {})["pairs"]}
        is_stale = answer.is_stale
    return Found(among, sorted(pairs), {}, is_stale)


async def records_like(source: Source, table: EntityTable, keys: Sequence[Sequence[str]]) -> Found:
    """Return the records that share a key with each row, given its keys; raises as `fetch_list` does."""
    numbered = [(number, key) for number, some in enumerate(keys) for key in some]
    more = {"numbers": [number for number, _ in numbered], "keys": [key for _, key in numbered]}
    answer = await read_pairs(source, table, _statement(table, of_rows=True), more)
    found = answer.found or {}
    return Found(found["among"], found["pairs"], {}, answer.is_stale)


async def read_pairs(source: Source, table: EntityTable, statement: bytes, more: Mapping[str, Any]) -> Answer:
    """Run a statement made with `LIST` and `SEARCH_IS_COMPLETE`; raises as `fetch_list` does."""
    ((etag, is_stale, is_complete, position, found),) = await fetch(
        source, statement, {**list_parameters(table, ""), **more}, prepare=False
    )
    if not is_complete:
        raise unavailable(SEARCH_INCOMPLETE)
    return Answer(etag, position, is_stale, None if found is None else json.loads(found))


async def with_candidates(source: Source, table: EntityTable, found: Found) -> Found:
    """Return pairs with the records that they name; raises as `fetch_list` does."""
    ids = sorted({one for pair in found.pairs for one in pair if isinstance(one, str)})
    candidates: dict[str, Candidate] = {}
    for start in range(0, len(ids), _BATCH):
        items = await load_items(source, table, ids[start : start + _BATCH])
        candidates |= await asyncio.to_thread(_candidates, table, items)
    return found._replace(candidates=candidates)


def _candidates(table: EntityTable, records: Sequence[Any]) -> dict[str, Candidate]:
    entity = table.entity.name
    return {
        record["id"]: Candidate(record[NAME_FIELDS[entity]], Profile.parse(entity, record))
        for record in records
    }


@cache
def _statement(table: EntityTable, *, of_rows: bool) -> bytes:
    found = (_LIKE if of_rows else _PAIRS).format(
        search=table.search.identifier,
        name=sql.Literal(table.search.identifier.as_string()),
        few=sql.Literal(NAMESAKES_UP_TO),
        most=sql.Literal(MOST_SHARING),
        namesake=sql.Literal(NAMESAKE),
        namesakes=sql.Literal(NAMESAKES_UP_TO),
    )
    return LIST.format(is_complete=SEARCH_IS_COMPLETE, found=found).as_bytes(None)
