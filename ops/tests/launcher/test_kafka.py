"""`./fleetlog kafka`, and an instance that publishes to a broker."""

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx
import psutil
import pytest

from ops.launcher.errors import LauncherError
from ops.launcher.kafka.jars import find_java
from ops.launcher.paths import PYTHON
from ops.launcher.processes.ports import free_port
from ops.testing.kafka import read_topics
from ops.testing.product.bodies import usual_body
from ops.testing.stack import running_stack
from ops.testing.waiting import wait_for

pytestmark = pytest.mark.integration

TOPIC = "fleetlog.location.events.v2"


def kafka(verb: str, data: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [*PYTHON, "ops.launcher", "kafka", verb, "--data", str(data), *words]
    return subprocess.run(
        command, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )


@pytest.fixture
def data(tmp_path: Path) -> Iterator[Path]:
    """A data folder whose broker, if it has one, ends with the test."""
    yield tmp_path / "data"
    kafka("down", tmp_path / "data")


@pytest.mark.timeout(600)  # five programs start, one after the other
def test_an_instance_publishes_to_the_broker_that_it_was_told_of(data: Path) -> None:
    if shutil.which("java") is None or shutil.which("mvn") is None:
        pytest.skip("no Kafka broker: it needs Java 17 or later and Maven")
    port = free_port()
    address = f"127.0.0.1:{port}"
    done = kafka("up", data, "--port", str(port))
    assert f"Kafka is ready: {address}" in done.stdout, done.stderr
    again = kafka("up", data, "--port", str(port))
    assert (again.returncode, "a broker runs on" in again.stderr) == (1, True)
    with running_stack(arguments=["--kafka", address]) as stack:
        answer = httpx.post(
            f"{stack.address}/api/locations",
            json=usual_body("location").sent,
            headers={"Authorization": f"Bearer {stack.token()}"},
            trust_env=False,
        )
        assert answer.status_code == 201, answer.text
        wait_for(lambda: len(read_topics(address, TOPIC)) == 1)
        (row,) = [line for line in stack.run("status").stdout.splitlines() if line.startswith("relay")]
        assert row.split()[1] == "ready"
        broker = next(
            process
            for process in psutil.process_iter(["cmdline"])
            if str(data / "kafka" / "server.properties") in (process.info["cmdline"] or ())
        )
        broker.send_signal(signal.SIGKILL)
        broker.wait(60)
        assert kafka("up", data, "--port", str(port)).returncode == 0
        assert len(read_topics(address, TOPIC)) == 1, "kill -9 costs nothing"
        rewound = stack.run("relay", "rewind", "0")
        assert "publishes again from 1 on" in rewound.stdout, rewound.stderr
        wait_for(lambda: len(read_topics(address, TOPIC)) == 2)
    assert kafka("down", data).stdout == "stopped\n"
    assert kafka("down", data).stdout == "no broker is running\n"


def test_what_is_missing_is_said_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(LauncherError, match="needs Java 17 or later, and there is no java"):
        find_java()
    old = tmp_path / "java"
    old.write_text("#!/bin/sh\necho 'openjdk version \"11.0.2\"' >&2\n")
    old.chmod(0o755)
    with pytest.raises(LauncherError, match=r"needs Java 17 or later, and .* is 11"):
        find_java()


@pytest.mark.parametrize("brokers", ["kafka", "kafka:", ":9092", "a:1,b"])
def test_brokers_without_host_or_port_are_refused(brokers: str) -> None:
    command = [*PYTHON, "ops.launcher", "up", "--kafka", brokers]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "must be HOST:PORT" in done.stderr
