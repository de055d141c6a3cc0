"""The steps of an erasure; each is idempotent, so a step that was interrupted is repeated."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import psycopg
from psycopg import AsyncConnection

from ops.base.encryption.cache_purge import load_acknowledgements, request_purge
from ops.base.encryption.key_cache import KEYS
from ops.base.records.operations import moment_text
from projections.leadership.locks import count_commands_before
from projections.progress import positions
from projections.progress.searches import is_complete
from projections.workers.erasure.erasures import Erasure, EventId, timestamped
from projections.workers.erasure.registrations import (
    MOST_TEXTS,
    SHORTEST,
    Registration,
    read_registration,
    unique_texts,
)
from projections.workers.erasure.scan import scan
from projections.workers.erasure.search_tables import rewrite
from projections.workers.erasure.staff_texts import drop_views, forget_keys, keys_of_searches
from projections.workers.erasure.traces import Traces, mailboxes_of, unique_words, words_of_names
from read_model.tables import ENTITY_TABLES, EntityTable

Results = Sequence[dict[str, Any]]
"""A step's result for each erasure."""
Step = Callable[[AsyncConnection, Sequence[Erasure]], Awaitable[Results]]

_UNKNOWN: Final = "the texts are unknown: the worker was restarted, or the keys had been destroyed"
_ACTORS: Final = "actors"
_NOTHING_ENCRYPTED: Final = "nothing was encrypted"
_LAST_ACCESS: Final = "SELECT coalesce(max(number), 0) FROM audit.accesses"
_FORGET_ACTOR: Final = "SELECT log.forget_actor(%s)"
_REWRITE_UNIQUE_VALUES: Final = "SELECT log.rewrite_unique_values()"


class NotYet(Exception):
    """The step must wait; the message says why."""


class Steps:
    """The steps, and the identifying texts, which are kept in memory only.

    Args:
        folder: the folder to scan for remaining texts, if any.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._traces: dict[EventId, Traces] = {}

    @property
    def in_order(self) -> Mapping[str, Step]:
        """The steps by name."""
        return {
            "decrypted": self.decrypt,
            "destroyed": self.destroy,
            "rotated": self.rotate,
            "rewritten": self.rewrite,
            "purged": self.purge_caches,
            "acknowledged": self.await_purge,
            "scanned": self.scan,
        }

    @property
    def knows_texts(self) -> bool:
        """Whether identifying texts remain to be scanned for."""
        return bool(self._traces)

    def forget_texts(self, pending: Iterable[Erasure]) -> None:
        """Drop the texts of erasures that were scanned, perhaps by another worker."""
        places = {one.event for one in pending if "scanned" not in one.steps}
        self._traces = {place: traces for place, traces in self._traces.items() if place in places}

    def is_due(self, step: str, erasure: Erasure) -> bool:
        """Return whether a step is due; the first is repeated for its texts while the keys exist."""
        if step not in erasure.steps:
            return True
        return step == "decrypted" and "destroyed" not in erasure.steps and erasure.event not in self._traces

    async def decrypt(self, connection: AsyncConnection, erasures: Sequence[Erasure]) -> Results:
        """Decrypt the person's events, to find identifying texts and the facts about the keys."""
        ((accesses,),) = await (await connection.execute(_LAST_ACCESS)).fetchall()
        registrations = {one.event: await read_registration(connection, one) for one in erasures}
        for erasure in erasures:
            registration = registrations[erasure.event]
            if not registration.is_erased_at(erasure.position):
                raise NotYet(f"no event erases at position {erasure.position} of the log")
            for table in ENTITY_TABLES if erasure.table is None else [erasure.table]:
                await _require_search_terms(connection, table, erasure.position)
            if erasure.table is None:
                await registration.add_user(connection, erasure.event.entity_id)
            if registration.is_known:
                self._traces[erasure.event] = await _traces(connection, erasure, registration)
        traces = {place: self._traces[place] for place, one in registrations.items() if one.is_known}
        searches = await keys_of_searches(connection, traces)
        subs = {one.event.entity_id for one in erasures if one.table is None}
        views = await drop_views(connection, subs, list(traces.values()))
        # A worker that was killed while it destroyed the keys has recorded the facts before.
        return [
            one.steps["decrypted"]
            if "decrypted" in one.steps and not registrations[one.event].is_known
            else registrations[one.event].facts()
            | {"searches": searches.get(one.event, []), "accesses": accesses, "views": views}
            for one in erasures
        ]

    async def destroy(self, _: AsyncConnection, erasures: Sequence[Erasure]) -> Results:
        """Destroy the keys."""
        if ids := _key_ids(erasures):
            await KEYS.store.erase(ids)
        KEYS.clear()
        return [timestamped()] * len(erasures)

    async def rotate(self, _: AsyncConnection, erasures: Sequence[Erasure]) -> Results:
        """Destroy the key-encryption key, because copies of the encrypted keys may exist."""
        if not _key_ids(erasures):
            result = timestamped(destroyed=None, epoch=None, survivors=None, kept_because=_NOTHING_ENCRYPTED)
            return [result] * len(erasures)
        rotation = await KEYS.store.rotate()
        return [timestamped(**rotation._asdict())] * len(erasures)

    async def rewrite(self, connection: AsyncConnection, erasures: Sequence[Erasure]) -> Results:
        """Rewrite the search tables, once their projections have caught up, and erase users' names."""
        for table in ENTITY_TABLES:
            some = [one for one in erasures if one.table is table]
            if not some:
                continue
            await _require_search_terms(connection, table, max(one.position for one in some))
            try:
                await rewrite(connection, table, some)
                await connection.execute(_REWRITE_UNIQUE_VALUES)
            except psycopg.errors.LockNotAvailable:
                raise NotYet(f"a query reads {table.search.name} or unique values for a long time") from None
        for erasure in erasures:
            if erasure.table is None:
                await connection.execute(_FORGET_ACTOR, (erasure.event.entity_id,))
        await forget_keys(
            connection, [key_id for one in erasures for key_id in one.steps["decrypted"]["views"]]
        )
        return [timestamped(table=one.table.search.name if one.table else _ACTORS) for one in erasures]

    async def purge_caches(self, connection: AsyncConnection, erasures: Sequence[Erasure]) -> Results:
        """Request that all services clear their key caches."""
        number = await request_purge(connection)
        return [timestamped(number=number)] * len(erasures)

    async def await_purge(self, connection: AsyncConnection, erasures: Sequence[Erasure]) -> Results:
        """Wait for the acknowledgements of the request of each erasure; a restarted service counts as one."""
        numbers = [one.steps["purged"]["number"] for one in erasures]
        services = {number: await load_acknowledgements(connection, number) for number in sorted({*numbers})}
        awaited = {one.instance for some in services.values() for one in some if one.state == "awaited"}
        if awaited:
            raise NotYet(f"{', '.join(sorted(awaited))} may still hold keys")
        if running := await count_commands_before(connection, max(numbers)):
            raise NotYet(f"commands such as rebuild or verify have not ended: {running}")
        reported = {
            number: [one._asdict() | {"at": moment_text(one.at)} for one in some]
            for number, some in services.items()
        }
        return [timestamped(services=reported[number]) for number in numbers]

    async def scan(self, connection: AsyncConnection, erasures: Sequence[Erasure]) -> Results:
        """Scan rows and files for unencrypted texts."""
        results = []
        for erasure in erasures:
            traces = self._traces.get(erasure.event)
            found = {"not_scanned": _UNKNOWN}
            if traces is not None:
                found = await scan(connection, traces.texts, self._folder)
            # Searches after the first step. If the texts are unknown, the keys of all these searches are
            # destroyed: privacy outweighs the audit of searches.
            accesses = erasure.steps["decrypted"]["accesses"]
            late = (await keys_of_searches(connection, {None: traces}, after=accesses))[None]
            if late:
                await KEYS.store.erase(late)
                await KEYS.store.rotate()
            results.append(timestamped(**found, searches=len(late)))
        return results


async def _require_search_terms(connection: AsyncConnection, table: EntityTable, position: int) -> None:
    """Raise NotYet unless the search terms, which show who shares a text, are complete up to a position."""
    if (await positions.read_place(connection, table)).position < position:
        raise NotYet(f"the projection {table.name} has not reached position {position}")
    if not await is_complete(connection, table):
        raise NotYet(f"{table.search.name} is not filled yet")


def _key_ids(erasures: Sequence[Erasure]) -> list[str]:
    return [
        key_id
        for one in erasures
        for key_id in (
            *(key["id"] for key in one.steps["decrypted"]["keys"]),
            *one.steps["decrypted"]["searches"],
            *one.steps["decrypted"]["views"],
        )
    ]


async def _traces(connection: AsyncConnection, erasure: Erasure, registration: Registration) -> Traces:
    """Return the values that identify the person, and no other record."""
    entity_id = erasure.event.entity_id
    longest = sorted(registration.texts, key=len, reverse=True)[:MOST_TEXTS]
    values = list({*longest, *registration.names})
    found = await unique_texts(connection, erasure.table, entity_id, values)
    words = words_of_names(registration.names)
    return Traces(
        texts=frozenset(text for text in found if len(text) >= SHORTEST),
        words=await unique_words(connection, erasure.table, entity_id, words),
        names=found & registration.names,
        ids=mailboxes_of(found) | {entity_id},
    )
