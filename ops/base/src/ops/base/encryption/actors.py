"""The directory of actors: encrypted names of the users to whose subjects events and accesses refer.

A row of `log.actors` holds the names that a user has had, and since when, encrypted under a key of the user's
own. The row of an erased user has no ciphertext, and never gets one again.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import datetime
from typing import Any, Final, NamedTuple, Never

import psycopg
from psycopg_pool import PoolTimeout

from ops.base.database.pools import Pool
from ops.base.encryption.key_cache import CACHE_SECONDS, KEYS
from ops.base.encryption.key_encryption_keys import KeysUnavailable
from ops.base.encryption.keys import DecryptionError, Key
from ops.base.process.tasks import running
from ops.base.records.json_values import json_bytes
from ops.base.records.masks import ERASED, MASKED

# The time on the server: a name that was written earlier is among the rows.
_SELECT: Final = """
SELECT sub, key_id, ciphertext, statement_timestamp(), (
  SELECT status FROM log.actor_statuses WHERE originator_id = 'actor:' || sub
)
FROM unnest(%s::text[]) AS asked (sub) LEFT JOIN log.actors USING (sub)
"""
_WRITE: Final = "SELECT log.name_actor(%s::text, %s::text, %s::bytea, %s::bytea)"

Names = Sequence[tuple[str, datetime]]
"""Names, each with the time from which it is valid; the oldest first."""


class ActorEntry(NamedTuple):
    """A user as the directory had them at `read_at`."""

    key_id: str | None
    """The key of the names; None: the directory never had any."""
    names: Names
    """Empty if they cannot be decrypted."""
    read_at: datetime
    ciphertext: bytes | None = None
    status: str | None = None
    """The type of the last event about the user, such as `restricted`."""

    def name(self, moment: datetime) -> str | None:
        """Return the user's name at a time, or the oldest known name; None if no name is known."""
        oldest = self.names[0][0] if self.names else None
        return next((name for name, since in reversed(self.names) if since <= moment), oldest)

    @property
    def is_erased(self) -> bool:
        """Whether the user's names were erased, or are about to be."""
        return self.status == "erased" or (self.key_id is not None and self.ciphertext is None)

    @property
    def is_restricted(self) -> bool:
        """Whether the use of the user's names is restricted."""
        return self.status in ("restricted", "hold_set")


def encrypt_names(key: Key, sub: str, names: Names) -> bytes:
    """Encrypt the names of a user's row."""
    return key.encrypt(json_bytes([[name, since.isoformat()] for name, since in names]), _context(sub))


def decrypt_names(key_id: str | None, sub: str, ciphertext: bytes | None) -> Names:
    """Return the names of a user's row with a cached key; empty if they cannot be decrypted."""
    key = None if key_id is None else KEYS.get(key_id)
    if key is None or ciphertext is None:
        return ()
    try:
        names = json.loads(key.decrypt(ciphertext, _context(sub)))
    except DecryptionError:  # the row was changed
        return ()
    return [(name, datetime.fromisoformat(since)) for name, since in names]


class ActorDirectory:
    """The directory, cached for a minute at most."""

    def __init__(self) -> None:
        self._pool: Pool | None = None
        self.clear()

    @asynccontextmanager
    async def use(self, pool: Pool) -> AsyncIterator[None]:
        """Use the directory of a database within the context, and afterwards the former one.

        Args:
            pool: connections to the primary, because a replica may lack recent rows.
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
        """Drop everything from the cache."""
        self.expire()
        self._recorded: set[tuple[str, str]] = set()

    def expire(self) -> None:
        """Drop the cached rows, which may have changed."""
        self._young: dict[str, ActorEntry] = {}
        self._old: dict[str, ActorEntry] = {}

    async def record(self, sub: str, name: str) -> None:
        """Store a user's name before something is written that refers to the subject only.

        It returns at once if this process has stored the name before. An erased user gets no name again.

        Raises:
            KeysUnavailable: the name cannot be stored now.
        """
        if (sub, name) in self._recorded or self._pool is None:
            return
        try:
            while not await self._is_written(sub, name):
                pass  # another process has changed the row
        except (psycopg.Error, PoolTimeout) as error:
            raise _unavailable(error) from None
        self._recorded.add((sub, name))

    async def try_record(self, sub: str, name: str) -> None:
        """Store a name like `record`, or at the user's next access if that is not possible now."""
        with suppress(KeysUnavailable):
            await self.record(sub, name)

    async def key_id_of(self, sub: str) -> str | None:
        """Return the id of the key of a user's names, erased or not; None if there never was one.

        Raises:
            KeysUnavailable: the directory cannot be read now.
        """
        if self._pool is None:
            return None
        try:
            return (await self._read([sub]))[sub].key_id
        except (psycopg.Error, PoolTimeout) as error:
            raise _unavailable(error) from None

    async def load(self, wanted: Iterable[tuple[str, datetime]]) -> Mapping[str, ActorEntry]:
        """Return users by subject, with the names that they had at given times; raises `KeysUnavailable`."""
        latest: dict[str, datetime] = {}
        for sub, moment in wanted:
            latest[sub] = max(moment, latest.get(sub, moment))
        cached = {sub: self._young.get(sub) or self._old.get(sub) for sub in latest}
        # A row that was read before the time may lack the name of that time.
        missing = [sub for sub, one in cached.items() if one is None or one.read_at < latest[sub]]
        found = await self._read(missing) if missing and self._pool is not None else {}
        return {sub: actor for sub, actor in {**cached, **found}.items() if actor is not None}

    async def _read(self, subs: Sequence[str]) -> Mapping[str, ActorEntry]:
        young = self._young
        rows = await self._fetch(_SELECT, [list(subs)])
        await KEYS.load(key_id for _, key_id, *_ in rows if key_id is not None)
        actors = {
            sub: ActorEntry(key_id, decrypt_names(key_id, sub, ciphertext), at, ciphertext, status)
            for sub, key_id, ciphertext, at, status in rows
        }
        # If the cache was cleared meanwhile, this dictionary is no longer part of it.
        young.update(actors)
        return actors

    async def _is_written(self, sub: str, name: str) -> bool:
        actor = (await self._read([sub]))[sub]
        if actor.name(actor.read_at) == name:
            return True
        is_new = actor.key_id is None
        key = await KEYS.issue() if actor.key_id is None else KEYS.get(actor.key_id)
        if key is None or (actor.ciphertext is None and not is_new):
            return True  # erased
        ciphertext = encrypt_names(key, sub, [*actor.names, (name, actor.read_at)])
        ((written,),) = await self._fetch(_WRITE, [sub, key.id, ciphertext, actor.ciphertext])
        if is_new and not written:
            KEYS.put_back(key)
        self._young.pop(sub, None)
        self._old.pop(sub, None)
        return bool(written)

    async def _fetch(self, statement: str, parameters: Sequence[Any]) -> list[tuple[Any, ...]]:
        if self._pool is None:
            raise AssertionError("the directory is not in use")

        async def read(connection: psycopg.AsyncConnection) -> list[tuple[Any, ...]]:
            return await (await connection.execute(statement, parameters)).fetchall()

        return await self._pool.read(read)

    async def _expire_actors(self) -> Never:
        while True:
            await asyncio.sleep(CACHE_SECONDS / 2)
            self._young, self._old = {}, self._young


def _context(sub: str) -> bytes:
    return b"actors|" + sub.encode()


def _unavailable(error: Exception) -> KeysUnavailable:
    return KeysUnavailable(f"the directory of actors: {type(error).__name__}")


ACTORS: Final = ActorDirectory()
"""The directory of this process."""


class ActorName(NamedTuple):
    """A user's name at a time, if the caller may see it."""

    name: str | None
    masked_as: str | None = None
    """Why the name is missing: `MASKED`, `ERASED`, or None if it is not."""


class ActorNames:
    """The names of some users; see `load_actor_names`."""

    def __init__(self, actors: Mapping[str, ActorEntry], *, restricted: bool) -> None:
        self._actors = actors
        self._restricted = restricted

    def of(self, sub: str | None, moment: datetime, own: str | None) -> ActorName:
        """Return the name of a user at a time.

        Args:
            sub: the subject; None: the event has no actor.
            own: the name in the event or access itself, if it has one.
        """
        actor = None if sub is None else self._actors.get(sub)
        if actor is not None and actor.is_erased:
            return ActorName(None, ERASED)
        if actor is not None and actor.is_restricted and not self._restricted:
            return ActorName(None, MASKED)
        name = own or (actor and actor.name(moment))
        return ActorName(name, None if name or sub is None else ERASED)


async def load_actor_names(
    wanted: Iterable[tuple[str | None, datetime]], *, restricted: bool = False
) -> ActorNames:
    """Load the names that users had at given times; raises `KeysUnavailable`.

    Args:
        restricted: whether the caller may see names whose use is restricted.
    """
    actors = await ACTORS.load((sub, moment) for sub, moment in wanted if sub is not None)
    return ActorNames(actors, restricted=restricted)
