"""The state of a sealed event: in the clear what is harmless, and all of it in a box.

`{"sealed":2,"key":…,"metadata":{…},"details" or "changes":{…}}`, a line's end, and the box: the names of all
fields can be read, and of those that are not personal the values. The box has the event as `EventMapper`
writes it, sealed under the key of the record that it is about, for its stream and version.
"""

from typing import Any, Final

from pydantic_core import from_json, to_json

from command_api.domain.definition import STREAMS
from command_api.domain.events import DetailsChanged, Event, Registered
from ops.base.encryption.keys import Key
from ops.base.encryption.states import encrypt_state, plaintext_part
from ops.base.records.json_values import only

_NOT_OF_EVENT: Final = frozenset({"sealed", "key", "personal", "box"})
"""Members that a state has besides; two of them only where an earlier release has sealed it."""


def sealed(event: Event, state: bytes, key: Key) -> bytes:
    """Return the state that is to be stored of an event.

    Args:
        event: what happened.
        state: the same as JSON.
        key: of the record that it is about.
    """
    harmless = STREAMS[event.entity].harmless  # what no definition knows any more is not
    metadata = event.metadata
    shown: dict[str, Any] = {
        "metadata": {
            "actor": {"sub": metadata.actor.sub},
            "request_id": metadata.request_id,
            "traceparent": metadata.traceparent,
            **({} if metadata.undoes is None else {"undoes": metadata.undoes}),
            **({} if metadata.batch is None else {"batch": metadata.batch}),
        }
    }
    match event:
        case Registered():
            shown["details"] = only(event.details, harmless)
        case DetailsChanged():
            shown["changes"] = only(event.changes, harmless, else_={})
        case _:
            shown.update(event.model_dump(mode="json", include=set(event.plain)))
    return encrypt_state(to_json(shown), state, event.originator_id, event.originator_version, key)


def shown(state: bytes, schema_version: int) -> bytes:
    """Return what can be told of an event without its key, in the shape that it would be opened to.

    Raises:
        ValueError: it is no sealed state.
    """
    members = from_json(plaintext_part(state))
    try:
        metadata = members["metadata"]
        metadata["actor"]["name"] = metadata["fingerprint"] = ""
        told = {name: value for name, value in members.items() if name not in _NOT_OF_EVENT}
    except (LookupError, TypeError):
        raise ValueError("no sealed state") from None
    return to_json({"schema_version": schema_version, **told})
