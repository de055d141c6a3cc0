"""Addresses that configuration names: whether they are origins, and who can reach them."""

import ipaddress
import re
from typing import Final
from urllib.parse import urlsplit

_ORIGIN: Final = re.compile(r"https?://(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:]+\])(?::[0-9]{1,5})?")


def is_origin(url: str) -> bool:
    """Return whether an address is scheme, host and at most a port, and nothing after them."""
    return _ORIGIN.fullmatch(url) is not None


def is_loopback(host: str) -> bool:
    """Return whether a host is this machine, as nobody else can reach it."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def is_local(url: str) -> bool:
    """Return whether an address leads to this machine only; False also where it is none."""
    try:
        return is_loopback(urlsplit(url).hostname or "")
    except ValueError:
        return False


def is_confidential(url: str) -> bool:
    """Return whether nobody on the way can change what is said there: it is https, or on this machine."""
    return url.startswith("https://") or (url.startswith("http://") and is_local(url))
