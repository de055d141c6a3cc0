"""Properties of configured addresses."""

import ipaddress
import re
from typing import Final
from urllib.parse import urlsplit

_ORIGIN: Final = re.compile(r"https?://(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:]+\])(?::[0-9]{1,5})?")


def is_origin(url: str) -> bool:
    """Return whether an address is scheme, host and at most a port, and nothing after them."""
    return _ORIGIN.fullmatch(url) is not None


def is_loopback(host: str) -> bool:
    """Return whether a host is a loopback address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def is_local(url: str) -> bool:
    """Return whether an address is on this machine; False if it is malformed."""
    try:
        return is_loopback(urlsplit(url).hostname or "")
    except ValueError:
        return False


def is_confidential(url: str) -> bool:
    """Return whether an address is https, or on this machine."""
    return url.startswith("https://") or (url.startswith("http://") and is_local(url))
