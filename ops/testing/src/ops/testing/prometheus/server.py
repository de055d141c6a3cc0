"""A Prometheus server that scrapes and evaluates twice a second."""

import json
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import httpx

from ops.launcher.processes.ports import free_port
from ops.launcher.processes.wrapped import tied_to_parent

INTERVAL: Final = "500ms"
_START_SECONDS: Final = 90.0

Alerts = dict[str, list[dict[str, str]]]
"""Labels of what each alert tells, by the alert's name."""


class PrometheusServer:
    """Asks a running server.

    Attributes:
        address: where it answers, such as `http://127.0.0.1:20123`.
    """

    def __init__(self, address: str) -> None:
        """Tell of a server that was started."""
        self.address = address
        self._client = httpx.Client(base_url=address, trust_env=False, timeout=60)

    def close(self) -> None:
        """Close the connections to it."""
        self._client.close()

    def has_seen(self, targets: int) -> bool:
        """Return whether it has read from so many targets: no alert misses what was never there."""
        try:
            return self.values("count(up == 1)") == [targets]
        except httpx.HTTPError:  # it does not answer yet
            return False

    def rules(self) -> list[dict[str, Any]]:
        """Return the alert rules that it has read."""
        groups = self._get("/api/v1/rules", type="alert")["groups"]
        return [rule for group in groups for rule in group["rules"]]

    def alerts(self) -> Alerts:
        """Return the alerts whose expressions are true now, however long they have been so."""
        alerts: Alerts = {}
        for alert in self._get("/api/v1/alerts")["alerts"]:
            labels = dict(alert["labels"])
            alerts.setdefault(labels.pop("alertname"), []).append(labels)
        return alerts

    def values(self, expression: str) -> list[float]:
        """Return what an expression gives now, of whatever labels."""
        return [float(one["value"][1]) for one in self._get("/api/v1/query", query=expression)["result"]]

    def wait_for(self, condition: Callable[[Alerts], bool], *, seconds: float) -> Alerts:
        """Return the alerts as soon as they are as wanted.

        Raises:
            TimeoutError: they were not in time; the text tells which there were.
        """
        deadline = time.monotonic() + seconds
        while not condition(alerts := self.alerts()):
            if time.monotonic() > deadline:
                raise TimeoutError(f"after {seconds:.0f} s there are {alerts}")
            time.sleep(0.1)
        return alerts

    def _get(self, path: str, **parameters: str) -> Any:
        answer = self._client.get(path, params=parameters).raise_for_status()
        return answer.json()["data"]


@contextmanager
def running_prometheus(
    program: str, folder: Path, *, targets: Mapping[str, Sequence[str]], rules: Path
) -> Iterator[PrometheusServer]:
    """Run a server until the context's end.

    Gives it when it has read from every target.

    Args:
        program: `prometheus`.
        folder: for what it keeps.
        targets: what it scrapes: `host:port` of each job's instances.
        rules: the file of alert rules.

    Raises:
        RuntimeError: it did not start.
    """
    configuration = folder / "prometheus.yml"
    configuration.write_text(json.dumps(_configuration(targets, rules)))  # YAML includes JSON
    port = free_port()
    command = [
        program,
        f"--config.file={configuration}",
        f"--storage.tsdb.path={folder / 'series'}",
        f"--web.listen-address=127.0.0.1:{port}",
        "--log.level=warn",
    ]
    with (folder / "prometheus.log").open("w+b") as log:
        process = subprocess.Popen(
            tied_to_parent(command, signal.SIGTERM), stdin=subprocess.DEVNULL, stdout=log, stderr=log
        )
        server = PrometheusServer(f"http://127.0.0.1:{port}")
        try:
            deadline = time.monotonic() + _START_SECONDS
            places = sum(map(len, targets.values()))
            while not server.has_seen(places):
                if process.poll() is not None or time.monotonic() > deadline:
                    raise RuntimeError(f"Prometheus did not start: {(folder / 'prometheus.log').read_text()}")
                time.sleep(0.05)
            yield server
        finally:
            server.close()
            process.terminate()
            process.wait(timeout=60)


def _configuration(targets: Mapping[str, Sequence[str]], rules: Path) -> dict[str, Any]:
    return {
        "global": {
            "scrape_interval": INTERVAL,
            "scrape_timeout": INTERVAL,
            "evaluation_interval": INTERVAL,
        },
        "rule_files": [str(rules)],
        "scrape_configs": [
            {"job_name": job, "static_configs": [{"targets": list(addresses)}]}
            for job, addresses in targets.items()
        ],
    }
