"""Who has been signed out: access tokens that were good, and are no more.

Each service holds the list in memory and follows the one in the database (`sign_in.revocations`): it is told
of every change, and looks once a second besides (`ops.base.database.log_watch`).
"""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from prometheus_client import Gauge

from ops.base.database.connection import BoundedConnection
from ops.base.sign_in.refusal import InvalidToken, KeysUnavailable

if TYPE_CHECKING:
    from ops.base.sign_in.verified_token import VerifiedToken

CHANNEL: Final = "fleetlog_revoked"
KEPT: Final = timedelta(days=31)
"""For how long the list remembers: longer than access tokens live."""
OLDEST_SECONDS: Final = 60.0
"""Whoever could not read the list for so long lets nobody in."""

_SELECT: Final = """
SELECT number, subject, session, issued_until FROM sign_in.revocations
WHERE number > %s AND moment > now() - %s ORDER BY number
"""
_IN_FORCE: Final = Gauge("fleetlog_revocations", "Subjects and sessions that are signed out, as known here")

Row = tuple[int, str | None, str | None, datetime]
"""Number, subject, session, and until when what was issued is meant."""


class Revocations:
    """The list, as this process knows it."""

    def __init__(self, *, followed: bool = True) -> None:
        """Begin with nothing.

        Args:
            followed: whether there is a list to follow, so that nobody is let in before it has been read.
        """
        self._read_at = -OLDEST_SECONDS if followed else float("inf")
        self._seen = 0
        self._sessions: dict[str, float] = {}
        self._subjects: dict[str, float] = {}
        self._sessionless: dict[str, float] = {}
        """By subject: one of their sessions has ended, so tokens that name none may be of it."""
        self._waiting: dict[object, tuple[VerifiedToken, Callable[[], None]]] = {}

    @property
    def known(self) -> bool:
        """Whether the list has been read lately."""
        return time.monotonic() - self._read_at < OLDEST_SECONDS

    def begin_anew(self) -> None:
        """Have the next look read the whole list: it may have become another."""
        self._seen = 0

    async def look(self, connection: BoundedConnection) -> None:
        """Read what is new on the list.

        Raises:
            psycopg.Error: it cannot be read.
        """
        began = time.monotonic()
        rows = await (await connection.execute(_SELECT, [self._seen, KEPT])).fetchall()
        if not self._seen:
            self._sessions, self._subjects, self._sessionless = {}, {}, {}
        self.add(rows)
        self._read_at = began

    def add(self, rows: Iterable[Row]) -> None:
        """Take note of what is new, and tell those who wait for it."""
        is_new = False
        for number, subject, session, issued_until in rows:
            self._seen, is_new, until = number, True, issued_until.timestamp()
            if session is not None:
                _note(self._sessions, session, until)
            if subject is not None:
                _note(self._subjects if session is None else self._sessionless, subject, until)
        _IN_FORCE.set(len(self._sessions) + len(self._subjects))
        if is_new:
            for token, callback in list(self._waiting.values()):
                if self.include(token):
                    callback()

    def know_of(self, subject: str | None, session: str | None, issued_until: datetime) -> bool:
        """Tell whether a revocation would change nothing."""
        until = issued_until.timestamp()
        if session is None:
            return subject is not None and self._subjects.get(subject, 0.0) >= until
        return session in self._sessions and (subject is None or self._sessionless.get(subject, 0.0) >= until)

    def include(self, token: "VerifiedToken") -> bool:
        """Tell whether a token is good no more."""
        if not self._sessions and not self._subjects:
            return False
        if token.session in self._sessions:
            return True
        until = self._subjects.get(token.actor.sub, 0.0)
        if token.session is None:
            until = max(until, self._sessionless.get(token.actor.sub, 0.0))
        # One that does not say when it was issued may have been before.
        return until > 0 and (token.issued_at is None or token.issued_at.timestamp() <= until)

    def check(self, token: "VerifiedToken") -> None:
        """Refuse a token that is good no more.

        Raises:
            InvalidToken: it is.
            KeysUnavailable: it cannot be judged, because the list is not known.
        """
        if not self.known:
            raise KeysUnavailable
        if self.include(token):
            raise InvalidToken("revoked")

    @contextmanager
    def when_revoked(self, token: "VerifiedToken", callback: Callable[[], None]) -> Iterator[None]:
        """Have something called as soon as a token is good no more, for the time of a context."""
        key = object()
        self._waiting[key] = (token, callback)
        try:
            if self.include(token):
                callback()
            yield
        finally:
            del self._waiting[key]


def _note(found: dict[str, float], key: str, until: float) -> None:
    """Remember the latest moment for a key, and drop from the front what is outlived."""
    until = max(until, found.pop(key, until))
    found[key] = until
    oldest = time.time() - KEPT.total_seconds()
    while found and next(iter(found.values())) < oldest:
        del found[next(iter(found))]
