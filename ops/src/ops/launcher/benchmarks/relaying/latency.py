"""How long it takes from a command until a consumer has its event."""

import threading
import time
from typing import Final

from kafka import KafkaConsumer, TopicPartition

from ops.base.consistency import POSITION_HEADER
from ops.launcher.benchmarks.bodies import HORSES, body
from ops.launcher.benchmarks.instance import Instance
from ops.launcher.benchmarks.jobs import UNIQUE
from ops.launcher.benchmarks.samples import Sample

_TOPIC: Final = "fleetlog.horse.events.v2"
_PACE_SECONDS: Final = 0.02
_PATIENCE_SECONDS: Final = 30.0


def measure_latency(instance: Instance, address: str, commands: int) -> Sample:
    """Send commands at a steady pace, and see when each one's event arrives."""
    arrived: dict[str, float] = {}
    consumer = KafkaConsumer(
        bootstrap_servers=address,
        enable_auto_commit=False,
        group_id=None,
        isolation_level="read_committed",
        fetch_max_wait_ms=100,
    )
    partitions = [TopicPartition(_TOPIC, number) for number in consumer.partitions_for_topic(_TOPIC) or ()]
    consumer.assign(partitions)
    consumer.seek_to_end(*partitions)
    for partition in partitions:
        consumer.position(partition)
    ending = threading.Event()

    def listen() -> None:
        while not ending.is_set():
            for records in consumer.poll(timeout_ms=100).values():
                now = time.perf_counter()
                for record in records:
                    arrived[dict(record.headers)["ce_id"].decode()] = now

    listener = threading.Thread(target=listen)
    listener.start()
    began = time.perf_counter()
    sent = _send(instance, commands)
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while sent.keys() - arrived.keys() and time.monotonic() < deadline:
        time.sleep(_PACE_SECONDS)
    seconds = time.perf_counter() - began
    ending.set()
    listener.join()
    consumer.close()
    latencies = [round(1e6 * (arrived[event] - sent[event])) for event in sent if event in arrived]
    return Sample(seconds=seconds, latencies=latencies, errors=len(sent) - len(latencies))


def _send(instance: Instance, commands: int) -> dict[str, float]:
    """Send commands; returns when each was sent, by the id of its event."""
    sent: dict[str, float] = {}
    with instance.client("command-api") as client:
        for number in range(commands):
            text = body("horse", f"LATENCY-{number}").replace(UNIQUE, f"{number:012}")
            began = time.perf_counter()
            answer = client.post(HORSES, content=text).raise_for_status()
            sent[answer.headers[POSITION_HEADER]] = began
            time.sleep(_PACE_SECONDS)
    return sent
