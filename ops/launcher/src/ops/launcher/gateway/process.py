"""nginx as a process of the supervisor."""

import subprocess
from functools import partial
from pathlib import Path

from ops.launcher.errors import LauncherError
from ops.launcher.gateway.limits import GatewayLimits
from ops.launcher.gateway.program import ENVIRONMENT, nginx_command, nginx_program
from ops.launcher.instance.record import LAST_PROCESS
from ops.launcher.processes.ports import is_free
from ops.launcher.processes.spec import ProcessSpec, answers_ok

METRICS_SETTING = "FLEETLOG_GATEWAY_METRICS"
"""Address of the gateway's metrics, in `running.json`."""


def gateway_spec(folder: Path, port: int, limits: GatewayLimits | None = None) -> ProcessSpec:
    """Return nginx with the configuration in `folder`, which listens on `port`.

    Args:
        limits: None: from the environment.
    """
    return ProcessSpec(
        name=LAST_PROCESS,
        command=nginx_command(folder),
        environment=ENVIRONMENT,
        port=port,
        is_ready=partial(answers_ok, port, "/config.json"),
        health=f"http://127.0.0.1:{port}/config.json",
        stop_order=0,
        descriptors=(limits or GatewayLimits.load(LauncherError)).descriptors,
    )


def knows_javascript() -> bool:
    """Return whether nginx was built with njs, which serves the gateway's metrics."""
    output = subprocess.run([str(nginx_program()), "-V"], capture_output=True, text=True, check=False)
    return "njs" in output.stderr


def listen_addresses(port: int) -> list[str]:
    """Return the loopback addresses of IPv4 and IPv6, because browsers resolve `localhost` to either."""
    if not is_free(port):
        raise LauncherError(f"port {port} is in use by another program; choose one with --port")
    addresses = [f"127.0.0.1:{port}"]
    if is_free(0, "::1"):
        if not is_free(port, "::1"):
            raise LauncherError(f"port {port} is in use by another program on ::1; choose one with --port")
        addresses.append(f"[::1]:{port}")
    return addresses
