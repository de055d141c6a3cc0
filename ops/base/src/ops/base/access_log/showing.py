"""Records which personal data an answer shows, and to whom, before the answer is sent."""

import time
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final, Literal

from starlette.requests import Request

from ops.base.access_log.batches import View
from ops.base.access_log.recorder import Recorder
from ops.base.encryption.key_cache import KEYS
from ops.base.http.request_context import request_id_of
from ops.base.records.json_values import json_bytes
from ops.base.sign_in import VerifiedToken

WHO: Final = "actor.name"
OF_CHANGES: Final = (WHO, "reason", "client_request_id")
"""What changes say of people beside the fields that they changed."""

Kind = Literal[
    "record",
    "list",
    "choices",
    "download",
    "history",
    "diff",
    "blame",
    "audit",
    "export",
    "seen-by",
    "access-log",
    "due",
    "change",
    "privacy",
]
"""What an answer is."""


@dataclass(frozen=True)
class Showing:
    """What the answers of a route show."""

    route: str
    """Its path."""
    kind: Kind
    entity: str | None
    """The name of the entity type that they are about; None: of any."""
    fields: tuple[str, ...]
    """The names of what is personal in it."""
    always: bool = False
    """Whether it is personal data also without `personal:read`: who somebody is stays in it."""

    @cached_property
    def what(self) -> bytes:
        """The same as JSON."""
        said = {"route": self.route, "kind": self.kind, "entity": self.entity, "fields": self.fields}
        return json_bytes(said)


def record_view(
    request: Request,
    token: VerifiedToken,
    showing: Showing,
    *,
    of: str | None = None,
    wanted: bytes = b"null",
    search: str | None = None,
    count: int | None = None,
) -> None:
    """Record that the answer to a request shows personal data; call it before the answer is sent.

    Args:
        request: the request.
        token: the caller's.
        showing: what the answer shows.
        of: the id of the record that the answer is about; None: it is about no single record.
        wanted: the request's filters, as JSON.
        search: the search term, which is encrypted before it is stored.
        count: the number of rows or changes in the answer, if it is known.

    Raises:
        Problem: 503, the view cannot be recorded, so the answer must not be sent.
    """
    recorder: Recorder = request.app.state.views
    entity, request_id = showing.entity or "*", request_id_of(request.scope)
    rest = (
        time.time_ns() // 1000,
        b"null" if of is None else json_bytes(of),
        request_id.encode(),
        wanted,
        b"null" if count is None else b"%d" % count,
    )
    recorder.note(
        View(
            json_bytes(entity if of is None else f"{entity}:{of}"),
            _who(token.actor.sub) if KEYS.seals else _named(token.actor.sub, token.actor.name),
            showing.what,
            b'%d,%s,"%s",%s,%s' % rest,
            request_id,
            search,
            token.actor if KEYS.seals else None,
        )
    )


@lru_cache(maxsize=1024)
def _who(sub: str) -> bytes:
    return json_bytes({"sub": sub})


@lru_cache(maxsize=1024)
def _named(sub: str, name: str) -> bytes:
    return json_bytes({"sub": sub, "name": name})
