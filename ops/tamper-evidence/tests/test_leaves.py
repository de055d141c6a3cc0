"""The form in which an event is hashed. Seals that exist depend on it: it may be added to, never changed."""

from datetime import UTC, datetime, timedelta, timezone
from hashlib import sha256
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from ops.tamper_evidence.leaves import LogRow, leaf_of

ROW = LogRow(
    7,
    "driver:É-1",
    2,
    "driver.removed",
    b'{"a":1}',
    datetime(2026, 11, 21, 4, 10, 45, 123_000, tzinfo=UTC),
    UUID(int=1),
)


def test_leaf_is_canonical_json() -> None:
    assert ROW.leaf() == (
        b'{"command_id":"00000000-0000-0000-0000-000000000001",'
        b'"moment":"2026-11-21T04:10:45.123000+00:00",'
        b'"originator_id":"driver:\\u00c9-1","originator_version":2,"position":7,'
        b'"state":"eyJhIjoxfQ==","topic":"driver.removed"}'
    )
    assert ROW.hash() == sha256(b"\x00" + ROW.leaf()).digest()
    assert b'"command_id":null' in ROW._replace(command_id=None).leaf()


@given(st.builds(LogRow, moment=st.builds(datetime.fromtimestamp, st.floats(0, 4e9), tz=st.timezones())))
def test_leaf_is_the_json_of_the_row(row: LogRow) -> None:
    assert row.leaf() == leaf_of(row.as_json())


def test_leaf_does_not_depend_on_the_time_zone() -> None:
    moment = ROW.moment.astimezone(timezone(timedelta(hours=5, minutes=30)))
    assert ROW._replace(moment=moment).leaf() == ROW.leaf()


def test_row_survives_a_round_trip_through_json() -> None:
    assert LogRow.read(ROW.as_json()) == ROW
