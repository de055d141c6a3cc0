"""A Kafka topic as a witness: one partition with unlimited retention."""

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from typing import Any, Final

from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer, TopicPartition
from kafka.admin import NewTopic
from kafka.errors import KafkaError, TopicAlreadyExistsError

from ops.tamper_evidence.checkpoints import Checkpoint
from ops.tamper_evidence.signed_notes import VerifyingKey
from projections.relay.clients import connect_client
from projections.relay.settings import KafkaSettings
from projections.workers.sealing.witnesses import WitnessAway, require_ours

TOPIC: Final = "fleetlog.checkpoints.v1"
_PARTITION: Final = TopicPartition(TOPIC, 0)
_SETTINGS: Final = {"cleanup.policy": "delete", "retention.ms": "-1", "retention.bytes": "-1"}
_LOOK_BACK: Final = 64
"""Records at the topic's end that are searched for a checkpoint, because other clients may write as well."""
_ANSWER_SECONDS: Final = 10
_POLLS: Final = 20


class KafkaWitness:
    """Records whose value is a note and whose key is the log's name; each call makes a connection."""

    def __init__(self, settings: KafkaSettings) -> None:
        self.name = f"kafka:{TOPIC}"
        self._settings = settings

    def last(self, key: VerifyingKey) -> str | None:
        """Return the last valid note among the topic's last records."""
        with self._connected(KafkaConsumer, metrics_enabled=False, enable_auto_commit=False) as consumer:
            if TOPIC not in consumer.topics():
                return None
            consumer.assign([_PARTITION])
            end = consumer.end_offsets([_PARTITION])[_PARTITION]
            first = max(consumer.beginning_offsets([_PARTITION])[_PARTITION], end - _LOOK_BACK)
            consumer.seek(_PARTITION, first)
            notes: list[str] = []
            for _ in range(_POLLS):
                if consumer.position(_PARTITION) >= end:
                    break
                for records in consumer.poll(timeout_ms=500).values():
                    notes += [(record.value or b"").decode(errors="replace") for record in records]
        refused: WitnessAway | None = None
        for note in reversed(notes):
            try:
                return require_ours(note, key)
            except WitnessAway as error:
                refused = refused or error
        if refused is not None or end > first:
            raise refused or WitnessAway("the topic's end could not be read")
        return None

    def publish(self, notes: Sequence[str], key: VerifyingKey) -> None:
        """Append the notes, after creating the topic if necessary."""
        with self._connected(KafkaAdminClient) as admin:
            if TOPIC not in admin.list_topics():
                with suppress(TopicAlreadyExistsError):  # created by another process
                    admin.create_topics([NewTopic(
                        TOPIC, 1, self._settings.replication_factor, topic_configs=_SETTINGS
                    )])  # fmt: skip
                admin.wait_for_topics([TOPIC])
        with self._connected(
            KafkaProducer, metrics_enabled=False, acks="all", max_block_ms=1000 * _ANSWER_SECONDS,
            delivery_timeout_ms=1000 * _ANSWER_SECONDS, allow_auto_create_topics=False,
        ) as producer:  # fmt: skip
            sent = [
                producer.send(
                    TOPIC,
                    key=Checkpoint.from_note(note, key).origin.encode(),
                    value=note.encode(),
                    partition=0,
                )
                for note in notes
            ]
            producer.flush(_ANSWER_SECONDS)
            for future in sent:
                future.get(timeout=0)

    @contextmanager
    def _connected(self, kind: Any, **options: Any) -> Iterator[Any]:
        try:
            with closing(connect_client(kind, **self._settings.client_options(), **options)) as client:
                yield client
        except KafkaError as error:
            # The message is about connections and settings, and quotes no record.
            raise WitnessAway(str(error) or type(error).__name__) from None
