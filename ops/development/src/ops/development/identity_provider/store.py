"""Sessions, codes and refresh tokens, in SQLite, so that a restart signs nobody out."""

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
pragma journal_mode = wal;  -- what was committed survives the death of the process
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
    """Somebody who has signed in, in a browser or for the command line."""

    id: str
    """Digest of its cookie's secret, which itself is not kept."""
    sub: str
    auth_time: int
    """Unix time at which they did."""


@dataclass(frozen=True)
class Credential:
    """What an authorization code or a refresh token was given for."""

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
    """Digest of the code from which everything in the family was obtained."""
    spent: bool = False
    """Used once already."""


def digest(secret: str) -> str:
    """Return what is stored instead of a random secret."""
    return hashlib.sha256(secret.encode()).hexdigest()


def sid_of(session: str) -> str:
    """Return what tokens call a session: its id is a matter between us and its cookie."""
    return digest(f"sid {session}")[:32]


class Store:
    """The identity provider's memory; what a method changes is committed when it returns."""

    def __init__(self, state_dir: Path) -> None:
        """Open or create the database in an existing folder.

        Raises:
            OSError: it cannot be used.
            sqlite3.Error: it holds something else under our name.
        """
        path = state_dir / "sessions.sqlite3"
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
        self._database = sqlite3.connect(path, isolation_level=None, timeout=5)
        self._database.row_factory = sqlite3.Row
        self._database.executescript(_SCHEMA)
        self.close = self._database.close

    def start_session(self, sub: str) -> tuple[str, Session]:
        """Begin a session; returns the cookie's secret with it."""
        secret, now = secrets.token_urlsafe(32), int(time.time())
        session = Session(digest(secret), sub, now)
        self._database.execute("delete from sessions where expires <= ?", (now,))
        row = (session.id, sub, now, now + SESSION_LIFETIME)
        self._database.execute("insert into sessions values (?, ?, ?, ?)", row)
        return secret, session

    def find_session(self, secret: str) -> Session | None:
        """Return the session of a cookie, while it lasts."""
        row = self._database.execute(
            "select id, sub, auth_time from sessions where id = ? and expires > ?",
            (digest(secret), int(time.time())),
        ).fetchone()
        return None if row is None else Session(**row)

    def end_session(self, session: str) -> None:
        """Forget a session and every refresh token that was obtained in it."""
        self._database.execute("delete from credentials where session = ?", (session,))
        self._database.execute("delete from sessions where id = ?", (session,))

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
            if sid in (None, sid_of(session)):
                self.end_session(session)

    def add(self, kind: Kind, credential: Credential) -> str:
        """Make a code or refresh token, of the family of the one before, if there was one."""
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
        """Return what an unused code or refresh token was given for, while it lasts.

        One that is used again takes everything along that was obtained with it (RFC 9700, section 4.14.2).
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

    def spend(self, credential: Credential) -> None:
        """Let it be used no more. It is kept, so that its second use is noticed."""
        self._database.execute("update credentials set spent = 1 where id = ?", (credential.id,))
