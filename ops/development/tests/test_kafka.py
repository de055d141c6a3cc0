"""Requirements and addresses of brokers, and `./fleetlog kafka`."""

import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from kafka import KafkaAdminClient, KafkaProducer
from kafka.admin import NewTopic

from ops.development.kafka.broker import Broker
from ops.development.maven import find_java
from ops.launcher.errors import LauncherError
from ops.launcher.instance.data_folder import DataFolder
from ops.launcher.paths import PYTHON
from ops.launcher.processes.ports import free_port
from ops.testing.kafka import read_topics


def test_missing_java_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(LauncherError, match="needs Java 17 or later, but java is missing"):
        find_java("Apache Kafka")


@pytest.mark.parametrize("brokers", ["kafka", "kafka:", ":9092", "a:1,b"])
def test_brokers_without_host_or_port_are_refused(brokers: str) -> None:
    command = [*PYTHON, "ops.launcher", "up", "--kafka", brokers]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "must be HOST:PORT" in done.stderr


def kafka(verb: str, data: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [*PYTHON, "ops.launcher", "kafka", verb, "--data", str(data), *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def data(tmp_path: Path) -> Iterator[Path]:
    """A data folder whose broker, if it has one, ends with the test."""
    folder = DataFolder(tmp_path / "data")
    yield folder.path
    Broker(folder.kafka, folder.logs / "kafka.log").stop()


@pytest.mark.integration
def test_broker_keeps_records_across_kill_9(data: Path) -> None:
    if shutil.which("java") is None or shutil.which("mvn") is None:
        pytest.skip("no Kafka broker: it needs Java 17 or later and Maven")
    port = free_port()
    address = f"127.0.0.1:{port}"
    done = kafka("up", data, "--port", str(port))
    assert f"Kafka is ready: {address}" in done.stdout, done.stderr
    again = kafka("up", data, "--port", str(port))
    assert (again.returncode, "a broker is running on" in again.stderr) == (1, True)
    publish(address, "topic")
    running = Broker(DataFolder(data).kafka, data / "kafka.log").running()
    assert running is not None
    broker = psutil.Process(running.pid)
    broker.send_signal(signal.SIGKILL)
    broker.wait(60)
    assert kafka("up", data, "--port", str(port)).returncode == 0
    assert [record.value for record in read_topics(address, "topic")] == [b"once"]
    assert kafka("down", data).stdout == "stopped\n"
    assert kafka("down", data).stdout == "no broker is running\n"


def publish(address: str, topic: str) -> None:
    admin = KafkaAdminClient(bootstrap_servers=address)
    admin.create_topics([NewTopic(topic, 1, 1)])
    admin.close()
    producer = KafkaProducer(bootstrap_servers=address)
    producer.send(topic, b"once").get(timeout=60)
    producer.close()
