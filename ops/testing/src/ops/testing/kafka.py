"""A throw-away Kafka broker for a test session, and reading its topics."""

import contextlib
import gc
import os
import signal
import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from kafka import KafkaAdminClient, KafkaConsumer, TopicPartition

from ops.development.kafka.broker import HOST, Broker
from ops.launcher.processes.ports import free_port
from ops.testing.folders import open_folder

_POLL_MS = 200


class KafkaBroker:
    """A real broker, which can be killed and started again with its topics.

    Attributes:
        address: `127.0.0.1:PORT`.
        folder: its data and its log file.
    """

    def __init__(self, folder: Path, *, properties: str = "") -> None:
        """Prepare a broker with further lines of configuration; `start` runs it."""
        self.folder = folder
        self._port = free_port()
        self.address = f"{HOST}:{self._port}"
        self._broker = Broker(folder / "kafka", folder / "kafka.log", properties=properties)
        # A tied broker ends with the thread that started it, which must outlive the threads of a test.
        self._starter = ThreadPoolExecutor(1)

    def start(self) -> None:
        """Start the broker, and return when it serves."""
        self._starter.submit(self._broker.start, self._port, tied=True).result()

    def stop(self) -> None:
        """Stop the broker cleanly."""
        self._broker.stop()

    def kill(self, number: signal.Signals = signal.SIGKILL) -> None:
        record = self._broker.running()
        if record is not None:
            os.kill(record.pid, number)
            if number == signal.SIGKILL:
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(record.pid, 0)

    def remove_topics(self) -> None:
        """Delete all topics but Kafka's internal ones."""
        admin = KafkaAdminClient(bootstrap_servers=self.address)
        try:
            topics = [name for name in admin.list_topics() if not name.startswith("__")]
            if topics:
                admin.delete_topics(topics)
        finally:
            admin.close()


def read_topics(address: str, *topics: str, committed: bool = True) -> list[Any]:
    """Return all records of some topics, in the order of each partition.

    Args:
        address: of the broker.
        topics: names; a missing topic counts as empty.
        committed: whether records of aborted transactions are left out.
    """
    try:
        return _read_topics(address, topics, committed=committed)
    finally:
        # kafka-python does not close a connection that was still being established.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)
            gc.collect()


def _read_topics(address: str, topics: Sequence[str], *, committed: bool) -> list[Any]:
    consumer = KafkaConsumer(
        bootstrap_servers=address,
        enable_auto_commit=False,
        auto_offset_reset="earliest",
        isolation_level="read_committed" if committed else "read_uncommitted",
        group_id=None,
    )
    try:
        partitions = [
            TopicPartition(topic, number)
            for topic in topics
            for number in consumer.partitions_for_topic(topic) or ()
        ]
        consumer.assign(partitions)
        end = consumer.end_offsets(partitions)
        records: list[Any] = []
        while any(consumer.position(partition) < end[partition] for partition in partitions):
            for fetched in consumer.poll(timeout_ms=_POLL_MS).values():
                records += fetched
        return records
    finally:
        consumer.close(autocommit=False)


@contextlib.contextmanager
def throw_away_kafka(properties: str = "") -> Iterator[KafkaBroker]:
    """Run a broker in a temporary folder, and remove both at the end.

    Raises:
        LauncherError: Java or Maven are missing.
    """
    with open_folder() as folder:
        broker = KafkaBroker(folder, properties=properties)
        broker.start()
        try:
            yield broker
        finally:
            broker.stop()
