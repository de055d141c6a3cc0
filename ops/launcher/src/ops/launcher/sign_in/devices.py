"""The device authorization grant (RFC 8628): sign-in with a browser on any machine."""

import time
from time import sleep
from typing import Final

from ops.launcher.errors import LauncherError
from ops.launcher.messages import notify
from ops.launcher.sign_in.provider import ProviderClient, Refused, Tokens

_GRANT: Final = "urn:ietf:params:oauth:grant-type:device_code"
_INTERVAL_SECONDS: Final = 5.0
"""The default between polls, and the increase after `slow_down` (RFC 8628, section 3.5)."""


def by_device(provider: ProviderClient) -> Tokens:
    """Let the user sign in with a browser on any machine.

    Raises:
        Refused: the provider or the user refuses.
        LauncherError: the user did not sign in in time, or the provider does not answer, or not to devices.
    """
    if provider.endpoint("device_authorization") is None:
        raise LauncherError(
            f"{provider.issuer} offers no sign-in on a command line: enable the device authorization grant"
            " there, or set FLEETLOG_TOKEN to a token"
        )
    match provider.post("device_authorization", scope=provider.scope, audience=provider.audience):
        case {"device_code": str(device), "user_code": str(code), "verification_uri": str(page), **rest}:
            pass
        case _:
            raise LauncherError(f"{provider.issuer} answers without a code for this device")
    shortcut = rest.get("verification_uri_complete")
    address = shortcut if isinstance(shortcut, str) else page
    notify(f"to sign in at {provider.issuer}, open this in any browser:\n{_readable(address)}")
    notify(f"and compare, or enter, the code {_readable(code)}")
    interval, lifetime = (
        _seconds(rest.get("interval"), _INTERVAL_SECONDS),
        _seconds(rest.get("expires_in"), 300.0),
    )
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
            interval += _INTERVAL_SECONDS if refusal.error == "slow_down" else 0
    raise LauncherError(f"no sign-in at {provider.issuer} within the time allowed")


def _seconds(value: object, default: float) -> float:
    return float(value) if isinstance(value, int | float) and value >= 0 else default


def _readable(text: str) -> str:
    return "".join(character for character in text if character.isprintable())
