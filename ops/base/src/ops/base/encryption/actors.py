"""What those are called whom events and accesses name by their subject: the directory of actors.

A row of `log.actors` has the names that somebody has had, and since when, in a box that is sealed under a key
of theirs. Who was forgotten has no box, and is never given one again.
"""

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import datetime
from typing import Any, Final, Never

import psycopg
from psycopg_pool import PoolTimeout

from ops.base.database.pools import Pool
from ops.base.encryption.actor import Actor, decrypt_names, encrypt_names
from ops.base.encryption.key_cache import CACHE_SECONDS, KEYS
from ops.base.encryption.key_encryption_keys import KeysUnavailable
from ops.base.process.tasks import running

# What was written before that moment is seen.
_SELECT: Final = """
SELECT sub, key_id, box, statement_timestamp(), (
  SELECT split_part(type, '.', 2) FROM read.revisions
  WHERE entity = 'actor' AND entity_id = sub ORDER BY version DESC LIMIT 1
)
FROM unnest(%s::text[]) AS asked (sub) LEFT JOIN log.actors USING (sub)
"""
_WRITE: Final = "SELECT log.name_actor(%s::text, %s::text, %s::bytea, %s::bytea)"

At = tuple[str, datetime]
"""A subject, and a moment of the database's."""


class ActorDirectory:
    """The directory, of which a process holds what it was asked for, for a minute at most."""

    def __init__(self) -> None:
        self._pool: Pool | None = None
        self.clear()

    @asynccontextmanager
    async def use(self, pool: Pool) -> AsyncIterator[None]:
        """Use the directory in a database for the time of a context.

        Args:
            pool: of connections to where the log is, for no replica has what was just written.
        """
        former, self._pool = self._pool, pool
        self.clear()
        try:
            async with running(self._expire_actors):
                yield
        finally:
            self.clear()
            self._pool = former

    def clear(self) -> None:
        """Hold nobody's name."""
        self.expire()
        self._noted: set[tuple[str, str]] = set()

    def expire(self) -> None:
        """Hold nothing that may have changed."""
        self._young: dict[str, Actor] = {}
        self._old: dict[str, Actor] = {}

    async def record(self, sub: str, name: str, *, since: datetime | None = None) -> None:
        """Have a name in the directory before something is written that only names the subject.

        It costs nothing where this process has done so, or nothing is sealed; of who was forgotten nothing
        is written.

        Args:
            sub: the subject.
            name: what they are called.
            since: from when on; None: now.

        Raises:
            KeysUnavailable: it cannot be written now.
        """
        if (since is None and (sub, name) in self._noted) or self._pool is None or not KEYS.seals:
            return
        try:
            while not await self._is_written(sub, name, since):
                pass  # another process came first
        except (psycopg.Error, PoolTimeout) as error:
            raise _unavailable(error) from None
        self._noted.add((sub, name))

    async def name_to_write(self, sub: str, name: str) -> str:
        """Return the name that is written beside a subject: where things are sealed none, for it is noted.

        What is written must not fail for it: who cannot be noted now will be the next time.

        Args:
            sub: the subject.
            name: what they are called.
        """
        if not KEYS.seals:
            return name
        with suppress(KeysUnavailable):
            await self.record(sub, name)
        return ""

    async def key_id_of(self, sub: str) -> str | None:
        """Return what somebody's names are sealed under, or were; None: they never had any.

        Raises:
            KeysUnavailable: nobody can tell now.
        """
        if self._pool is None:
            return None
        try:
            return (await self._read([sub]))[sub].key_id
        except (psycopg.Error, PoolTimeout) as error:
            raise _unavailable(error) from None

    async def load(self, wanted: Iterable[At]) -> Mapping[str, Actor]:
        """Return those who were known at moments, by their subjects.

        Raises:
            KeysUnavailable: their names cannot be opened now.
        """
        latest: dict[str, datetime] = {}
        for sub, moment in wanted:
            latest[sub] = max(moment, latest.get(sub, moment))
        held = {sub: self._young.get(sub) or self._old.get(sub) for sub in latest}
        # What was read before that moment may lack the name that they had then.
        missing = [sub for sub, one in held.items() if one is None or one.read_at < latest[sub]]
        found = await self._read(missing) if missing and self._pool is not None else {}
        return {sub: actor for sub, actor in {**held, **found}.items() if actor is not None}

    async def _read(self, subs: Sequence[str]) -> Mapping[str, Actor]:
        young = self._young
        rows = await self._fetch(_SELECT, [list(subs)])
        await KEYS.load(key_id for _, key_id, *_ in rows if key_id is not None)
        actors = {
            sub: Actor(key_id, decrypt_names(key_id, sub, box), at, box, standing)
            for sub, key_id, box, at, standing in rows
        }
        # Where all was forgotten meanwhile, these are as well.
        young.update(actors)
        return actors

    async def _is_written(self, sub: str, name: str, since: datetime | None) -> bool:
        actor = (await self._read([sub]))[sub]
        moment = since or actor.read_at
        if actor.name(moment) == name:
            return True
        if actor.key_id is None:
            key, is_new = await KEYS.issue(), True
        else:
            held = KEYS.get(actor.key_id)
            if held is None or actor.ciphertext is None:
                return True  # forgotten
            key, is_new = held, False
        names = sorted([*actor.names, (name, moment)], key=lambda one: one[1])
        box = encrypt_names(key, sub, names)
        ((written,),) = await self._fetch(_WRITE, [sub, key.id, box, actor.ciphertext])
        if is_new and not written:
            KEYS.put_back(key)
        self._young.pop(sub, None)
        self._old.pop(sub, None)
        return bool(written)

    async def _fetch(self, statement: str, parameters: Sequence[Any]) -> list[tuple[Any, ...]]:
        if self._pool is None:
            raise AssertionError("it is not opened")

        async def read(connection: psycopg.AsyncConnection) -> list[tuple[Any, ...]]:
            return await (await connection.execute(statement, parameters)).fetchall()

        return await self._pool.read(read)

    async def _expire_actors(self) -> Never:
        while True:
            await asyncio.sleep(CACHE_SECONDS / 2)
            self._young, self._old = {}, self._young


def _unavailable(error: Exception) -> KeysUnavailable:
    return KeysUnavailable(f"the directory of actors: {type(error).__name__}")


ACTORS: Final = ActorDirectory()
"""This process's: it has one directory, as it has one key store."""
