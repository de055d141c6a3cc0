"""What those are called whom events and accesses name by their subject: the directory of actors.

A row of `log.actors` has the names that somebody has had, and since when, in a box that is sealed under a key
of theirs. Who was forgotten has no box, and is never given one again.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any, Final, NamedTuple, Never

import psycopg
from psycopg_pool import PoolTimeout

from ops.base.database import Pool
from ops.base.json_values import json_bytes
from ops.base.sealing.keys import CannotOpen, Key
from ops.base.sealing.ring import HELD_SECONDS, KEYS
from ops.base.sealing.wrapping import KeysUnavailable
from ops.base.tasks import running

# What was written before that moment is seen.
_SELECT: Final = """
SELECT sub, key_id, box, statement_timestamp()
FROM unnest(%s::text[]) AS asked (sub) LEFT JOIN log.actors USING (sub)
"""
_WRITE: Final = "SELECT log.name_actor(%s::text, %s::text, %s::bytea, %s::bytea)"

At = tuple[str, datetime]
"""A subject, and a moment of the database's."""


class Actor(NamedTuple):
    """Somebody, as the directory knew them at some moment."""

    key_id: str | None
    """What their names are sealed under; None: they never had any."""
    names: Sequence[tuple[str, datetime]]
    """And since when, the oldest first; empty: nobody can tell."""
    read_at: datetime
    box: bytes | None = None

    def name(self, moment: datetime) -> str | None:
        """Return what they were called; None: nobody can tell."""
        return next((name for name, since in reversed(self.names) if since <= moment), self._first)

    @property
    def is_forgotten(self) -> bool:
        """Whether they had names, and were forgotten."""
        return self.key_id is not None and self.box is None

    @property
    def _first(self) -> str | None:
        return self.names[0][0] if self.names else None


class Actors:
    """The directory, of which a process holds what it was asked for, for a minute at most."""

    def __init__(self) -> None:
        self._pool: Pool | None = None
        self.forget()

    @asynccontextmanager
    async def opened(self, pool: Pool) -> AsyncIterator[None]:
        """Use the directory in a database for the time of a context.

        Args:
            pool: of connections to where the log is, for no replica has what was just written.
        """
        former, self._pool = self._pool, pool
        self.forget()
        try:
            async with running(self._keep_forgetting()):
                yield
        finally:
            self.forget()
            self._pool = former

    def forget(self) -> None:
        """Hold nobody's name."""
        self._young: dict[str, Actor] = {}
        self._old: dict[str, Actor] = {}
        self._noted: set[tuple[str, str]] = set()

    async def note(self, sub: str, name: str, *, since: datetime | None = None) -> None:
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
            raise KeysUnavailable(f"the directory of actors: {type(error).__name__}") from None
        self._noted.add((sub, name))

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
        await KEYS.load(key_id for _, key_id, _, _ in rows if key_id is not None)
        actors = {sub: Actor(key_id, _opened(key_id, sub, box), at, box) for sub, key_id, box, at in rows}
        # Where all was forgotten meanwhile, these are as well.
        young.update(actors)
        return actors

    async def _is_written(self, sub: str, name: str, since: datetime | None) -> bool:
        actor = (await self._read([sub]))[sub]
        moment = since or actor.read_at
        if actor.name(moment) == name:
            return True
        if actor.key_id is None:
            key, is_new = await KEYS.new(), True
        else:
            held = KEYS.get(actor.key_id)
            if held is None or actor.box is None:
                return True  # forgotten
            key, is_new = held, False
        names = sorted([*actor.names, (name, moment)], key=lambda one: one[1])
        box = box_of(key, sub, names)
        ((written,),) = await self._fetch(_WRITE, [sub, key.id, box, actor.box])
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

    async def _keep_forgetting(self) -> Never:
        while True:
            await asyncio.sleep(HELD_SECONDS / 2)
            self._young, self._old = {}, self._young


def box_of(key: Key, sub: str, names: Sequence[tuple[str, datetime]]) -> bytes:
    """Return the box of somebody's row.

    Args:
        key: theirs.
        sub: the subject.
        names: see `Actor`.
    """
    return key.seal(json_bytes([[name, since.isoformat()] for name, since in names]), _place(sub))


def _opened(key_id: str | None, sub: str, box: bytes | None) -> Sequence[tuple[str, datetime]]:
    key = None if key_id is None else KEYS.get(key_id)
    if key is None or box is None:
        return ()
    try:
        names = json.loads(key.open(box, _place(sub)))
    except CannotOpen:
        return ()  # changed: what it says is not to be believed
    return [(name, datetime.fromisoformat(since)) for name, since in names]


def _place(sub: str) -> bytes:
    return b"actors|" + sub.encode()


ACTORS: Final = Actors()
"""This process's: it has one directory, as it has one key store."""
