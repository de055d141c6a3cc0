"""A Kafka topic as a witness."""

import gc
import warnings
from collections.abc import Iterator

import pytest
from kafka import KafkaProducer

from ops.testing.kafka import KafkaBroker, read_topics
from ops.testing.sealed_logs import KEY, ORIGIN, OTHER_KEY, a_log, checkpoint_of
from projections.relay.settings import KafkaSettings
from projections.sealing.kafka_witness import TOPIC, KafkaWitness
from projections.sealing.witnesses import WitnessAway

pytestmark = [pytest.mark.integration, pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")]

ROWS = a_log(20)


@pytest.fixture(autouse=True)
def _left_connections() -> Iterator[None]:
    """Clear away what kafka-python leaves open where it is closed while it connects."""
    yield
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()


def note(size: int, previous: int = 0) -> str:
    return checkpoint_of(ROWS[:size], previous=previous).signed(KEY)


def test_the_topic_keeps_every_note_and_gives_the_last_one_that_is_ours(broker: KafkaBroker) -> None:
    witness = KafkaWitness(KafkaSettings(servers=broker.address))
    assert witness.last(KEY.verifying_key) is None
    witness.tell([note(3), note(5, 3)], KEY.verifying_key)
    witness.tell([note(9, 5)], KEY.verifying_key)
    assert witness.last(KEY.verifying_key) == note(9, 5)
    with KafkaProducer(bootstrap_servers=broker.address) as producer:
        producer.send(TOPIC, b"junk", partition=0).get(timeout=60)
    assert witness.last(KEY.verifying_key) == note(9, 5)
    with pytest.raises(WitnessAway, match="no checkpoint of this instance's"):
        witness.last(OTHER_KEY.verifying_key)
    records = [record for record in read_topics(broker.address, TOPIC) if record.key is not None]
    assert [record.key.decode() for record in records] == [ORIGIN] * 3
