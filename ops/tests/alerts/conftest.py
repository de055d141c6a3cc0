"""The product, monitored by Prometheus with the shipped alert rules."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ops.launcher.errors import LauncherError
from ops.launcher.gateway.process import METRICS_SETTING
from ops.launcher.paths import PROJECT
from ops.launcher.processes.ports import free_port
from ops.testing.prometheus.programs import find_or_unpack_prometheus
from ops.testing.prometheus.server import PrometheusServer, running_prometheus
from ops.testing.stack import Stack, running_stack

RULES = PROJECT / "ops/alerts/fleetlog.rules.gen.yaml"
CONNECTIONS = 250
"""Connection limit of the gateway, low enough to be reached."""
SERVICES = ("command-api", "query-api", "projections", "notify", "relay")


@pytest.fixture(scope="session")
def programs() -> dict[str, str]:
    """Return the paths of `prometheus` and `promtool`; tests are skipped where they are not available."""
    try:
        return find_or_unpack_prometheus()
    except LauncherError as error:
        pytest.skip(f"no Prometheus: {error}")


@pytest.fixture(scope="module")
def witness(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder that receives the product's checkpoints."""
    return tmp_path_factory.mktemp("witness")


@pytest.fixture(scope="module")
def product(programs: dict[str, str], witness: Path) -> Iterator[Stack]:
    """Run an instance whose Kafka and read replica are unavailable."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FLEETLOG_WITNESSES", str(witness))
        patch.setenv("FLEETLOG_GATEWAY_CONNECTIONS", str(CONNECTIONS))
        patch.setenv("FLEETLOG_READ_DATABASE", f"postgresql://127.0.0.1:{free_port()}/fleetlog")
        patch.setenv(
            "FLEETLOG_STALL_SECONDS", "0"
        )  # the worker is frozen for longer and must not be restarted
        with running_stack(arguments=["--kafka", f"127.0.0.1:{free_port()}"]) as stack:
            yield stack


@pytest.fixture(scope="module")
def prometheus(
    programs: dict[str, str], product: Stack, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[PrometheusServer]:
    """Run Prometheus with the product's services as targets."""
    folder: Path = tmp_path_factory.mktemp("prometheus")
    targets = {
        f"fleetlog-{service}": [product.service_address(service).removeprefix("http://")]
        for service in SERVICES
    }
    if output := product.record().environments["gateway"].get(METRICS_SETTING):
        targets["fleetlog-gateway"] = [output]
    with running_prometheus(programs["prometheus"], folder, targets=targets, rules=RULES) as server:
        yield server
