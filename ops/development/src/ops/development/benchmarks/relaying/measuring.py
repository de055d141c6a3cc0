"""Events per second, of the relay and of a producer that only sends; and how soon a consumer has an event."""

import threading
import time
from typing import Any, Final

import psycopg
from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer, TopicPartition
from kafka.admin import NewTopic

from ops.base.consistency import POSITION_HEADER
from ops.development.benchmarks.bodies import HORSES, body
from ops.development.benchmarks.instance import Instance
from ops.development.benchmarks.jobs import UNIQUE
from ops.development.benchmarks.samples import Sample, Summary
from ops.launcher.errors import LauncherError

TOPICS: Final = ("fleetlog.driver.events.v2", "fleetlog.driver.state.v2")
_PREFIX: Final = "bench."
_IDLE_SECONDS: Final = 120.0
_POLL_SECONDS: Final = 0.01
_TOPIC: Final = "fleetlog.horse.events.v2"
_PACE_SECONDS: Final = 0.02
_PATIENCE_SECONDS: Final = 30.0


def measure_relay(instance: Instance) -> Summary:
    """Let the relay publish everything again, and count from its first acknowledgement to its last.

    Raises:
        LauncherError: it does not publish.
    """
    with psycopg.connect(instance.owner_dsn, autocommit=True) as connection:
        head = _wait(connection, until=None)[0]
        instance.run("relay", "rewind", "0")
        rewound = time.perf_counter()
        first, began = _wait(connection, until=1)
        last, ended = _wait(connection, until=head)
    if first == last:  # one batch: there is nothing to count between
        first, began = 0, rewound
    return Summary.at(last - first, ended - began)


def measure_bare_producer(address: str) -> Summary:
    """Send the same bytes, to topics of the same kind, with nothing around it."""
    records = [record for topic in TOPICS for record in _read(address, topic)]
    records.sort(key=lambda record: record.timestamp)
    admin = KafkaAdminClient(bootstrap_servers=address)
    admin.create_topics([NewTopic(f"{_PREFIX}{topic}", num_partitions=6) for topic in TOPICS])
    admin.wait_for_topics([f"{_PREFIX}{topic}" for topic in TOPICS])
    admin.close()
    producer = KafkaProducer(
        bootstrap_servers=address, acks="all", compression_type="gzip", linger_ms=5, batch_size=256_000
    )
    for topic in TOPICS:
        producer.partitions_for(f"{_PREFIX}{topic}")
    began = time.perf_counter()
    for record in records:
        producer.send(
            f"{_PREFIX}{record.topic}", key=record.key, value=record.value, headers=list(record.headers)
        )
    producer.flush()
    seconds = time.perf_counter() - began
    producer.close()
    return Summary.at(len(records) // len(TOPICS), seconds)


def _wait(connection: psycopg.Connection, *, until: int | None) -> tuple[int, float]:
    """Wait for a position, or for the log's head; returns what was reached, and when."""
    deadline = time.monotonic() + _IDLE_SECONDS
    while True:
        ((position, head),) = connection.execute(
            "SELECT coalesce((SELECT max(position) FROM read.relay_positions), 0), position FROM log.head"
        ).fetchall()
        if position >= (head if until is None else until) and head:
            return position, time.perf_counter()
        if time.monotonic() > deadline:
            raise LauncherError(f"the relay is at {position} of {head} and does not get on")
        time.sleep(_POLL_SECONDS)


def _read(address: str, topic: str) -> list[Any]:
    consumer = KafkaConsumer(
        bootstrap_servers=address, auto_offset_reset="earliest", enable_auto_commit=False, group_id=None
    )
    partitions = _assigned(consumer, topic)
    # What the relay published first; it has published it twice by now.
    end = consumer.end_offsets(partitions)
    seen: dict[bytes, Any] = {}
    while any(consumer.position(partition) < end[partition] for partition in partitions):
        for records in consumer.poll(timeout_ms=500).values():
            seen |= {dict(record.headers).get("ce_id", record.key): record for record in records}
    consumer.close()
    return list(seen.values())


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
    partitions = _assigned(consumer, _TOPIC)
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


def _assigned(consumer: KafkaConsumer, topic: str) -> list[TopicPartition]:
    partitions = [TopicPartition(topic, number) for number in consumer.partitions_for_topic(topic) or ()]
    consumer.assign(partitions)
    return partitions
