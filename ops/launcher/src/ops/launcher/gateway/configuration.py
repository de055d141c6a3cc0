"""nginx's configuration files, and `/config.json` for the frontend."""

import json
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ops.launcher.errors import LauncherError
from ops.launcher.gateway.limits import GatewayLimits
from ops.launcher.gateway.servers import HERE, fill, resolver, servers
from ops.launcher.instance.sign_in import Provider, development_provider

_INVALID = re.compile(r'["$\\\n{}]')
"""Characters that a quoted string in nginx's configuration cannot contain, or that begin a variable."""


@dataclass(frozen=True)
class Tls:
    """TLS termination by the gateway.

    Attributes:
        listen: the address, such as `0.0.0.0:8443`.
        certificate: PEM file with the key and its certificate chain; read at each reload.
        redirects: the address that redirects there, such as `0.0.0.0:8082`; None: all other addresses.
    """

    listen: str
    certificate: Path
    redirects: str | None = None


EMBEDDED = "master_process off;\nworker_processes 1;"
"""One process: if it is killed, no worker remains that occupies the port."""
SEVERAL_PROCESSES = "worker_processes 2;\nworker_shutdown_timeout 30s;"
"""A master that handles signals, so that reloads and the end interrupt no request."""

_DEFERRED = " deferred" if sys.platform == "linux" else ""
"""Accept a connection when its first bytes arrive. Before that, nginx would count it as idle, and close the
oldest idle connections when descriptors run short."""

_UNCOUNTED = 'map "" $fleetlog_counted {\n  default "";\n}'

MULTI_ACCEPT = "multi_accept on;"
"""Leaves few connections in the queue of a listener that closes."""

_FROM_EDGE = """\
# The edge reports each client's address. Only clients of the internal network can reach these ports directly.
stream {{
  set_real_ip_from 0.0.0.0/0;
  set_real_ip_from ::/0;
  {servers}
}}"""

RELOADS = "keepalive_min_timeout 5s;"
"""An ending worker keeps idle connections open for a moment, because a client may be about to use them."""


def write_configuration(
    folder: Path,
    *,
    address: str,
    listen: list[str],
    upstreams: Mapping[str, Sequence[str]],
    frontend: Path,
    processes: str = EMBEDDED,
    provider: Provider | None = None,
    limits: GatewayLimits | None = None,
    metrics: str | None = None,
    tls: Tls | None = None,
    from_edge: Mapping[str, str] | None = None,
) -> None:
    """Write nginx's configuration to its folder.

    Args:
        address: the origin that browsers use.
        listen: addresses to listen on, such as `127.0.0.1:8080`.
        upstreams: `HOST:PORT` of the servers of `command-api`, `query-api` and `identity-provider`; the last
            is empty with a company's identity provider.
        processes: `EMBEDDED` or `SEVERAL_PROCESSES`.
        provider: None: the development one.
        limits: None: from the environment.
        metrics: address of metrics, such as `127.0.0.1:9113`; None: they are not served.
        tls: None: another proxy, or none, terminates TLS.
        from_edge: addresses for connections from an edge, which reports clients by the PROXY protocol, with
            the own address that each leads to.
    """
    for path in (folder, frontend, HERE, *([tls.certificate] if tls else ())):
        if _INVALID.search(str(path)):
            raise LauncherError(f"nginx cannot use a folder with quotes, braces, $ or \\ in its name: {path}")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "no-temporary-files").touch()
    provider = provider or development_provider(address, 0)
    redirects: list[str] = []
    if tls:
        listen, redirects = (listen, [tls.redirects]) if tls.redirects else ([], listen)
    values = {
        "FLEETLOG_ADDRESS": address,
        "FLEETLOG_SIGN_IN_ORIGINS": provider.browser_origins,
        "FLEETLOG_LISTEN": _listen(listen, _DEFERRED)
        + _listen([tls.listen] if tls else [], f" ssl{_DEFERRED}"),
        "FLEETLOG_PLAIN_LISTEN": _listen(redirects, _DEFERRED),
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
        "FLEETLOG_ACCEPT": MULTI_ACCEPT if from_edge else "",
        "FLEETLOG_FROM_EDGE": _from_edge(from_edge or {}),
        **(limits or GatewayLimits.load(LauncherError)).placeholders(),
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
    config = {"auth": provider.browser_settings, "apiBase": ""}
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n")


def _listen(places: Iterable[str], how: str) -> str:
    return " ".join(f"listen {place}{how};" for place in places)


def _from_edge(places: Mapping[str, str]) -> str:
    # An ending worker no longer listens on the address to which connections without a PROXY header yet lead.
    servers = (
        f"server {{ listen {listen}{_DEFERRED} proxy_protocol; pass {to}; }}" for listen, to in places.items()
    )
    return _FROM_EDGE.format(servers="\n  ".join(servers)) if places else ""
