"""Parts of nginx's configuration that the gateway and the edge have in common.

The edge's image holds this module: it must import nothing that changes with a release.
"""

import ipaddress
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from ops.launcher.errors import LauncherError

HERE = Path(__file__).parent
_PLACEHOLDER = re.compile(r"\$\{(FLEETLOG_[A-Z_]+)\}")
RESOLVER_FILE = Path("/etc/resolv.conf")
_NOBODY = "127.0.0.1:1"
"""nginx wants a server in each group, also in one that nothing is passed on to."""


def fill(path: Path, values: Mapping[str, str]) -> None:
    """Write one of nginx's files from the template of its name."""
    template = (HERE / f"{path.name}.template").read_text()
    path.write_text(_PLACEHOLDER.sub(lambda match: values[match[1]], template))


LEFT_ALONE = "max_fails=1 fail_timeout=1s"
"""How a server is that failed: for a second."""


def servers(upstream: str, places: Sequence[str], how: str = LEFT_ALONE) -> str:
    """The directives of a group of servers.

    Servers that are known by name may be several behind one name, and may come back with another address, so
    nginx looks the name up again and again.

    Args:
        upstream: the group.
        places: `HOST:PORT` of each server.
        how: what is said of each.
    """
    lines = [f"server {place} {how}{' resolve' if _is_name(place) else ''};" for place in places or [_NOBODY]]
    if any(map(_is_name, places)):
        lines.append(f"zone {upstream.replace('-', '_')} 64k;")
    return "\n  ".join(lines)


def resolver(places: Iterable[str], *, file: Path | None = None) -> str:
    """The directive that names the system's name server, where a server is known by its name.

    Args:
        places: `HOST:PORT` of all servers.
        file: the system's configuration, if it is another one than usual.

    Raises:
        LauncherError: there is no name server.
    """
    if not any(map(_is_name, places)):
        return ""
    file = file or RESOLVER_FILE
    lines = file.read_text().splitlines() if file.exists() else []
    for words in map(str.split, lines):
        if words[:1] == ["nameserver"] and len(words) > 1:
            address = f"[{words[1]}]" if words[1].count(":") > 1 else words[1]
            return f"resolver {address} valid=1s ipv6=off;"
    raise LauncherError(f"{file} names no name server, so nginx cannot find servers by their names")


def _is_name(place: str) -> bool:
    try:
        ipaddress.ip_address(place.rpartition(":")[0].strip("[]"))
    except ValueError:
        return True
    return False
