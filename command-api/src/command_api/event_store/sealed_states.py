"""The state of a sealed event: in the clear what is harmless, and all of it in a box.

`{"sealed":1,"key":…,"metadata":{…},"details" or "changes":{…},"personal":[…],"box":…}`: the names of all
fields can be read, and of those that are not personal the values. The box has the event as `EventMapper`
writes it, sealed under the key of the record that it is about, for its stream and version.
"""

from typing import Any, Final

from pydantic_core import from_json, to_json

from command_api.domain.definition import STREAMS
from command_api.domain.events import DetailsChanged, Event, Registered
from ops.base.sealing.keys import Key
from ops.base.sealing.states import sealed_state

_HARMLESS_METADATA: Final = ("request_id", "traceparent")
_NOT_OF_EVENT: Final = frozenset({"sealed", "key", "personal", "box"})


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
            **{name: getattr(metadata, name) for name in _HARMLESS_METADATA},
        }
    }
    names: list[str] = []
    match event:
        case Registered():
            names = [name for name in event.details if name not in harmless]
            shown["details"] = {k: v if k in harmless else None for k, v in event.details.items()}
        case DetailsChanged():
            names = [name for name in event.changes if name not in harmless]
            shown["changes"] = {k: v if k in harmless else {} for k, v in event.changes.items()}
        case _:
            shown.update(event.model_dump(mode="json", include=set(event.plain)))
    shown["personal"] = names
    return sealed_state(to_json(shown), state, event.originator_id, event.originator_version, key)


def shown(state: bytes, schema_version: int) -> bytes:
    """Return what can be told of an event without its key, in the shape that it would be opened to.

    Raises:
        ValueError: it is no sealed state.
    """
    members = from_json(state)
    try:
        metadata = members["metadata"]
        metadata["actor"]["name"] = metadata["fingerprint"] = ""
        told = {name: value for name, value in members.items() if name not in _NOT_OF_EVENT}
    except (LookupError, TypeError):
        raise ValueError("no sealed state") from None
    return to_json({"schema_version": schema_version, **told})
