"""Revoked access tokens, by subject and session.

Each service caches the list of the database (`sign_in.revocations`): it is notified of changes, and also
polls once a second (`ops.base.database.log_watch`).
"""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from prometheus_client import Gauge

from ops.base.database.connection import BoundedConnection
from ops.base.sign_in.refusal import InvalidToken, SigningKeysUnavailable

if TYPE_CHECKING:
    from ops.base.sign_in.actor import VerifiedToken

CHANNEL: Final = "fleetlog_revoked"
KEPT: Final = timedelta(days=31)
"""How long revocations are stored: longer than the lifetime of access tokens."""
OLDEST_SECONDS: Final = 60.0
"""Maximum age of the list; a service with an older one accepts no token."""

_SELECT: Final = """
SELECT number, subject, session, issued_until FROM sign_in.revocations
WHERE number > %s AND moment > now() - %s ORDER BY number
"""
_IN_FORCE: Final = Gauge("fleetlog_revocations", "Revoked subjects and sessions in this process")

Row = tuple[int, str | None, str | None, datetime]
"""Number, subject, session, and the latest issue time of the revoked tokens."""


class Revocations:
    """This process's copy of the list."""

    def __init__(self, *, followed: bool = True) -> None:
        """Create an empty list.

        Args:
            followed: whether the list must be read from the database before any token is accepted.
        """
        self._read_at = -OLDEST_SECONDS if followed else float("inf")
        self._seen = 0
        self._sessions: dict[str, float] = {}
        self._subjects: dict[str, float] = {}
        self._sessionless: dict[str, float] = {}
        """Subjects with an ended session, to which tokens without a session may belong."""
        self._waiting: dict[object, tuple[VerifiedToken, Callable[[], None]]] = {}

    @property
    def known(self) -> bool:
        """Whether the list is recent enough."""
        return time.monotonic() - self._read_at < OLDEST_SECONDS

    def reset(self) -> None:
        """Read the complete list at the next `update`: the database may be another."""
        self._seen = 0

    async def update(self, connection: BoundedConnection) -> None:
        """Read new revocations; raises `psycopg.Error`."""
        began = time.monotonic()
        rows = await (await connection.execute(_SELECT, [self._seen, KEPT])).fetchall()
        if not self._seen:
            self._sessions, self._subjects, self._sessionless = {}, {}, {}
        self.add(rows)
        self._read_at = began

    def add(self, rows: Iterable[Row]) -> None:
        """Add revocations, and call the callbacks of revoked tokens."""
        is_new = False
        for number, subject, session, issued_until in rows:
            self._seen, is_new, until = number, True, issued_until.timestamp()
            if session is not None:
                _add(self._sessions, session, until)
            if subject is not None:
                _add(self._subjects if session is None else self._sessionless, subject, until)
        _IN_FORCE.set(len(self._sessions) + len(self._subjects))
        if is_new:
            for token, callback in list(self._waiting.values()):
                if self.include(token):
                    callback()

    def covers(self, subject: str | None, session: str | None, issued_until: datetime) -> bool:
        """Return whether a revocation is on the list already."""
        until = issued_until.timestamp()
        if session is None:
            return subject is not None and self._subjects.get(subject, 0.0) >= until
        return session in self._sessions and (subject is None or self._sessionless.get(subject, 0.0) >= until)

    def include(self, token: "VerifiedToken") -> bool:
        """Return whether a token is revoked."""
        if not self._sessions and not self._subjects:
            return False
        if token.session in self._sessions:
            return True
        until = self._subjects.get(token.actor.sub, 0.0)
        if token.session is None:
            until = max(until, self._sessionless.get(token.actor.sub, 0.0))
        # A token without an issue time may be older.
        return until > 0 and (token.issued_at is None or token.issued_at.timestamp() <= until)

    def check(self, token: "VerifiedToken") -> None:
        """Check that a token is not revoked.

        Raises:
            InvalidToken: the token is revoked.
            KeysUnavailable: the list is too old.
        """
        if not self.known:
            raise SigningKeysUnavailable
        if self.include(token):
            raise InvalidToken("revoked")

    @contextmanager
    def notify(self, token: "VerifiedToken", callback: Callable[[], None]) -> Iterator[None]:
        """Call back as soon as a token is revoked, within the context."""
        key = object()
        self._waiting[key] = (token, callback)
        try:
            if self.include(token):
                callback()
            yield
        finally:
            del self._waiting[key]


def _add(found: dict[str, float], key: str, until: float) -> None:
    """Store the latest time of a key, and drop expired entries, which are at the front."""
    until = max(until, found.pop(key, until))
    found[key] = until
    oldest = time.time() - KEPT.total_seconds()
    while found and next(iter(found.values())) < oldest:
        del found[next(iter(found))]
