"""Signing people out: what they were given is taken no more, by any service."""

import argparse
import asyncio
import getpass
import socket
import sys
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

import psycopg

from ops.base.addresses import is_local
from ops.base.database.connection import ANSWER_SECONDS, connect
from ops.base.settings import ServiceSettings
from ops.base.sign_in.claims import LEEWAY, is_subject

_REVOKE: Final = "SELECT sign_in.revoke(%s::text, %s::text, %s::timestamptz, %s::text)"
PROVIDER: Final = "provider"
"""As the origin of a revocation: the identity provider said so."""


class SignOuts:
    """Adds to the list of those who have been signed out."""

    def __init__(self, dsn: str) -> None:
        """Prepare to add.

        Args:
            dsn: of a role that may call `sign_in.revoke`.
        """
        self._dsn = dsn
        # Each takes a connection of its own, for they are few; a crowd of them takes no more than one.
        self._turn = asyncio.Lock()

    async def add(
        self, subject: str | None, session: str | None, *, issued_until: datetime, origin: str
    ) -> None:
        """Have tokens taken no more.

        Args:
            subject: whose; with a session as well, only those of that subject that name no session.
            session: of which session; None: of all.
            issued_until: which, by the clock of who issues them.
            origin: who said so.

        Raises:
            psycopg.OperationalError: the database cannot be reached.
        """
        async with (
            self._turn,
            await connect(self._dsn, autocommit=True, answer_seconds=ANSWER_SECONDS) as connection,
        ):
            await connection.execute(_REVOKE, [subject, session, issued_until, origin])


def sign_out(settings: ServiceSettings, words: Sequence[str]) -> int:
    """Carry out `python -m command_api sign-out`.

    Args:
        settings: of the command API.
        words: what follows on the command line.

    Returns:
        The exit status.
    """
    parser = argparse.ArgumentParser(
        prog="sign-out", description="Have what somebody was given to sign in with taken no more."
    )
    parser.add_argument("subject", metavar="SUBJECT", help="as tokens name them: `sub`")
    parser.add_argument("--session", metavar="SID", help="only what was given in this session: `sid`")
    parser.add_argument(
        "--ended-there", action="store_true", help="say nothing of their session at the identity provider"
    )
    given = parser.parse_args(words)
    if not all(is_subject(name) for name in (given.subject, given.session) if name is not None):
        parser.error("a subject, or a session, is 1 to 255 printable characters")
    # Who issues tokens may have another clock; where it is this machine's, nobody is kept out for longer.
    leeway = timedelta(seconds=0 if is_local(settings.issuer) else LEEWAY)
    until = datetime.now(UTC) + leeway
    origin = f"operator {getpass.getuser()} at {socket.gethostname()}"
    try:
        sign_outs = SignOuts(settings.database.get_secret_value())
        asyncio.run(sign_outs.add(given.subject, given.session, issued_until=until, origin=origin))
    except psycopg.Error as error:
        sys.stderr.write(f"sign-out: the database does not let us ({type(error).__name__})\n")
        return 1
    what = f"the session {given.session} of {given.subject}" if given.session else given.subject
    print(f"Signed out: {what}. Whether there is anybody of that name, only the identity provider knows.")
    print(f"No token issued to them until {until:%Y-%m-%dT%H:%M:%SZ} is taken; services know within 2 s.")
    if not given.ended_there:
        print(f"At {settings.issuer} they may still be signed in: end that there, or they come back.")
    return 0
