"""The synchronous half of the relay: a producer that fences all earlier ones, and its topics."""

import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from typing import Any, Final

from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer, TopicPartition
from kafka.admin import NewTopic
from kafka.errors import KafkaError, KafkaTimeoutError, TopicAlreadyExistsError

from command_api.domain.catalogue import DEFINITIONS
from ops.base.process.failpoints import failpoint
from projections.relay.clients import connect_client
from projections.relay.records import TOPICS, KafkaRecord
from projections.relay.settings import MAX_RECORD_BYTES, KafkaSettings
from projections.relay.tails import ForeignTopic, find_unmarked, partition_of, read_tails
from read_model.public_events.envelope import state_topic

_TRANSACTION_MS: Final = 60_000
"""Time after which the broker aborts an unfinished transaction, for which readers wait."""
_ACKNOWLEDGED_MS: Final = 30_000
_MARKED_SECONDS: Final = 0.002
"""Time between checks whether the end of a transaction is marked."""
_BATCH_BYTES: Final = 256_000
_LINGER_MS: Final = 5
"""Time for which a partition's batch waits for more records; the flush after each batch ends it."""


class Publisher:
    """A connection to a Kafka cluster that publishes for one log.

    Each batch is a transaction: readers of committed records see all of it or nothing. All relays of a log
    share a transactional id, so that the broker refuses all but the latest: a frozen relay that wakes up
    cannot overwrite newer states with old ones.

    Attributes:
        cluster: the cluster's id.
        partitions: the number of partitions of each topic.
        tails: the last position in each partition when this publisher started.

    Raises:
        kafka.errors.KafkaError: the broker does not answer, or refuses the connection.
        ForeignTopic: a topic contains another log's records.
    """

    def __init__(self, settings: KafkaSettings, log_id: str) -> None:
        options = settings.client_options()
        self.cluster = cluster_id(settings, with_topics=True)
        self._connections = ExitStack()
        try:
            self._producer = _producer(options, settings, log_id)
            self._connections.callback(self._producer.close, timeout=0)
            self._reader = connect_client(
                KafkaConsumer,
                **options,
                metrics_enabled=False,
                isolation_level="read_committed",
                enable_auto_commit=False,
            )
            self._connections.callback(self._reader.close, autocommit=False, timeout_ms=0)
            self._producer.init_transactions()
            self.partitions = {topic: len(self._producer.partitions_for(topic)) for topic in TOPICS}
            # After the fencing, so that no other relay can append any more.
            own = [TopicPartition(topic, n) for topic, count in self.partitions.items() for n in range(count)]
            self.tails = _tails_of(options, own, log_id)
            self._unmarked = find_unmarked(options, own)
        except BaseException:
            self.close()
            raise

    def publish(self, records: Sequence[KafkaRecord]) -> None:
        """Send records in order, and return once readers can see them.

        The broker's acknowledgement of a commit is not enough: a broker that is killed before it has marked
        the transaction's end in each partition regards it as marked after a restart (seen with Kafka 4.3).
        The next marker would then commit the pending records. The publisher therefore aborts a transaction
        first, which voids the pending records, and sends them again.

        Raises:
            kafka.errors.KafkaError: the records may not be published; this publisher must not be used again.
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
        """Close the connection at once; uncommitted records are void."""
        with suppress(KafkaError):  # raised for records that were not sent
            self._connections.close()

    def _partition_of(self, record: KafkaRecord) -> TopicPartition:
        return TopicPartition(record.topic, partition_of(record, self.partitions))

    def _send(self, records: Sequence[KafkaRecord]) -> dict[TopicPartition, int]:
        """Begin a transaction, and return its last offset in each partition."""
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
            ends = self._reader.end_offsets(list(last))  # of committed records
            if all(ends[partition] > offset for partition, offset in last.items()):
                return
            if time.monotonic() > deadline:
                raise KafkaTimeoutError("the committed records cannot be read")
            time.sleep(_MARKED_SECONDS)


def cluster_id(settings: KafkaSettings, *, with_topics: bool = False) -> str:
    """Return the cluster's id, after creating missing topics if `with_topics` is set.

    Raises:
        kafka.errors.KafkaError: the cluster does not answer, or refuses the connection.
    """
    with closing(connect_client(KafkaAdminClient, **settings.client_options())) as admin:
        if with_topics:
            _create_missing_topics(admin, settings)
        return str(admin.describe_cluster()["cluster_id"])


def _create_missing_topics(admin: KafkaAdminClient, settings: KafkaSettings) -> None:
    missing = sorted(set(TOPICS) - set(admin.list_topics()))
    if not missing:
        return
    states = {state_topic(entity) for entity in DEFINITIONS}
    new = [
        NewTopic(
            name,
            num_partitions=settings.partitions,
            replication_factor=settings.replication_factor,
            topic_configs={
                "max.message.bytes": str(MAX_RECORD_BYTES),
                **({"cleanup.policy": "compact"} if name in states else {"retention.ms": "-1"}),
            },
        )
        for name in missing
    ]
    with suppress(TopicAlreadyExistsError):  # created by another process
        admin.create_topics(new)
    admin.wait_for_topics(missing)


def _producer(options: Mapping[str, Any], settings: KafkaSettings, log_id: str) -> KafkaProducer:
    return connect_client(
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
        # Also the pause before a transaction while the broker still ends the previous one.
        retry_backoff_ms=5,
        allow_auto_create_topics=False,
    )


def _tails_of(
    options: Mapping[str, Any], partitions: Sequence[TopicPartition], log_id: str
) -> dict[TopicPartition, int]:
    tails = read_tails(options, partitions)
    for partition, tail in tails.items():
        if tail.log_id != log_id:
            raise ForeignTopic(
                f"topic {partition.topic} holds events of another log, {tail.log_id}; this log is {log_id}:"
                " publish to another cluster, or remove the old topics"
            )
    return {partition: tail.position for partition, tail in tails.items()}
