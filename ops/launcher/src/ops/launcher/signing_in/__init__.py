"""Signing in from the command line, at whichever identity provider an instance has."""

import argparse
import os
import time
from functools import cached_property
from typing import Final, Self

from ops.launcher.errors import LauncherError
from ops.launcher.instance.data_folder import DataFolder, add_data_argument
from ops.launcher.instance.record import running_instance
from ops.launcher.signing_in.codes import by_browser, by_name
from ops.launcher.signing_in.devices import by_device
from ops.launcher.signing_in.provider import Provider, Refused, Tokens

TOKEN: Final = "FLEETLOG_TOKEN"  # noqa: S105 - a variable's name
_STAFF: Final = "staff"
_LEAST_SECONDS: Final = 30
"""For which a token must still be good to be used again."""


class SignIn:
    """Gets access tokens for an instance; nothing of them is kept on disk.

    Attributes:
        address: the instance's public address.
    """

    def __init__(
        self, address: str, *, client_id: str | None = None, port: int = 0, given: str | None = None
    ) -> None:
        """Prepare to sign in, when a token is first wanted.

        Args:
            address: the instance's public address.
            client_id: see `Provider.of`.
            port: see `by_browser`.
            given: a token that somebody has already.
        """
        self.address = address.rstrip("/")
        self._client_id = client_id
        self._port = port
        self._kept = None if given is None else (given, float("inf"))

    @classmethod
    def of(cls, arguments: argparse.Namespace, *, given: str | None = None) -> Self:
        """Prepare to sign in to the instance that a command's arguments name; see `add_arguments`.

        Args:
            arguments: of the command.
            given: a token for an instance that runs elsewhere, if somebody has one already.

        Raises:
            LauncherError: it does not run, or cannot be there.
        """
        url = arguments.url
        if url is None:
            address = running_instance(DataFolder(arguments.data)).address
            return cls(address, client_id=arguments.client_id, port=arguments.port)
        if not url.startswith(("http://", "https://")):
            raise LauncherError(f"{url} is no address: it must begin with http:// or https://")
        return cls(url, client_id=arguments.client_id, port=arguments.port, given=given)

    @cached_property
    def provider(self) -> Provider:
        """Where people sign in to the instance."""
        return Provider.of(self.address, self._client_id)

    def token(self, name: str = _STAFF) -> str:
        """Return an access token.

        Args:
            name: whose, where the development provider lets people in by role or subject. Anywhere else it
                is whoever signs in, once for as long as that token is good.

        Raises:
            LauncherError: nobody signed in, or somebody does not answer.
        """
        if self._kept is not None and time.monotonic() < self._kept[1]:
            return self._kept[0]
        if self.provider.names:
            return by_name(self.provider, name).access_token
        tokens = self._somebodys()
        self._kept = (tokens.access_token, time.monotonic() + tokens.seconds - _LEAST_SECONDS)
        return tokens.access_token

    def _somebodys(self) -> Tokens:
        if self.provider.endpoint("device_authorization") is not None:
            try:
                return by_device(self.provider)
            except Refused as refusal:
                # It offers that to other applications, but not to us.
                if refusal.error not in {"unauthorized_client", "unsupported_grant_type"}:
                    raise
        return by_browser(self.provider, port=self._port)


def given_token() -> str | None:
    """Return the token that somebody has put into the environment."""
    return os.environ.get(TOKEN, "").strip() or None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments by which `SignIn.of` finds the instance."""
    add_data_argument(parser)
    add_sign_in_arguments(parser)


def add_sign_in_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare these arguments but for the data folder's."""
    parser.add_argument("--url", help="address of an instance that runs elsewhere (default: the one here)")
    parser.add_argument(
        "--client-id",
        metavar="ID",
        help="by which the identity provider knows this command line (default: as the browser's application)",
    )
    parser.add_argument(
        "--port",
        type=int,
        default=0,
        help="where the browser comes back to after sign-in, if the provider wants that registered",
    )
