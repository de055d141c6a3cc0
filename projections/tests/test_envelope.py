"""The envelope of public events conforms to CloudEvents."""

import json
from datetime import UTC, datetime, timedelta, timezone

from hypothesis import given
from hypothesis import strategies as st

from read_model.public_events.envelope import Origin, PublicEvent

ORIGIN = Origin("0123456789abcdef0123456789abcdef", "https://fleet.example")
MOMENT = datetime(2026, 11, 21, 9, 30, 0, 123456, tzinfo=UTC)
EVENT = PublicEvent(
    position=42,
    entity="horse",
    entity_id="HRS-9",
    type="horse.registered",
    moment=MOMENT,
    schema_version=2,
    data='{"entity": "horse"}',
)


def test_envelope_has_all_documented_attributes() -> None:
    assert ORIGIN.attributes(EVENT) == {
        "specversion": "1.0",
        "id": "0123456789abcdef0123456789abcdef:42",
        "source": "/fleetlog/0123456789abcdef0123456789abcdef",
        "type": "fleetlog.horse.registered.v2",
        "subject": "HRS-9",
        "time": "2026-11-21T09:30:00.123456Z",
        "datacontenttype": "application/json",
        "dataschema": "https://fleet.example/api/v1/schemas/fleetlog.horse.registered.v2.json",
        "sequence": "0000000000000000042",
        "partitionkey": "HRS-9",
    }


def test_times_are_written_in_utc() -> None:
    elsewhere = MOMENT.astimezone(timezone(timedelta(hours=5, minutes=30)))
    assert ORIGIN.attributes(EVENT._replace(moment=elsewhere)) == ORIGIN.attributes(EVENT)


def test_sequences_sort_as_texts_in_the_order_of_positions() -> None:
    sequences = [
        ORIGIN.attributes(EVENT._replace(position=position))["sequence"] for position in (9, 10, 2**63 - 1)
    ]
    assert sequences == sorted(sequences)
    assert [int(sequence) for sequence in sequences] == [9, 10, 2**63 - 1]


def test_unreadable_event_has_its_own_type() -> None:
    unreadable = EVENT._replace(type='horse."stolen', schema_version=None)
    assert ORIGIN.attributes(unreadable)["type"] == "fleetlog.horse.unreadable.v1"


@given(
    st.builds(
        PublicEvent,
        position=st.integers(1, 2**63 - 1),
        entity=st.sampled_from(["horse", "driver"]),
        entity_id=st.text(),
        type=st.sampled_from(["horse.registered", "driver.removed"]),
        moment=st.datetimes(timezones=st.sampled_from([UTC, timezone(timedelta(hours=5, minutes=30))])),
        schema_version=st.none() | st.integers(1, 99),
        data=st.just('{"entity": "horse"}'),
    )
)
def test_structured_event_has_the_same_attributes(event: PublicEvent) -> None:
    text = ORIGIN.structured(event)
    assert "\n" not in text
    assert json.loads(text) == {**ORIGIN.attributes(event), "data": {"entity": "horse"}}
