"""The device authorization grant (RFC 8628): somebody signs in with a browser anywhere."""

import time
from time import sleep
from typing import Final

from ops.launcher.errors import LauncherError
from ops.launcher.saying import say
from ops.launcher.signing_in.provider import SCOPE, Provider, Refused, Tokens

_GRANT: Final = "urn:ietf:params:oauth:grant-type:device_code"
_INTERVAL: Final = 5.0
_SLOWER: Final = 5.0
"""Seconds between questions where nothing is said, and by how many more when that is too often."""


def by_device(provider: Provider) -> Tokens:
    """Have somebody sign in with a browser of any machine.

    Raises:
        Refused: the provider refuses, or whoever was asked.
        LauncherError: nobody signed in in time, or the provider does not answer.
    """
    match provider.post("device_authorization", scope=SCOPE, audience=provider.audience):
        case {"device_code": str(device), "user_code": str(code), "verification_uri": str(page), **rest}:
            pass
        case _:
            raise LauncherError(f"{provider.issuer} answers without a code for this device")
    shortcut = rest.get("verification_uri_complete")
    address = shortcut if isinstance(shortcut, str) else page
    say(f"to sign in at {provider.issuer}, open this in any browser:\n{_readable(address)}")
    say(f"and see that it shows, or enter: {_readable(code)}")
    interval, lifetime = _seconds(rest.get("interval"), _INTERVAL), _seconds(rest.get("expires_in"), 300.0)
    deadline = time.monotonic() + lifetime
    while time.monotonic() < deadline:
        sleep(interval)
        try:
            return provider.tokens(grant_type=_GRANT, device_code=device)
        except Refused as refusal:
            if refusal.error == "expired_token":
                break
            if refusal.error not in {"authorization_pending", "slow_down"}:
                raise
            interval += _SLOWER if refusal.error == "slow_down" else 0
    raise LauncherError(f"nobody signed in at {provider.issuer} in time")


def _seconds(told: object, otherwise: float) -> float:
    return float(told) if isinstance(told, int | float) and told >= 0 else otherwise


def _readable(text: str) -> str:
    return "".join(character for character in text if character.isprintable())
