"""What the attributes of the envelope mean, for whoever reads the AsyncAPI document."""

from typing import Any, Final

from projections.public_events.envelope import DATA_CONTENT_TYPE, SEQUENCE_DIGITS, TYPE_PREFIX
from projections.public_events.names import header

ATTRIBUTES: Final[dict[str, dict[str, Any]]] = {
    "specversion": {"const": "1.0", "description": "of CloudEvents"},
    "id": {
        "pattern": "^[^:]+:[1-9][0-9]*$",
        "description": "`<log id>:<position>`: the same whenever and wherever the event is sent, so drop what"
        " you have seen already",
    },
    "source": {"format": "uri-reference", "description": f"`/{TYPE_PREFIX}/<log id>`: which log it is from"},
    "type": {"description": f"`{TYPE_PREFIX}.<entity>.<kind>.v<version>`; names the schema of the data"},
    "subject": {"description": "the entity's id"},
    "time": {"format": "date-time", "description": "when the log recorded it: UTC, with microseconds"},
    "datacontenttype": {"const": DATA_CONTENT_TYPE},
    "dataschema": {"format": "uri-reference", "description": "where the schema of the data is served"},
    "sequence": {
        "pattern": f"^[0-9]{{{SEQUENCE_DIGITS}}}$",
        "description": "position in the log, padded with zeros: sorts as a text; order in the log is order in"
        " time",
    },
    "partitionkey": {"description": "the entity's id: its events are in order"},
}
"""All of them texts."""


def envelope_schema() -> dict[str, Any]:
    """Describe an event in structured mode, but for its data."""
    return _described({**ATTRIBUTES, "data": {"description": "see the schema that `dataschema` names"}})


def headers_schema(type_name: str) -> dict[str, Any]:
    """Describe the headers of an event of a type on Kafka, in binary mode.

    Args:
        type_name: its CloudEvents type.
    """
    known = {**ATTRIBUTES, "type": {**ATTRIBUTES["type"], "const": type_name}}
    return _described({header(name): schema for name, schema in known.items()})


def _described(members: dict[str, dict[str, Any]]) -> dict[str, Any]:
    return {
        "type": "object",
        "required": list(members),
        "properties": {
            name: schema if name == "data" else {"type": "string", **schema}
            for name, schema in members.items()
        },
    }
