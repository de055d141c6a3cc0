"""The last record in each partition, and the records that remain to be sent."""

from collections.abc import Iterable, Mapping
from contextlib import closing
from typing import Any, Final

from kafka import IsolationLevel, KafkaAdminClient, KafkaConsumer, OffsetSpec, TopicPartition
from kafka.errors import KafkaTimeoutError
from kafka.partitioner.default import murmur2

from ops.base.http.consistency import LogPosition
from projections.failures import ProjectionStopped
from projections.relay.clients import connect_client
from projections.relay.records import KafkaRecord, position_of_record

_STEPS: Final = (4, 64, 1024, 16_384)
"""Offsets to search back from a partition's end; the last attempt searches from its start."""
_READ_SECONDS: Final = 30.0
_POLL_SECONDS: Final = 0.5


class ForeignTopic(ProjectionStopped):
    """A topic contains records that are not from this log."""


def read_tails(
    options: Mapping[str, Any], partitions: Iterable[TopicPartition]
) -> dict[TopicPartition, LogPosition]:
    """Return the log position of the last committed record in each partition that has one.

    Transaction markers, aborted records and gaps of compaction are skipped. The caller must have fenced all
    other relays before, so that no records are added meanwhile.

    Raises:
        ForeignTopic: another producer has written a last record.
        kafka.errors.KafkaError: the broker does not answer.
    """
    consumer = connect_client(
        KafkaConsumer,
        **options,
        metrics_enabled=False,
        isolation_level="read_committed",
        enable_auto_commit=False,
        auto_offset_reset="earliest",
        check_crcs=False,
    )
    try:
        wanted = list(partitions)
        consumer.assign(wanted)
        first, end = consumer.beginning_offsets(wanted), consumer.end_offsets(wanted)
        tails: dict[TopicPartition, LogPosition] = {}
        unknown = [partition for partition in wanted if end[partition] > first[partition]]
        for step in (*_STEPS, None):
            if not unknown:
                break
            begin = {
                partition: first[partition] if step is None else max(first[partition], end[partition] - step)
                for partition in unknown
            }
            tails |= _last_records(consumer, begin, end)
            unknown = [
                partition
                for partition in unknown
                if partition not in tails and begin[partition] > first[partition]
            ]
        return tails
    finally:
        consumer.close(autocommit=False)


def find_unmarked(options: Mapping[str, Any], partitions: Iterable[TopicPartition]) -> set[TopicPartition]:
    """Return the partitions with records of a transaction whose end the broker has forgotten to mark.

    The caller must have fenced all other relays before, which ends and marks their transactions.

    Raises:
        kafka.errors.KafkaError: the broker does not answer.
    """
    with closing(connect_client(KafkaAdminClient, **options)) as admin:
        latest = dict.fromkeys(partitions, OffsetSpec.LATEST)
        written = admin.list_partition_offsets(latest)
        readable = admin.list_partition_offsets(latest, IsolationLevel.READ_COMMITTED)
    return {partition for partition in latest if readable[partition].offset < written[partition].offset}


def remaining(
    records: Iterable[KafkaRecord], tails: Mapping[TopicPartition, int], partitions: Mapping[str, int]
) -> list[KafkaRecord]:
    """Return the records that the topics lack: each partition contains all records up to its last one.

    Args:
        tails: the last position in each partition.
        partitions: the number of partitions of each topic.
    """
    return [
        record
        for record in records
        if record.position > tails.get(TopicPartition(record.topic, partition_of(record, partitions)), 0)
    ]


def partition_of(record: KafkaRecord, partitions: Mapping[str, int]) -> int:
    """Return a record's partition, by the same hash as Kafka's own clients."""
    return (int(murmur2(record.key)) & 0x7FFF_FFFF) % partitions[record.topic]


def _last_records(
    consumer: KafkaConsumer, begin: Mapping[TopicPartition, int], end: Mapping[TopicPartition, int]
) -> dict[TopicPartition, LogPosition]:
    """Read partitions from an offset to their end, and return the position of each last record."""
    consumer.assign(list(begin))
    for partition, offset in begin.items():
        consumer.seek(partition, offset)
    last: dict[TopicPartition, LogPosition] = {}
    unread = set(begin)
    polls = int(_READ_SECONDS / _POLL_SECONDS)
    while unread:
        fetched = consumer.poll(timeout_ms=int(_POLL_SECONDS * 1000))
        for partition, records in fetched.items():
            position = position_of_record(records[-1].headers)
            if position is None:
                raise ForeignTopic(f"topic {partition.topic} holds records that are not Fleetlog's")
            last[partition] = position
        unread = {partition for partition in unread if consumer.position(partition) < end[partition]}
        polls -= not fetched
        if polls < 0:
            raise KafkaTimeoutError("the topics' ends could not be read")
    return last
