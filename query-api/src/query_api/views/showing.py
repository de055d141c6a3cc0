"""What answers show of people, and to whom: each is noted before it is sent."""

import time
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property, lru_cache
from typing import Any, Final, Literal

from starlette.requests import Request
from starlette.responses import Response

from ops.base.json_values import json_bytes
from ops.base.permissions import Permission
from ops.base.request_context import request_id_of
from ops.base.sealing.ring import KEYS
from ops.base.sign_in import VerifiedToken
from query_api.history.wire import moment_text
from query_api.parameters import QueryParameters
from query_api.views.batches import View
from query_api.views.recorder import Recorder

WHO: Final = "actor.name"
OF_CHANGES: Final = (WHO, "reason", "client_request_id")
"""What changes say of people beside the fields that they changed."""
OF_VIEWS: Final = (WHO, "filter")
"""What the access log says of people."""

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


def shown(
    request: Request,
    token: VerifiedToken,
    response: Response,
    showing: Showing,
    *,
    of: str | None = None,
    asked: QueryParameters | None = None,
    count: int | None = None,
    masked: bool = False,
) -> Response:
    """Note what an answer shows, and return it to be sent.

    An answer that shows nothing is not noted: to HEAD, that nothing has changed, with masks, or without
    anything personal.

    Args:
        request: what is answered.
        token: who is asking.
        response: the answer.
        showing: what is in it.
        of: whose, where it is about one record: its id.
        asked: what the address's query says.
        count: how many rows or changes are in it, if anybody knows.
        masked: whether all that is personal in it is masked, for it is restricted.

    Raises:
        Problem: 503, it cannot be recorded, so it must not be sent.
    """
    if (
        response.status_code == 200
        and showing.fields
        and not masked
        and (showing.always or Permission.PERSONAL_READ in token.permissions)
    ):
        if request.method == "HEAD":
            # Lengths reveal the number of rows and the length of values, and no view is recorded.
            del response.headers["content-length"], response.headers["content-encoding"]
            return response
        recorder: Recorder = request.app.state.views
        entity, request_id = showing.entity or "*", request_id_of(request.scope)
        search = (asked and asked.looked_for) or None
        rest = (
            time.time_ns() // 1000,
            b"null" if of is None else json_bytes(of),
            request_id.encode(),
            b"null" if asked is None or not asked.model_fields_set else _filter(asked),
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
    return response


@lru_cache(maxsize=1024)
def _who(sub: str) -> bytes:
    return json_bytes({"sub": sub})


@lru_cache(maxsize=1024)
def _named(sub: str, name: str) -> bytes:
    return json_bytes({"sub": sub, "name": name})


@lru_cache(maxsize=256)  # models of what is asked are remembered as well
def _filter(asked: QueryParameters) -> bytes:
    return json_bytes({name: value for name, value in given(asked).items() if name not in asked.looks_for})


def forget_filters() -> None:
    """Remember nothing of what was asked."""
    _filter.cache_clear()


def given(asked: QueryParameters) -> dict[str, Any]:
    """Return what a query says, by its parameters' names, as it could be asked again."""
    names = {name: field.alias or name for name, field in type(asked).model_fields.items()}
    return {names[name]: _told(getattr(asked, name)) for name in names if name in asked.model_fields_set}


def _told(value: Any) -> Any:
    if isinstance(value, datetime):
        return moment_text(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, frozenset):
        return sorted(value)
    return ",".join(value) if isinstance(value, tuple) else value
