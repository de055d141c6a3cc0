"""The client credentials grant (RFC 6749, section 4.4), for programs."""

import os
from dataclasses import replace
from typing import Final

from ops.launcher.errors import LauncherError
from ops.launcher.sign_in.provider import ProviderClient

SECRET: Final = "FLEETLOG_CLIENT_SECRET"  # noqa: S105 - a variable's name


def program_token(
    provider: ProviderClient, client_id: str, scope: str | None = None, *, secret: str = ""
) -> str:
    """Return an access token of a program, whose secret is given or in the environment.

    Raises:
        Refused: the provider refuses the program.
        LauncherError: the environment has no secret, or the provider does not answer.
    """
    # At the development provider, which admits everyone, users are clients as well, and secrets are the ids.
    secret = secret or os.environ.get(SECRET, "") or (client_id if provider.is_development else "")
    if not secret:
        raise LauncherError(f"{SECRET} is not set: it is the program's client secret at {provider.issuer}")
    grant = {"grant_type": "client_credentials", "client_secret": secret, "audience": provider.audience}
    client = replace(provider, client_id=client_id)
    return client.tokens(**grant, **({} if scope is None else {"scope": scope})).access_token
