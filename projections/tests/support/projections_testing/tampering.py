"""Ways of tampering with a log, and the faults that verification must report."""

from typing import Final, NamedTuple

CHANGED: Final = "an event does not match its seal at position {}"
MISSING: Final = "an event is missing at position {}"
OUT_OF_PLACE: Final = "an event stands there twice or out of place at position {}"
CUT_OFF: Final = "the log ends before its last seal at position {}"

_SET: Final = "UPDATE log.events SET {0} WHERE notification_id = 4321"


class Tampering(NamedTuple):
    """Statements of an attacker with all rights, and the fault that verification must report."""

    fault: str
    statements: list[str]


def _set(assignment: str) -> str:
    return _SET.format(assignment)


ONE_BYTE: Final = {
    "notification_id": Tampering(MISSING.format(4321), [_set("notification_id = notification_id + 65536")]),
    "originator_id": Tampering(
        CHANGED.format(4321), [_set("originator_id = overlay(originator_id placing 'X' from 3)")]
    ),
    "originator_version": Tampering(
        CHANGED.format(4321), [_set("originator_version = originator_version + 256")]
    ),
    "topic": Tampering(CHANGED.format(4321), [_set("topic = overlay(topic placing '_' from 7)")]),
    "state": Tampering(CHANGED.format(4321), [_set("state = set_byte(state, 17, get_byte(state, 17) # 1)")]),
    "moment": Tampering(CHANGED.format(4321), [_set("moment = moment + interval '1 microsecond'")]),
    "command_id": Tampering(
        CHANGED.format(4321), [_set("command_id = overlay(command_id::text placing 'e7' from 1)::uuid")]
    ),
}
"""Changes of one byte, by column."""

_MOVE_4321_AWAY: Final = _set("notification_id = 1000000")
_COPY_OF_4321: Final = """
INSERT INTO log.events (notification_id, originator_id, originator_version, topic, state, moment)
SELECT {0}, originator_id, originator_version + 999, topic, state, moment
FROM log.events WHERE notification_id IN (4321, 4322) LIMIT 1
"""
_RENUMBER: Final = "UPDATE log.events SET notification_id = notification_id {0} WHERE notification_id > {1}"
_DROP_KEY: Final = "ALTER TABLE log.events DROP CONSTRAINT events_pkey"

KINDS: Final = {
    "one is deleted": Tampering(
        MISSING.format(4321), ["DELETE FROM log.events WHERE notification_id = 4321"]
    ),
    "one is deleted, and the gap is closed": Tampering(
        CHANGED.format(4321),
        [
            "DELETE FROM log.events WHERE notification_id = 4321",
            _RENUMBER.format("+ 1000000", "4321"),
            _RENUMBER.format("- 1000001", "1000000"),
        ],
    ),
    "one is inserted": Tampering(
        CHANGED.format(4321),
        [
            _RENUMBER.format("+ 1000000", "4320"),
            _RENUMBER.format("- 999999", "1000000"),
            _COPY_OF_4321.format(4321),
        ],
    ),
    "one is doubled": Tampering(
        OUT_OF_PLACE.format(4321),
        [
            _DROP_KEY,
            "ALTER TABLE log.events DROP CONSTRAINT events_originator_id_originator_version_key",
            "ALTER TABLE log.events DROP CONSTRAINT events_command_id_key",
            "INSERT INTO log.events SELECT * FROM log.events WHERE notification_id = 4321",
        ],
    ),
    "one without a position is inserted": Tampering(
        OUT_OF_PLACE.format(0),
        [
            _DROP_KEY,
            "ALTER TABLE log.events ALTER notification_id DROP NOT NULL",
            _COPY_OF_4321.format("NULL"),
        ],
    ),
    "two change places": Tampering(
        CHANGED.format(4321),
        [
            _MOVE_4321_AWAY,
            "UPDATE log.events SET notification_id = 4321 WHERE notification_id = 7000",
            "UPDATE log.events SET notification_id = 7000 WHERE notification_id = 1000000",
        ],
    ),
    "two neighbours change places": Tampering(
        CHANGED.format(4321),
        [
            _MOVE_4321_AWAY,
            "UPDATE log.events SET notification_id = 4321 WHERE notification_id = 4322",
            "UPDATE log.events SET notification_id = 4322 WHERE notification_id = 1000000",
        ],
    ),
    "two swap what they say": Tampering(
        CHANGED.format(4321),
        [
            """
            UPDATE log.events AS one SET topic = other.topic, state = other.state
            FROM log.events AS other
            WHERE one.notification_id IN (4321, 7000) AND other.notification_id = 11321 - one.notification_id
            """
        ],
    ),
    "the tail is cut off below the last checkpoint": Tampering(
        CUT_OFF.format(9501), ["DELETE FROM log.events WHERE notification_id > 9500"]
    ),
    "everything is cut off": Tampering(CUT_OFF.format(1), ["TRUNCATE log.events"]),
    "two entities swap their histories": Tampering(
        CHANGED.format(29),
        [
            "UPDATE log.events SET originator_id = 'x' WHERE originator_id = 'driver:DRI-7'",
            "UPDATE log.events SET originator_id = 'driver:DRI-7' WHERE originator_id = 'driver:DRI-9'",
            "UPDATE log.events SET originator_id = 'driver:DRI-9' WHERE originator_id = 'x'",
        ],
    ),
    "an entity is left out": Tampering(
        MISSING.format(29), ["DELETE FROM log.events WHERE originator_id = 'driver:DRI-7'"]
    ),
    "a payload is taken away": Tampering(
        CHANGED.format(4321), ["ALTER TABLE log.events ALTER state DROP NOT NULL", _set("state = NULL")]
    ),
    "a command's id is taken away": Tampering(CHANGED.format(4321), [_set("command_id = NULL")]),
    "a moment becomes one that no clock tells": Tampering(
        CHANGED.format(4321), [_set("moment = 'infinity'")]
    ),
    "every moment is moved": Tampering(
        CHANGED.format(1), ["UPDATE log.events SET moment = moment - interval '1 hour'"]
    ),
    "a column becomes one of another type": Tampering(
        CHANGED.format(1), ["ALTER TABLE log.events ALTER state TYPE text USING encode(state, 'escape')"]
    ),
    "it passes for another log": Tampering(
        "a checkpoint is another log's at position 1000",
        ["UPDATE log.identity SET log_id = repeat('0', 32)"],
    ),
}
