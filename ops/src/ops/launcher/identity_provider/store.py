"""Sessions, codes and refresh tokens as Authlib wants them; in SQLite, so that a restart signs nobody out."""

import hashlib
import os
import secrets
import sqlite3
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, Literal

SESSION_LIFETIME: Final = 86_400  # seconds; the specification's session cookie of one day
_LIFETIMES: Final = {"code": 60, "refresh": 30 * 86_400}
_SCHEMA: Final = """
create table if not exists sessions (
    id text primary key, sub text not null, auth_time integer not null, expires integer not null
);
create table if not exists credentials (
    id text primary key, kind text not null, family text not null, session text not null,
    client_id text not null, redirect_uri text not null, scope text not null, sub text not null,
    auth_time integer not null, nonce text, code_challenge text, spent integer not null,
    expires integer not null
);
create index if not exists credentials_of_a_family on credentials (family);
create index if not exists credentials_of_a_session on credentials (session);
"""

Kind = Literal["code", "refresh"]


@dataclass(frozen=True)
class Session:
    """A browser in which somebody has signed in."""

    id: str
    sub: str
    auth_time: int
    """Unix time at which they did."""

    @property
    def sid(self) -> str:
        """What tokens call it."""
        return _sid(self.id)

    def is_too_old(self, max_age: str | None) -> bool:
        """Tell whether a request's `max_age` (seconds) asks for a fresher sign-in than this."""
        return max_age is not None and max_age.isdecimal() and time.time() - self.auth_time > int(max_age)


@dataclass(frozen=True)
class Credential:
    """An authorization code or a refresh token.

    Authlib calls the methods (its `AuthorizationCodeMixin` and `TokenMixin`).
    """

    id: str
    """Digest of the secret, which itself is not kept."""
    family: str
    """Digest of the authorization code from which everything in the family was obtained."""
    session: str
    client_id: str
    redirect_uri: str
    scope: str
    sub: str
    auth_time: int
    nonce: str | None
    code_challenge: str | None
    spent: bool
    """Used once already: a code that was exchanged, a refresh token that was rotated."""

    code_challenge_method = "S256"

    @property
    def sid(self) -> str:
        """What tokens call the session that it was obtained in."""
        return _sid(self.session)

    def get_redirect_uri(self) -> str:
        """Return where the code was sent."""
        return self.redirect_uri

    def get_scope(self) -> str:
        """Return the granted scopes, separated by spaces."""
        return self.scope

    def check_client(self, client: object) -> bool:
        """Tell whether this was issued to `client`."""
        return getattr(client, "client_id", None) == self.client_id


def digest(secret: str) -> str:
    """Return what is stored instead of a random secret."""
    return hashlib.sha256(secret.encode()).hexdigest()


def _sid(session: str) -> str:
    """Return another name of a session: the one it is kept under is a matter between us and its cookie."""
    return digest(f"sid {session}")[:32]


class Store:
    """The identity provider's memory; what a method changes is committed when it returns."""

    def __init__(self, state_dir: Path) -> None:
        """Open or create the database.

        Args:
            state_dir: an existing folder.

        Raises:
            OSError: it cannot be used.
            sqlite3.Error: it holds something else under our name.
        """
        path = state_dir / "sessions.sqlite3"
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
        self._database = sqlite3.connect(path, isolation_level=None, timeout=5)
        self._database.row_factory = sqlite3.Row
        # With a write-ahead log, what was committed survives the death of the process.
        self._database.executescript(f"pragma journal_mode = wal; pragma synchronous = normal; {_SCHEMA}")

    def close(self) -> None:
        """Close the database."""
        self._database.close()

    def start_session(self, sub: str) -> tuple[str, Session]:
        """Begin a session; returns the cookie's secret with it."""
        secret, now = secrets.token_urlsafe(32), int(time.time())
        session = Session(digest(secret), sub, now)
        self._database.execute("delete from sessions where expires <= ?", (now,))
        self._database.execute(
            "insert into sessions values (?, ?, ?, ?)", (session.id, sub, now, now + SESSION_LIFETIME)
        )
        return secret, session

    def find_session(self, secret: str) -> Session | None:
        """Return the session of a cookie, while it lasts."""
        row = self._database.execute(
            "select id, sub, auth_time from sessions where id = ? and expires > ?",
            (digest(secret), int(time.time())),
        ).fetchone()
        return None if row is None else Session(**row)

    def end_session(self, session: Session) -> None:
        """Forget a session and every refresh token that was obtained in it."""
        self._end(session.id)

    def end_sessions(self, sub: str, sid: str | None = None) -> None:
        """Forget somebody's sessions, also those of which only refresh tokens are left.

        Args:
            sub: whose.
            sid: only this one, as tokens call it.
        """
        found = self._database.execute(
            "select id from sessions where sub = ? union select session from credentials where sub = ?",
            (sub, sub),
        ).fetchall()
        for (session,) in found:
            if sid in (None, _sid(session)):
                self._end(session)

    def _end(self, session: str) -> None:
        self._database.execute("delete from credentials where session = ?", (session,))
        self._database.execute("delete from sessions where id = ?", (session,))

    def add(self, kind: Kind, credential: Credential) -> None:
        """Remember a code or refresh token."""
        now = int(time.time())
        row = {**asdict(credential), "kind": kind, "expires": now + _LIFETIMES[kind]}
        self._database.execute("delete from credentials where expires <= ?", (now,))
        self._database.execute(
            f"insert into credentials ({', '.join(row)}) values ({', '.join(':' + name for name in row)})",  # noqa: S608
            row,
        )

    def find(self, kind: Kind, secret: str) -> Credential | None:
        """Return the code or refresh token with this secret, while it lasts; it may be spent."""
        row = self._database.execute(
            "select * from credentials where id = ? and kind = ? and expires > ?",
            (digest(secret), kind, int(time.time())),
        ).fetchone()
        if row is None:
            return None
        values = {name: row[name] for name in row.keys() if name not in {"kind", "expires"}}  # noqa: SIM118
        return Credential(**{**values, "spent": bool(values["spent"])})

    def spend(self, credential: Credential) -> None:
        """Mark a credential as used. It is kept, so that its second use is noticed."""
        self._database.execute("update credentials set spent = 1 where id = ?", (credential.id,))

    def revoke_family(self, credential: Credential) -> None:
        """Forget everything that was obtained with the same authorization code."""
        self._database.execute("delete from credentials where family = ?", (credential.family,))
