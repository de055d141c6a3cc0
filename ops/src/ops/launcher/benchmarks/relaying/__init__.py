"""The relay beside a bare producer, and how soon a command's event is in Kafka."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ops.launcher.benchmarks.comparisons import Aim
from ops.launcher.benchmarks.filling import Filling
from ops.launcher.benchmarks.instance import instance_of_our_own
from ops.launcher.benchmarks.measuring import Row, is_met
from ops.launcher.benchmarks.relaying.latency import measure_latency
from ops.launcher.benchmarks.relaying.throughput import measure_bare_producer, measure_relay
from ops.launcher.benchmarks.report import Step
from ops.launcher.benchmarks.samples import Sample, Summary
from ops.launcher.errors import LauncherError
from ops.launcher.kafka.broker import HOST, Broker
from ops.launcher.kafka.jars import ensure_jars, find_java
from ops.launcher.lanes import say
from ops.launcher.processes.ports import free_port
from ops.launcher.services import KAFKA_SETTING

NAMES = ("relay", "relay-latency")
_THROUGHPUT_AIM = Aim(ratio=0.5)


def run(*, events: int, commands: int, step: Step) -> list[Row]:
    """Measure on an instance and a broker of its own; where there can be no broker, say why not.

    Args:
        events: how many to publish.
        commands: how many to send, one after another, for the latency.
        step: shows progress.
    """
    step("starting a broker and an instance", 0, 1)
    with tempfile.TemporaryDirectory(prefix="fleetlog-bench-kafka-") as folder:
        try:
            java, jars = find_java(), ensure_jars(say)
        except LauncherError as error:
            return [_skipped(name, str(error)) for name in NAMES]
        with (
            _broker(Path(folder), java, jars) as address,
            instance_of_our_own({KAFKA_SETTING: address}) as instance,
        ):
            filling = Filling(instance)
            filling.add_drivers(events)
            filling.wait_until_projected(lambda done, total: step("filling it", done, total))
            step(NAMES[0], 0, 1)
            published = measure_relay(instance)
            bare = measure_bare_producer(address)
            step(NAMES[1], 0, 1)
            latencies = measure_latency(instance, address, commands)
    ratio = published.rate / bare.rate
    return [
        Row(
            name=NAMES[0],
            connections=1,
            subject=published,
            floor=bare,
            floor_name="a bare kafka-python producer that sends the same bytes",
            ratio=ratio,
            aim=str(_THROUGHPUT_AIM),
            met=is_met(_THROUGHPUT_AIM, published, ratio),
        ),
        Row(
            name=NAMES[1],
            connections=1,
            subject=Summary.of([latencies]),
            floor=None,
            floor_name="",
            ratio=None,
            aim="",
            met=None,
            note="from a command's first byte until a consumer has its event",
        ),
    ]


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


def _skipped(name: str, reason: str) -> Row:
    nothing = Summary.of([Sample(seconds=0.0)])
    return Row(name, 1, nothing, None, "", None, "", None, note=f"skipped: {reason}")
