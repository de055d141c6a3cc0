"""Fills nginx's configuration files, and `/config.json` for the frontend."""

import json
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ops.launcher.errors import LauncherError
from ops.launcher.gateway.limits import GatewayLimits
from ops.launcher.gateway.servers import HERE, fill, resolver, servers
from ops.launcher.instance.sign_in import AUDIENCE, CLIENT_ID

_UNSPEAKABLE = re.compile(r'["$\\\n{}]')
"""What a quoted string of nginx cannot hold, or takes for a variable."""


@dataclass(frozen=True)
class SignIn:
    """Where people sign in.

    Attributes:
        origin: the identity provider's, without a final slash.
        client_id: by which it knows the frontend.
        audience: by which it knows the APIs.
    """

    origin: str
    client_id: str = CLIENT_ID
    audience: str = AUDIENCE


@dataclass(frozen=True)
class Tls:
    """How the gateway speaks TLS by itself.

    Attributes:
        listen: where it does, such as `0.0.0.0:8443`.
        certificate: PEM file with the key and its chain of certificates; read again at each reload.
        redirects: what leads there, such as `0.0.0.0:8082`; None: all other addresses.
    """

    listen: str
    certificate: Path
    redirects: str | None = None


EMBEDDED = "master_process off;\nworker_processes 1;"
"""One process: killing it leaves no worker behind that still holds the port."""
SEVERAL_PROCESSES = "worker_processes 2;\nworker_shutdown_timeout 30s;"
"""A master that takes signals, so that nginx can be reloaded or ended without breaking a request off."""

_AT_ONCE = " deferred" if sys.platform == "linux" else ""
"""A connection is accepted when its request has begun to come: one that waits for its first bytes is idle to
nginx, which closes idle connections, the oldest first, when there are few left."""

_UNCOUNTED = 'map "" $fleetlog_counted {\n  default "";\n}'

ALL_AT_ONCE = "multi_accept on;"
"""So that hardly any connection is left in the queue of a listener that closes."""

_FROM_EDGE = """\
# What the edge passes on comes from whom it says; who can reach these places otherwise is in our own network.
stream {{
  set_real_ip_from 0.0.0.0/0;
  set_real_ip_from ::/0;
  {servers}
}}"""

RELOADS = "keepalive_min_timeout 5s;"
"""A worker that ends lets idle clients ask once more: who just sends would find the connection closed."""


def write_configuration(
    folder: Path,
    *,
    address: str,
    listen: list[str],
    upstreams: Mapping[str, Sequence[str]],
    frontend: Path,
    processes: str = EMBEDDED,
    sign_in: SignIn | None = None,
    limits: GatewayLimits | None = None,
    metrics: str | None = None,
    tls: Tls | None = None,
    from_edge: Mapping[str, str] | None = None,
) -> None:
    """Write everything nginx needs to its folder.

    Args:
        folder: nginx's own folder, for its configuration.
        address: the one origin that browsers use.
        listen: addresses to listen on, such as `127.0.0.1:8080`.
        upstreams: `HOST:PORT` of the servers of `command-api`, `query-api` and `identity-provider`; where
            there is none of the last, people sign in elsewhere.
        frontend: folder of the built frontend.
        processes: `EMBEDDED` or `SEVERAL_PROCESSES`.
        sign_in: where people sign in; None: at the development identity provider.
        limits: what is bounded; from the environment if not given.
        metrics: address to tell metrics at, such as `127.0.0.1:9113`; None: nowhere.
        tls: how it speaks TLS; None: something that stands before it does, or nobody.
        from_edge: where an edge tells whose connections they are (by the PROXY protocol), and which of its
            addresses each leads to.

    Raises:
        LauncherError: nginx cannot express a folder's name, nothing could find a host by its name, or a limit
            in the environment is malformed.
    """
    for path in (folder, frontend, HERE, *([tls.certificate] if tls else ())):
        if _UNSPEAKABLE.search(str(path)):
            raise LauncherError(f"nginx cannot use a folder with quotes, braces, $ or \\ in its name: {path}")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "no-temporary-files").touch()
    sign_in = sign_in or SignIn(address)
    redirects: list[str] = []
    if tls:
        listen, redirects = (listen, [tls.redirects]) if tls.redirects else ([], listen)
    values = {
        "FLEETLOG_ADDRESS": address,
        "FLEETLOG_SIGN_IN": sign_in.origin,
        "FLEETLOG_LISTEN": _listen(listen, _AT_ONCE)
        + _listen([tls.listen] if tls else [], f" ssl{_AT_ONCE}"),
        "FLEETLOG_PLAIN_LISTEN": _listen(redirects, _AT_ONCE),
        "FLEETLOG_TLS": "include tls.conf;" if tls else "",
        "FLEETLOG_REDIRECTS": "include redirects.conf;" if tls else "",
        "FLEETLOG_CERTIFICATE": str(tls.certificate) if tls else "",
        "FLEETLOG_FRONTEND": str(frontend),
        "FLEETLOG_GATEWAY": str(HERE),
        "FLEETLOG_GATEWAY_STATE": str(folder),
        "FLEETLOG_PROCESSES": processes,
        "FLEETLOG_SCHEME": "https" if address.lower().startswith("https:") else "$scheme",
        "FLEETLOG_METRICS": _UNCOUNTED if metrics is None else "include metrics.conf;",
        "FLEETLOG_METRICS_LISTEN": metrics or "",
        "FLEETLOG_ACCEPT": ALL_AT_ONCE if from_edge else "",
        "FLEETLOG_FROM_EDGE": _from_edge(from_edge or {}),
        **(limits or GatewayLimits.load()).placeholders(),
        "FLEETLOG_RELOADS": RELOADS if processes == SEVERAL_PROCESSES else "",
        "FLEETLOG_RESOLVER": resolver(place for places in upstreams.values() for place in places),
        "FLEETLOG_PROVIDER": "proxy_pass http://identity_provider;"
        if upstreams["identity-provider"]
        else "return 404;",
        **{
            f"FLEETLOG_{name.upper().replace('-', '_')}": servers(name, places)
            for name, places in upstreams.items()
        },
    }
    for name in ("nginx.conf", "fleetlog.conf", "metrics.conf", "tls.conf", "redirects.conf"):
        fill(folder / name, values)
    auth = {"domain": sign_in.origin, "clientId": sign_in.client_id, "audience": sign_in.audience}
    (folder / "config.json").write_text(json.dumps({"auth": auth, "apiBase": ""}, indent=2) + "\n")


def _listen(places: Iterable[str], how: str) -> str:
    return " ".join(f"listen {place}{how};" for place in places)


def _from_edge(places: Mapping[str, str]) -> str:
    # A worker that ends has no port left to pass those on to that it was not told yet whose they are.
    servers = (
        f"server {{ listen {listen}{_AT_ONCE} proxy_protocol; pass {to}; }}" for listen, to in places.items()
    )
    return _FROM_EDGE.format(servers="\n  ".join(servers)) if places else ""
