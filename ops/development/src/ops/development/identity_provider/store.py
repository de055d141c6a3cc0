"""Sessions, codes and refresh tokens, in SQLite, so that they survive a restart."""

import hashlib
import os
import secrets
import sqlite3
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Final, Literal

SESSION_LIFETIME: Final = 86_400  # seconds; the specification's session cookie of one day
_LIFETIMES: Final = {"code": 60, "refresh": 30 * 86_400}
_SCHEMA: Final = """
pragma journal_mode = wal;  -- commits survive the end of the process
pragma synchronous = normal;
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
    """The session of a signed-in user, in a browser or on a command line."""

    id: str
    """Digest of its cookie's secret, which itself is not stored."""
    sub: str
    auth_time: int
    """Unix time of the sign-in."""


@dataclass(frozen=True)
class Credential:
    """The grant behind an authorization code or a refresh token."""

    session: str
    sub: str
    auth_time: int
    client_id: str
    redirect_uri: str
    scope: str
    nonce: str | None
    code_challenge: str | None
    id: str = ""
    family: str = ""
    """Digest of the code from which all tokens of the family were obtained."""
    spent: bool = False
    """Whether it was used."""


def digest(secret: str) -> str:
    """Return the digest of a random secret, which is stored in its place."""
    return hashlib.sha256(secret.encode()).hexdigest()


def sid_of(session: str) -> str:
    """Return the `sid` of a session in tokens, which does not reveal the session's id."""
    return digest(f"sid {session}")[:32]


class Store:
    """Database of the identity provider; each method commits its changes."""

    def __init__(self, state_dir: Path) -> None:
        """Open or create the database in an existing folder.

        Raises:
            OSError: the folder cannot be read or written.
            sqlite3.Error: the file is not a database of this schema.
        """
        path = state_dir / "sessions.sqlite3"
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
        self._database = sqlite3.connect(path, isolation_level=None, timeout=5)
        self._database.row_factory = sqlite3.Row
        self._database.executescript(_SCHEMA)
        self.close = self._database.close

    def start_session(self, sub: str) -> tuple[str, Session]:
        """Start a session, and return it with the cookie's secret."""
        secret, now = secrets.token_urlsafe(32), int(time.time())
        session = Session(digest(secret), sub, now)
        self._database.execute("delete from sessions where expires <= ?", (now,))
        row = (session.id, sub, now, now + SESSION_LIFETIME)
        self._database.execute("insert into sessions values (?, ?, ?, ?)", row)
        return secret, session

    def find_session(self, secret: str) -> Session | None:
        """Return the session of a cookie, unless it has expired."""
        row = self._database.execute(
            "select id, sub, auth_time from sessions where id = ? and expires > ?",
            (digest(secret), int(time.time())),
        ).fetchone()
        return None if row is None else Session(**row)

    def end_session(self, session: str) -> None:
        """Delete a session and its codes and refresh tokens."""
        self._database.execute("delete from credentials where session = ?", (session,))
        self._database.execute("delete from sessions where id = ?", (session,))

    def end_sessions(self, sub: str, sid: str | None = None) -> None:
        """Delete a user's sessions, also those with refresh tokens only.

        Args:
            sid: delete only the session with this `sid`.
        """
        found = self._database.execute(
            "select id from sessions where sub = ? union select session from credentials where sub = ?",
            (sub, sub),
        ).fetchall()
        for (session,) in found:
            if sid in (None, sid_of(session)):
                self.end_session(session)

    def add(self, kind: Kind, credential: Credential) -> str:
        """Issue a code, or a refresh token in the family of the credential."""
        secret, now = secrets.token_urlsafe(48), int(time.time())
        made = replace(credential, id=digest(secret), family=credential.family or digest(secret), spent=False)
        row = {**asdict(made), "kind": kind, "expires": now + _LIFETIMES[kind]}
        self._database.execute("delete from credentials where expires <= ?", (now,))
        self._database.execute(
            f"insert into credentials ({', '.join(row)}) values ({', '.join(':' + name for name in row)})",  # noqa: S608
            row,
        )
        return secret

    def find(self, kind: Kind, secret: str) -> Credential | None:
        """Return the grant of an unused code or refresh token, unless it has expired.

        A second use deletes all tokens of the family (RFC 9700, section 4.14.2).
        """
        row = self._database.execute(
            "select * from credentials where id = ? and kind = ? and expires > ?",
            (digest(secret), kind, int(time.time())),
        ).fetchone()
        if row is not None and row["spent"]:
            self._database.execute("delete from credentials where family = ?", (row["family"],))
        if row is None or row["spent"]:
            return None
        return Credential(**{name: row[name] for name in Credential.__dataclass_fields__})

    def mark_used(self, credential: Credential) -> None:
        """Mark a code or refresh token as used; it stays stored, to detect a second use."""
        self._database.execute("update credentials set spent = 1 where id = ?", (credential.id,))
