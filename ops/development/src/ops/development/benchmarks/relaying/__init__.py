"""The relay beside a bare producer, and how soon a command's event is in Kafka."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from ops.development.benchmarks.filling import Filling
from ops.development.benchmarks.instance import instance_of_our_own
from ops.development.benchmarks.measuring import Aim, Row, Step
from ops.development.benchmarks.relaying.measuring import (
    measure_bare_producer,
    measure_latency,
    measure_relay,
)
from ops.development.benchmarks.samples import Summary
from ops.development.kafka.broker import HOST, Broker
from ops.development.kafka.jars import ensure_jars, find_java
from ops.development.lanes import say
from ops.launcher.errors import LauncherError
from ops.launcher.processes.ports import free_port
from ops.launcher.services import KAFKA_SETTING

_RELAY, _LATENCY = "relay", "relay-latency"
_AIM: Final = Aim(ratio=0.5)
_FLOOR: Final = "a bare kafka-python producer that sends the same bytes"


def run(step: Step, *, events: int, commands: int) -> list[Row]:
    """Measure on an instance and a broker of its own; where there can be no broker, say why not.

    Args:
        step: shows progress.
        events: how many to publish.
        commands: how many to send, one after another, for the latency.
    """
    step("starting a broker and an instance")
    with tempfile.TemporaryDirectory(prefix="fleetlog-bench-kafka-") as folder:
        try:
            java, jars = find_java(), ensure_jars(say)
        except LauncherError as error:
            return [Row(name, Summary(), note=f"skipped: {error}") for name in (_RELAY, _LATENCY)]
        with (
            _broker(Path(folder), java, jars) as address,
            instance_of_our_own({KAFKA_SETTING: address}) as instance,
        ):
            filling = Filling(instance)
            filling.add("driver", events)
            filling.wait_until_projected("filling it", step)
            step(_RELAY)
            published, bare = measure_relay(instance), measure_bare_producer(address)
            step(_LATENCY)
            latencies = Summary.of([measure_latency(instance, address, commands)])
    note = "from a command's first byte until a consumer has its event"
    return [Row.once(_RELAY, published, bare, _FLOOR, aim=_AIM), Row(_LATENCY, latencies, note=note)]


@contextmanager
def _broker(folder: Path, java: str, jars: Path) -> Iterator[str]:
    port = free_port()
    broker = Broker(folder / "kafka", folder / "kafka.log")
    try:
        broker.start(java, jars, port, tied=True)
        yield f"{HOST}:{port}"
    finally:
        broker.stop()
        shutil.rmtree(folder / "kafka", ignore_errors=True)
