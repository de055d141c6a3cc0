"""Revocation of users' tokens, by the command `sign-out` or the identity provider's logout."""

import argparse
import asyncio
import getpass
import socket
import sys
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

import psycopg

from command_api.database_calls import DatabaseCalls
from ops.base.addresses import is_local
from ops.base.settings import ServiceSettings
from ops.base.sign_in.claims import LEEWAY, is_subject

REVOKE: Final = "SELECT sign_in.revoke(%s::text, %s::text, %s::timestamptz, %s::text)"
"""Revoke tokens.

Parameters: the subject; the session, or null for all (with both, the session's tokens and the subject's
tokens without a session); the time up to which tokens were issued, by the issuer's clock; the origin.
"""


def sign_out(settings: ServiceSettings, arguments: Sequence[str]) -> int:
    """Execute `python -m command_api sign-out` with its arguments, and return the exit status."""
    parser = argparse.ArgumentParser(prog="sign-out", description="Revoke a user's tokens immediately.")
    parser.add_argument("subject", metavar="SUBJECT", help="the user's subject, as in tokens: `sub`")
    parser.add_argument("--session", metavar="SID", help="revoke the tokens of this session only: `sid`")
    parser.add_argument(
        "--ended-there", action="store_true", help="do not mention the session at the identity provider"
    )
    given = parser.parse_args(arguments)
    if not all(is_subject(name) for name in (given.subject, given.session) if name is not None):
        parser.error("a subject or a session is 1 to 255 printable characters")
    # The issuer's clock may be ahead; a local issuer's clock is this machine's.
    leeway = timedelta(seconds=0 if is_local(settings.issuer) else LEEWAY)
    until = datetime.now(UTC) + leeway
    origin = f"operator {getpass.getuser()} at {socket.gethostname()}"
    try:
        calls = DatabaseCalls(settings.database.get_secret_value())
        asyncio.run(calls.call(REVOKE, given.subject, given.session, until, origin))
    except psycopg.Error as error:
        sys.stderr.write(f"sign-out: the database refused ({type(error).__name__})\n")
        return 1
    revoked = f"the session {given.session} of {given.subject}" if given.session else given.subject
    print(f"Signed out: {revoked}. Only the identity provider knows whether this user exists.")
    print(f"Tokens issued until {until:%Y-%m-%dT%H:%M:%SZ} are revoked; all services refuse them within 2 s.")
    if not given.ended_there:
        print(f"The session at {settings.issuer} may still be active: end it there, or the user returns.")
    return 0
