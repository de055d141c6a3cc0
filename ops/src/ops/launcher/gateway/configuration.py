"""Fills nginx's configuration files, and `/config.json` for the frontend."""

import json
import re
from importlib.resources import files
from pathlib import Path

from ops.launcher.errors import LauncherError

_HERE = Path(str(files(__package__)))
_PLACEHOLDER = re.compile(r"\$\{(FLEETLOG_[A-Z_]+)\}")
_UNSPEAKABLE = re.compile(r'["$\\\n{}]')
"""What a quoted string of nginx cannot hold, or takes for a variable."""

AUDIENCE = "https://api.fleetlog.example"
CLIENT_ID = "fleetlog-web"


def write_configuration(
    folder: Path, *, address: str, listen: list[str], upstreams: dict[str, int], frontend: Path
) -> None:
    """Write everything nginx needs to its folder.

    Args:
        folder: nginx's own folder, with its configuration and temporary files.
        address: the one origin that browsers use.
        listen: addresses to listen on, such as `127.0.0.1:8080`.
        upstreams: ports of `command-api`, `query-api` and `identity-provider` on 127.0.0.1.
        frontend: folder of the built frontend.

    Raises:
        LauncherError: nginx cannot express a folder's name.
    """
    for path in (folder, frontend, _HERE):
        if _UNSPEAKABLE.search(str(path)):
            raise LauncherError(f"nginx cannot use a folder with quotes, braces, $ or \\ in its name: {path}")
    for name in ("body", "proxy", "fastcgi", "uwsgi", "scgi"):
        (folder / "temporary" / name).mkdir(parents=True, exist_ok=True)
    values = {
        "FLEETLOG_ADDRESS": address,
        "FLEETLOG_LISTEN": " ".join(f"listen {place};" for place in listen),
        "FLEETLOG_FRONTEND": str(frontend),
        "FLEETLOG_GATEWAY": str(_HERE),
        "FLEETLOG_GATEWAY_STATE": str(folder),
        **{_placeholder(name): f"127.0.0.1:{port}" for name, port in upstreams.items()},
    }
    for name in ("nginx.conf", "fleetlog.conf"):
        template = (_HERE / f"{name}.template").read_text()
        (folder / name).write_text(_PLACEHOLDER.sub(lambda match: values[match[1]], template))
    (folder / "config.json").write_text(_frontend_settings(address))


def _placeholder(upstream: str) -> str:
    return f"FLEETLOG_{upstream.upper().replace('-', '_')}"


def _frontend_settings(address: str) -> str:
    sign_in = {"domain": address, "clientId": CLIENT_ID, "audience": AUDIENCE}
    return json.dumps({"auth": sign_in, "apiBase": ""}, indent=2) + "\n"
