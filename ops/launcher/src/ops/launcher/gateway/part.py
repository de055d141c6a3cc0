"""nginx as a part of the product."""

import subprocess
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ops.launcher.errors import LauncherError
from ops.launcher.gateway.program import ENVIRONMENT, nginx_command, nginx_program
from ops.launcher.instance.record import LAST_PART
from ops.launcher.processes.part import Part, answers_ok
from ops.launcher.processes.ports import is_free

if TYPE_CHECKING:
    from ops.launcher.gateway.limits import GatewayLimits

METRICS_SETTING = "FLEETLOG_GATEWAY_METRICS"
"""In the record of an instance: where its gateway serves metrics."""


def gateway_part(folder: Path, port: int, limits: "GatewayLimits | None" = None) -> Part:
    """nginx, with the configuration in `folder`, listening on `port`.

    Args:
        folder: its own.
        port: see above.
        limits: what is bounded; from the environment if not given.
    """
    from ops.launcher.gateway.limits import GatewayLimits  # noqa: PLC0415 - the launcher does without

    return Part(
        name=LAST_PART,
        command=nginx_command(folder),
        environment=ENVIRONMENT,
        port=port,
        is_ready=partial(answers_ok, port, "/config.json"),
        health=f"http://127.0.0.1:{port}/config.json",
        stop_order=0,
        descriptors=(limits or GatewayLimits.load()).descriptors,
    )


def knows_javascript() -> bool:
    """Whether there is an nginx that was built with njs, which serves the gateway's metrics.

    Raises:
        LauncherError: there is no nginx.
    """
    output = subprocess.run([str(nginx_program()), "-V"], capture_output=True, text=True, check=False)
    return "njs" in output.stderr


def listen_addresses(port: int) -> list[str]:
    """The loopback addresses to listen on: `localhost` may mean either kind to a browser.

    Raises:
        LauncherError: the port is taken.
    """
    if not is_free(port):
        raise LauncherError(f"port {port} is in use by another program; choose one with --port")
    addresses = [f"127.0.0.1:{port}"]
    if is_free(0, "::1"):
        if not is_free(port, "::1"):
            raise LauncherError(f"port {port} is in use by another program on ::1; choose one with --port")
        addresses.append(f"[::1]:{port}")
    return addresses
