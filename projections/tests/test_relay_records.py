"""Kafka records of a revision, and the records that remain after a crash."""

import json
from datetime import UTC, datetime
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from kafka import TopicPartition

from projections.relay.records import KafkaRecord, PublicRevision, position_of_record, records_of
from projections.relay.settings import KafkaSettings
from projections.relay.tails import partition_of, remaining
from read_model.public_events.envelope import Origin, PublicEvent

ORIGIN = Origin("0123456789abcdef0123456789abcdef", "https://fleet.example")
PARTITIONS = {"fleetlog.driver.events.v2": 3, "fleetlog.driver.state.v2": 3}


def revision(
    position: int = 7,
    *,
    entity: str = "driver",
    entity_id: str = "EMP-1",
    kind: str = "registered",
    state: dict[str, Any] | None = None,
    is_folded: bool = True,
) -> PublicRevision:
    event = PublicEvent(
        position,
        entity,
        entity_id,
        f"{entity}.{kind}",
        datetime(2026, 11, 21, 4, 10, 45, tzinfo=UTC),
        2,
        '{"version": 1}',
    )
    return PublicRevision(event, None, None if state is None else json.dumps(state), is_folded)


def test_event_is_sent_in_cloudevents_binary_mode_with_the_entity_id_as_key() -> None:
    registered = revision(state={"id": "EMP-1"})
    event = records_of(registered, ORIGIN)[0]
    assert (event.topic, event.key, event.value) == (
        "fleetlog.driver.events.v2",
        b"EMP-1",
        b'{"version": 1}',
    )
    assert {name: value.decode() for name, value in event.headers} == {
        "content-type" if name == "datacontenttype" else f"ce_{name}": value
        for name, value in ORIGIN.attributes(registered.event).items()
    }


def test_unknown_state_is_not_sent() -> None:
    records = records_of(revision(kind="details_changed", is_folded=False), ORIGIN)
    assert [record.topic for record in records] == ["fleetlog.driver.events.v2"]


def test_entity_type_of_a_later_release_has_no_topic() -> None:
    assert records_of(revision(entity="balloon"), ORIGIN) == []


def test_every_record_has_its_position() -> None:
    for record in records_of(revision(state={"id": "EMP-1"}), ORIGIN):
        reported = position_of_record(record.headers)
        assert reported
        assert (reported.log_id, reported.position) == (ORIGIN.log_id, 7)
    assert position_of_record([("ce_id", b"\xff")]) is None
    assert position_of_record([]) is None


ids = st.sampled_from([f"EMP-{number}" for number in range(7)])
batches = st.lists(ids, max_size=40).map(
    lambda keys: [
        record
        for position, key in enumerate(keys, start=1)
        for record in records_of(revision(position, entity_id=key, state={"id": key}), ORIGIN)
    ]
)


@given(batches, st.data())
def test_records_after_a_crash_are_neither_repeated_nor_lost(
    records: list[KafkaRecord], data: st.DataObject
) -> None:
    """Whatever part of each partition the topics hold: what is sent then completes exactly that part."""
    of_partition: dict[TopicPartition, list[KafkaRecord]] = {}
    for record in records:
        place = TopicPartition(record.topic, partition_of(record, PARTITIONS))
        of_partition.setdefault(place, []).append(record)
    held = {
        place: records[: data.draw(st.integers(0, len(records)))] for place, records in of_partition.items()
    }
    tails = {place: records[-1].position for place, records in held.items() if records}
    sent = remaining(records, tails, PARTITIONS)
    assert sent == [record for record in records if record in sent], "in their order"
    for place, wanted in of_partition.items():
        added = [
            record
            for record in sent
            if TopicPartition(record.topic, partition_of(record, PARTITIONS)) == place
        ]
        assert held[place] + added == wanted


def test_partition_of_a_key_matches_kafkas_own_clients() -> None:
    # Of Kafka's own UtilsTest: murmur2("21") = -973932308, murmur2("foobar") = -790332482.
    record = records_of(revision(entity_id="21", state=None), ORIGIN)[0]
    assert partition_of(record, {record.topic: 1000}) == (-973932308 & 0x7FFFFFFF) % 1000
    foobar = record._replace(key=b"foobar")
    assert partition_of(foobar, {record.topic: 1000}) == (-790332482 & 0x7FFFFFFF) % 1000


def test_authentication_settings_reach_the_client() -> None:
    settings = KafkaSettings(
        servers="a:1,b:2",
        security_protocol="SASL_SSL",
        sasl_mechanism="SCRAM-SHA-512",
        sasl_username="relay",
        sasl_password="secret",
        ssl_cafile="ca.pem",
    )
    options = settings.client_options()
    assert options["bootstrap_servers"] == ["a:1", "b:2"]
    assert (options["sasl_plain_username"], options["sasl_plain_password"]) == ("relay", "secret")
    assert (options["security_protocol"], options["ssl_cafile"]) == ("SASL_SSL", "ca.pem")
    assert "secret" not in repr(settings)
