"""Sign-in on the command line, at the identity provider of an instance."""

import argparse
import os
import time
from functools import cached_property
from typing import Final, Self

from ops.launcher.errors import LauncherError
from ops.launcher.instance.data_folder import DataFolder, add_data_argument
from ops.launcher.instance.record import running_instance
from ops.launcher.sign_in.devices import by_device
from ops.launcher.sign_in.programs import program_token
from ops.launcher.sign_in.provider import ProviderClient

TOKEN: Final = "FLEETLOG_TOKEN"  # noqa: S105 - a variable's name
_MARGIN_SECONDS: Final = 30
"""A cached token is not used within this time before it expires."""


class SignIn:
    """Gets access tokens for an instance; they are cached in memory only."""

    def __init__(self, address: str, *, client_id: str | None = None, given: str | None = None) -> None:
        """Create a sign-in that starts when a token is first needed.

        Args:
            client_id: see `ProviderClient.discover`.
        """
        self.address = address.rstrip("/")
        self._client_id = client_id
        self._cached = None if given is None else (given, float("inf"))

    @classmethod
    def from_arguments(cls, arguments: argparse.Namespace, *, given: str | None = None) -> Self:
        """Create a sign-in to the instance that a command's arguments name; see `add_arguments`.

        Args:
            given: an access token for an instance named by `--url`.
        """
        url = arguments.url
        if url is None:
            url, given = running_instance(DataFolder(arguments.data)).address, None
        elif not url.startswith(("http://", "https://")):
            raise LauncherError(f"{url} is not an address: it must begin with http:// or https://")
        return cls(url, client_id=arguments.client_id, given=given)

    @cached_property
    def provider(self) -> ProviderClient:
        """The instance's identity provider."""
        return ProviderClient.discover(self.address, self._client_id)

    def token(self, name: str = "staff") -> str:
        """Return an access token.

        Args:
            name: role or subject at the development provider. Other providers ask the user to sign in, once
                per lifetime of a token.
        """
        if self._cached is not None and time.monotonic() < self._cached[1]:
            return self._cached[0]
        if self.provider.is_development:
            return program_token(self.provider, name, secret=name)
        tokens = by_device(self.provider)
        self._cached = (tokens.access_token, time.monotonic() + tokens.seconds - _MARGIN_SECONDS)
        return tokens.access_token


def given_token() -> str | None:
    """Return the access token in the environment, if any."""
    return os.environ.get(TOKEN, "").strip() or None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `SignIn.from_arguments`."""
    add_data_argument(parser)
    add_sign_in_arguments(parser)


def add_sign_in_arguments(parser: argparse.ArgumentParser) -> None:
    """Add these arguments without `--data`."""
    parser.add_argument("--url", help="address of an instance elsewhere (default: the running one)")
    parser.add_argument(
        "--client-id",
        metavar="ID",
        help="client of the command line at the identity provider (default: that of the browser application)",
    )
