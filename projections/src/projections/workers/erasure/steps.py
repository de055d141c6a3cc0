"""What is done for an erasure, step by step: each may be done again, whatever has ended it before."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import psycopg
from psycopg import AsyncConnection

from ops.base.encryption.cache_purge import Acknowledgement, load_acknowledgements, request_purge
from ops.base.encryption.key_cache import KEYS
from ops.base.records.operations import moment_text
from projections.leases.openings import count_openings_before
from projections.progress import positions
from projections.progress.searches import is_whole
from projections.tables import ENTITY_TABLES, EntityTable
from projections.workers.erasure.actors import forget, take_names, telling_of_no_record
from projections.workers.erasure.erasures import Erasure, Place, told
from projections.workers.erasure.registrations import SHORTEST, Life, life_of, longest, telling_of_nobody_else
from projections.workers.erasure.scanning import scan
from projections.workers.erasure.search_tables import rewrite
from projections.workers.erasure.searches import keys_of_searches, last_access
from projections.workers.erasure.traces import Traces, mailboxes_of, words_of_names, words_of_nobody_else
from projections.workers.erasure.views import drop_views, forget_keys

Done = Sequence[dict[str, Any]]
"""For each erasure, what came of a step."""
Step = Callable[[AsyncConnection, Sequence[Erasure]], Awaitable[Done]]

_UNKNOWN: Final = "nobody knows what to look for: the worker was restarted, or the keys were gone"
_ACTORS: Final = "actors"
_NOTHING_SEALED: Final = "nothing was sealed"


class NotYet(Exception):
    """Something must come first; the text tells what."""


class Steps:
    """The steps, and what must not be written down between the first and the last."""

    def __init__(self, folder: Path | None) -> None:
        """Know no text.

        Args:
            folder: whose files are looked through at the end; None: none are.
        """
        self._folder = folder
        self._traces: dict[Place, Traces] = {}

    @property
    def in_order(self) -> Mapping[str, Step]:
        """The steps by name."""
        return {
            "opened": self.open,
            "destroyed": self.destroy,
            "rotated": self.rotate,
            "rewritten": self.rewrite,
            "told": self.tell,
            "forgotten": self.forget,
            "scanned": self.scan,
        }

    @property
    def knows_texts(self) -> bool:
        """Whether there is anything to be looked for."""
        return bool(self._traces)

    def forget_texts(self, under_way: Iterable[Erasure]) -> None:
        """Keep only the texts that may still be looked for; another worker may have finished the others."""
        places = {one.place for one in under_way if "scanned" not in one.steps}
        self._traces = {place: traces for place, traces in self._traces.items() if place in places}

    def is_due(self, step: str, erasure: Erasure) -> bool:
        """Whether a step is to be done; the first is again, for its texts, while that is possible."""
        if step == "opened" and "destroyed" not in erasure.steps:
            return erasure.place not in self._traces
        return step not in erasure.steps

    async def open(self, connection: AsyncConnection, erasures: Sequence[Erasure]) -> Done:
        """Open what is to be forgotten, once more, to know what to look for and what to tell of its keys."""
        accesses = await last_access(connection)
        lives = {erasure.place: await life_of(connection, erasure) for erasure in erasures}
        for erasure in erasures:
            life = lives[erasure.place]
            if not life.is_over_at(erasure.position):
                raise NotYet(f"no event erases at position {erasure.position} of the log")
            for table in ENTITY_TABLES if erasure.table is None else [erasure.table]:
                await _require_found_by(connection, table, erasure.position)
            if erasure.table is None:
                await take_names(connection, erasure, life)
            if life.is_known:
                self._traces[erasure.place] = await _traces(connection, erasure, life)
        traces = {place: self._traces[place] for place, life in lives.items() if life.is_known}
        searches = await keys_of_searches(connection, traces)
        subs = {one.place.entity_id for one in erasures if one.table is None}
        views = await drop_views(connection, subs, list(traces.values()))
        # Whoever was killed in destroying them has told of the keys before.
        return [
            one.steps["opened"]
            if "opened" in one.steps and not lives[one.place].is_known
            else lives[one.place].told()
            | {"searches": searches.get(one.place, []), "accesses": accesses, "views": views}
            for one in erasures
        ]

    async def destroy(self, _: AsyncConnection, erasures: Sequence[Erasure]) -> Done:
        """Destroy the keys."""
        if ids := _key_ids(erasures):
            await KEYS.store.erase(ids)
        KEYS.clear()
        return [told()] * len(erasures)

    async def rotate(self, _: AsyncConnection, erasures: Sequence[Erasure]) -> Done:
        """Destroy what wrapped the keys, of which somebody may have copies."""
        if not _key_ids(erasures):
            return [told(destroyed=None, epoch=None, survivors=None, kept_because=_NOTHING_SEALED)] * len(
                erasures
            )
        rotation = await KEYS.store.rotate()
        return [told(**rotation._asdict())] * len(erasures)

    async def rewrite(self, connection: AsyncConnection, erasures: Sequence[Erasure]) -> Done:
        """Write the search tables anew, once their projections have gone on, and empty rows of actors."""
        for table, some in _by_table(erasures):
            await _require_found_by(connection, table, max(one.position for one in some))
            try:
                await rewrite(connection, table, some)
            except psycopg.errors.LockNotAvailable:
                raise NotYet(f"somebody reads {table.search.name} for long") from None
        await forget(connection, [one for one in erasures if one.table is None])
        await forget_keys(connection, [key_id for one in erasures for key_id in one.steps["opened"]["views"]])
        return [told(table=one.table.search.name if one.table else _ACTORS) for one in erasures]

    async def tell(self, connection: AsyncConnection, erasures: Sequence[Erasure]) -> Done:
        """Have all services forget what they hold in memory."""
        number = await request_purge(connection)
        return [told(number=number)] * len(erasures)

    async def forget(self, connection: AsyncConnection, erasures: Sequence[Erasure]) -> Done:
        """Hear that they have: each erasure of what was told for it, for whoever begins anew has ended."""
        numbers = [one.steps["told"]["number"] for one in erasures]
        services = {number: await load_acknowledgements(connection, number) for number in sorted({*numbers})}
        awaited = {one.instance for some in services.values() for one in some if one.state == "awaited"}
        if awaited:
            raise NotYet(f"{', '.join(sorted(awaited))} may still hold keys")
        if under_way := await count_openings_before(connection, max(numbers)):
            raise NotYet(f"commands such as rebuild or verify have not ended: {under_way}")
        return [told(services=list(map(_acknowledgement, services[number]))) for number in numbers]

    async def scan(self, connection: AsyncConnection, erasures: Sequence[Erasure]) -> Done:
        """Look whether anything is left in the clear."""
        done = []
        for erasure in erasures:
            traces = self._traces.get(erasure.place)
            found = {"not_scanned": _UNKNOWN}
            if traces is not None:
                found = await scan(connection, traces.texts, self._folder)
            done.append(told(**found, searches=await _destroy_late_searches(connection, erasure, traces)))
        return done


def _acknowledgement(one: Acknowledgement) -> dict[str, Any]:
    return one._asdict() | {"at": moment_text(one.at)}


async def _destroy_late_searches(connection: AsyncConnection, erasure: Erasure, traces: Traces | None) -> int:
    """Destroy the keys of minutes in which somebody was searched for and nobody had recorded it yet.

    Where nobody knows the texts any more it may be any search: better they are lost to auditors than kept.
    """
    found = await keys_of_searches(connection, {None: traces}, after=erasure.steps["opened"]["accesses"])
    if keys := found[None]:
        await KEYS.store.erase(keys)
        await KEYS.store.rotate()
    return len(keys)


async def _require_found_by(connection: AsyncConnection, table: EntityTable, position: int) -> None:
    """See that a table's search terms are those of all records up to a position: they tell who shares a text.

    Raises:
        NotYet: they are not.
    """
    if await positions.read(connection, table) < position:
        raise NotYet(f"the projection {table.name} has not come to it")
    if not await is_whole(connection, table):
        raise NotYet(f"{table.search.name} is not filled yet")


def _key_ids(erasures: Sequence[Erasure]) -> list[str]:
    return [
        key_id
        for one in erasures
        for key_id in (
            *(key["id"] for key in one.steps["opened"]["keys"]),
            *one.steps["opened"]["searches"],
            *one.steps["opened"]["views"],
        )
    ]


def _by_table(erasures: Sequence[Erasure]) -> list[tuple[EntityTable, list[Erasure]]]:
    groups: dict[str, tuple[EntityTable, list[Erasure]]] = {}
    for one in erasures:
        if one.table is not None:
            groups.setdefault(one.table.name, (one.table, []))[1].append(one)
    return [groups[name] for name in sorted(groups)]


async def _traces(connection: AsyncConnection, erasure: Erasure, life: Life) -> Traces:
    """Return what identifies somebody, and no other record."""
    entity_id = erasure.place.entity_id
    values = list({*longest(life.texts), *life.names})
    if erasure.table is None:
        found = await telling_of_no_record(connection, values)
    else:
        found = await telling_of_nobody_else(connection, erasure.table, entity_id, values)
    words = words_of_names(life.names)
    return Traces(
        texts=frozenset(text for text in found if len(text) >= SHORTEST),
        words=await words_of_nobody_else(connection, erasure.table, entity_id, words),
        names=found & life.names,
        ids=mailboxes_of(found) | {entity_id},
    )
