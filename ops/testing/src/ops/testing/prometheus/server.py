"""A Prometheus server that scrapes and evaluates twice a second."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import httpx

from ops.launcher.processes.command_lines import start_process
from ops.launcher.processes.ports import free_port
from ops.testing.conditions import wait_for

INTERVAL: Final = "500ms"

Alerts = dict[str, list[dict[str, str]]]
"""Labels of the firing instances of each alert, by the alert's name."""


class PrometheusServer:
    """A client of a running server."""

    def __init__(self, address: str) -> None:
        self._client = httpx.Client(base_url=address, trust_env=False, timeout=60)

    def close(self) -> None:
        self._client.close()

    def has_seen(self, targets: int) -> bool:
        """Return whether it has scraped all targets, without which alerts on missing series do not fire."""
        try:
            return self.values("count(up == 1)") == [targets]
        except httpx.HTTPError:
            return False

    def alerts(self) -> Alerts:
        """Return the alerts whose expressions are true now, pending ones included."""
        alerts: Alerts = {}
        for alert in self._get("/api/v1/alerts")["alerts"]:
            labels = dict(alert["labels"])
            alerts.setdefault(labels.pop("alertname"), []).append(labels)
        return alerts

    def values(self, expression: str) -> list[float]:
        """Return the current values of an expression, of all labels."""
        return [float(one["value"][1]) for one in self._get("/api/v1/query", query=expression)["result"]]

    def wait_for(self, condition: Callable[[Alerts], bool], *, seconds: float) -> Alerts:
        """Return the alerts as soon as they meet a condition.

        Raises:
            TimeoutError: they do not; the text lists them.
        """

        def matching() -> list[Alerts]:
            alerts = self.alerts()
            return [alerts] if condition(alerts) else []

        return wait_for(matching, seconds=seconds, pause=0.1, failure=self.alerts)[0]

    def _get(self, path: str, **parameters: str) -> Any:
        answer = self._client.get(path, params=parameters).raise_for_status()
        return answer.json()["data"]


@contextmanager
def running_prometheus(
    program: str, folder: Path, *, targets: Mapping[str, Sequence[str]], rules: Path
) -> Iterator[PrometheusServer]:
    """Run a server until the context's end; the context begins when all targets were scraped.

    Args:
        program: path of `prometheus`.
        folder: for its files.
        targets: `host:port` of each job's instances.
        rules: file of the alert rules.

    Raises:
        RuntimeError: the server did not start.
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
        process = start_process(command, None, log)
        server = PrometheusServer(f"http://127.0.0.1:{port}")
        try:
            count, text = sum(map(len, targets.values())), (folder / "prometheus.log").read_text
            wait_for(lambda: process.poll() is not None or server.has_seen(count), pause=0.05, failure=text)
            if process.poll() is not None:
                raise RuntimeError(f"Prometheus did not start: {text()}")
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
