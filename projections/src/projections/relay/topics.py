"""The topics: made where they are missing, left alone where they are there."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

from kafka import KafkaAdminClient
from kafka.admin import NewTopic
from kafka.errors import TopicAlreadyExistsError

from command_api.domain.catalogue import DEFINITIONS
from projections.public_events.names import state_topic
from projections.relay.records import TOPICS
from projections.relay.settings import MAX_RECORD_BYTES, KafkaSettings

_STATE_TOPICS: Final = frozenset(map(state_topic, DEFINITIONS))


def ensure_topics(admin: KafkaAdminClient, settings: KafkaSettings) -> None:
    """Make the topics that are missing.

    Raises:
        kafka.errors.KafkaError: the broker does not answer, or refuses.
    """
    missing = set(TOPICS) - set(admin.list_topics())
    if not missing:
        return
    new = [
        NewTopic(
            name,
            num_partitions=settings.partitions,
            replication_factor=settings.replication_factor,
            topic_configs=dict(topic_settings(name)),
        )
        for name in sorted(missing)
    ]
    with suppress(TopicAlreadyExistsError):  # somebody was quicker
        admin.create_topics(new)
    admin.wait_for_topics(sorted(missing))


def topic_settings(name: str) -> Mapping[str, Any]:
    """Return how a topic is made: events are kept for ever, of states the last of each key."""
    size = {"max.message.bytes": str(MAX_RECORD_BYTES)}
    return {"cleanup.policy": "compact", **size} if name in _STATE_TOPICS else {"retention.ms": "-1", **size}
