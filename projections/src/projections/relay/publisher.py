"""The synchronous half of the relay: one producer that fences all earlier ones."""

import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from typing import Any, Final

from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer, TopicPartition
from kafka.errors import KafkaError, KafkaTimeoutError

from ops.base.process.failpoints import failpoint
from projections.relay.clients import connected
from projections.relay.records import TOPICS, Record
from projections.relay.settings import MAX_RECORD_BYTES, KafkaSettings
from projections.relay.tails import ForeignTopic, find_unmarked, partition_of, read_tails
from projections.relay.topics import ensure_topics

_TRANSACTION_MS: Final = 60_000
"""After so long the broker gives an unfinished transaction up: readers of what is committed wait for it."""
_ACKNOWLEDGED_MS: Final = 30_000
_MARKED_SECONDS: Final = 0.002
"""How long to wait before asking again whether a transaction's end is marked."""
_BATCH_BYTES: Final = 256_000
_LINGER_MS: Final = 5
"""So long a partition's batch may wait for more; a flush, which ends every batch of ours, does not wait."""


class Publisher:
    """A connection to a Kafka cluster that may publish for this log.

    Each batch is a transaction: readers of what is committed see all of it or nothing. All relays of a log
    share a transactional id, so that the broker refuses whoever began before the latest one: a relay that was
    frozen and wakes up cannot put old states over newer ones.

    Attributes:
        cluster: the cluster's id.
        partitions: how many each topic has.
        tails: the last position in each partition, as it was when this publisher began.
    """

    def __init__(self, settings: KafkaSettings, log_id: str) -> None:
        """Connect, make what topics are missing, fence all others and read what they have left.

        Raises:
            kafka.errors.KafkaError: the broker does not answer, or refuses.
            ForeignTopic: a topic holds another log's records.
        """
        options = settings.client_options()
        self.cluster = cluster_id(settings, with_topics=True)
        self._connections = ExitStack()
        try:
            self._producer = _producer(options, settings, log_id)
            self._connections.callback(self._producer.close, timeout=0)
            self._reader = _reader(options)
            self._connections.callback(self._reader.close, autocommit=False, timeout_ms=0)
            self._producer.init_transactions()
            self.partitions = {topic: len(self._producer.partitions_for(topic)) for topic in TOPICS}
            # Only now: nobody else can add to them any more.
            own = [TopicPartition(topic, n) for topic, count in self.partitions.items() for n in range(count)]
            self.tails = _tails_of(options, own, log_id)
            self._unmarked = find_unmarked(options, own)
        except BaseException:
            self.close()
            raise

    def publish(self, records: Sequence[Record]) -> None:
        """Send records in their order, and return once everybody can read them.

        The broker's answer to a commit is not enough: one that is killed before it has marked the end of the
        transaction in each partition takes it for marked when it comes back (seen with Kafka 4.3). What waits
        there for its mark would be given the next one. So that one is an aborted transaction's: the records
        that wait are void, and sent again.

        Raises:
            kafka.errors.KafkaError: it has not, as far as can be told; this publisher is of no use any more.
        """
        if not records:
            return
        if marked := self._unmarked & {self._partition_of(record) for record in records}:
            self._send(records)
            self._producer.abort_transaction()
            self._unmarked -= marked
        last = self._send(records)
        self._producer.commit_transaction()
        failpoint("relay.committed_by_broker")
        self._wait_until_readable(last)

    def close(self) -> None:
        """Give the connection up at once; what is not committed is void."""
        with suppress(KafkaError):  # it tells of what was not sent yet
            self._connections.close()

    def _partition_of(self, record: Record) -> TopicPartition:
        return TopicPartition(record.topic, partition_of(record, self.partitions))

    def _send(self, records: Sequence[Record]) -> dict[TopicPartition, int]:
        """Begin a transaction, and return the last offset that it has in each partition."""
        self._producer.begin_transaction()
        sent = [
            self._producer.send(
                record.topic,
                value=record.value,
                key=record.key,
                headers=record.headers,
                partition=self._partition_of(record).partition,
            )
            for record in records
        ]
        self._producer.flush(_ACKNOWLEDGED_MS / 1000)
        acknowledged = (future.get(timeout=0) for future in sent)
        return {TopicPartition(each.topic, each.partition): each.offset for each in acknowledged}

    def _wait_until_readable(self, last: Mapping[TopicPartition, int]) -> None:
        deadline = time.monotonic() + _ACKNOWLEDGED_MS / 1000
        while True:
            ends = self._reader.end_offsets(list(last))  # of what is committed
            if all(ends[partition] > offset for partition, offset in last.items()):
                return
            if time.monotonic() > deadline:
                raise KafkaTimeoutError("what was committed cannot be read")
            time.sleep(_MARKED_SECONDS)


def cluster_id(settings: KafkaSettings, *, with_topics: bool = False) -> str:
    """Return the id of the cluster that the settings lead to.

    Args:
        settings: which Kafka.
        with_topics: whether to make what topics are missing there.

    Raises:
        kafka.errors.KafkaError: it cannot be reached, or refuses.
    """
    with closing(connected(KafkaAdminClient, **settings.client_options())) as admin:
        if with_topics:
            ensure_topics(admin, settings)
        return str(admin.describe_cluster()["cluster_id"])


def _producer(options: Mapping[str, Any], settings: KafkaSettings, log_id: str) -> KafkaProducer:
    return connected(
        KafkaProducer,
        **options,
        metrics_enabled=False,
        transactional_id=f"fleetlog-relay-{log_id}",
        transaction_timeout_ms=_TRANSACTION_MS,
        acks="all",
        compression_type=None if settings.compression == "none" else settings.compression,
        linger_ms=_LINGER_MS,
        batch_size=_BATCH_BYTES,
        max_request_size=MAX_RECORD_BYTES,
        max_block_ms=10_000,
        delivery_timeout_ms=_ACKNOWLEDGED_MS,
        # Also how soon a transaction is begun after one that the broker has not quite ended.
        retry_backoff_ms=5,
        allow_auto_create_topics=False,
    )


def _reader(options: Mapping[str, Any]) -> KafkaConsumer:
    return connected(
        KafkaConsumer,
        **options,
        metrics_enabled=False,
        isolation_level="read_committed",
        enable_auto_commit=False,
    )


def _tails_of(
    options: Mapping[str, Any], partitions: Sequence[TopicPartition], log_id: str
) -> dict[TopicPartition, int]:
    tails = read_tails(options, partitions)
    for partition, tail in tails.items():
        if tail.log_id != log_id:
            raise ForeignTopic(
                f"topic {partition.topic} holds events of another log, {tail.log_id}, and this is {log_id}:"
                " publish to another cluster, or remove the old topics"
            )
    return {partition: tail.position for partition, tail in tails.items()}
