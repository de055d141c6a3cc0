"""Events per second: of the relay that publishes everything again, and of a producer that only sends."""

import time
from typing import Any, Final

import psycopg
from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer, TopicPartition
from kafka.admin import NewTopic

from ops.launcher.benchmarks.instance import Instance
from ops.launcher.benchmarks.samples import Summary
from ops.launcher.errors import LauncherError

TOPICS: Final = ("fleetlog.driver.events.v2", "fleetlog.driver.state.v2")
_PREFIX: Final = "bench."
_IDLE_SECONDS: Final = 120.0
_POLL_SECONDS: Final = 0.01


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
    partitions = [TopicPartition(topic, number) for number in consumer.partitions_for_topic(topic) or ()]
    consumer.assign(partitions)
    # What the relay published first; it has published it twice by now.
    end = consumer.end_offsets(partitions)
    seen: dict[bytes, Any] = {}
    while any(consumer.position(partition) < end[partition] for partition in partitions):
        for records in consumer.poll(timeout_ms=500).values():
            seen |= {dict(record.headers).get("ce_id", record.key): record for record in records}
    consumer.close()
    return list(seen.values())
