"""Views: which personal data an answer shows, and to whom; recorded before the answer is sent."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from starlette.requests import Request

from ops.base.http.request_context import request_id_of
from ops.base.records.json_values import json_bytes
from ops.base.sign_in import Actor, VerifiedToken

if TYPE_CHECKING:
    from ops.base.access_log.recorder import Recorder

VIEWS: Final = "views"
"""The action of an access-log row that holds a batch of views."""
RECORD_VIEWS: Final = "SELECT audit.record_access(%s::uuid, '', '', '', 'views', %s::json)"
"""Records a batch by its id and text; idempotent."""
ACTOR_NAME: Final = "actor.name"
CHANGE_FIELDS: Final = (ACTOR_NAME, "reason", "client_request_id")
"""Personal data of a change other than the changed fields."""
_OVERHEAD_BYTES: Final = 250
"""Memory of a view without its texts."""

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
    "mail",
    "change",
    "privacy",
]


class PersonalView(NamedTuple):
    """One answer with personal data."""

    subject: bytes
    """The record or records, as a JSON text: `"driver:EMP-1"`, `"driver"` or `"*"`."""
    who: bytes
    """The caller's subject, and whether it is a program, as a JSON object."""
    what: bytes
    """Route, kind, entity type and fields, as a JSON object."""
    rest: bytes
    """Time, record id, request id, filter and count: JSON values separated by commas."""
    request: str = ""
    search: str | None = None
    """The search term of the request, which is encrypted before it is recorded."""
    actor: Actor | None = None
    """The caller, whose name is recorded in the directory of actors."""

    @property
    def size(self) -> int:
        """Bytes in memory; `who` and `what` are shared between views."""
        return len(self.rest) + len(self.subject) + 4 * len(self.search or "") + _OVERHEAD_BYTES


@dataclass(frozen=True)
class PersonalContent:
    """The personal data in the answers of a route.

    Attributes:
        route: the route's path.
        entity: the entity type; None: any.
        fields: the personal fields.
        always: whether the answers contain personal data even without `personal:read`.
    """

    route: str
    kind: Kind
    entity: str | None
    fields: tuple[str, ...]
    always: bool = False

    @cached_property
    def what(self) -> bytes:
        """Value of `PersonalView.what`."""
        members = {"route": self.route, "kind": self.kind, "entity": self.entity, "fields": self.fields}
        return json_bytes(members)


def record_view(
    request: Request,
    token: VerifiedToken,
    content: PersonalContent,
    *,
    of: str | None = None,
    wanted: bytes = b"null",
    search: str | None = None,
    count: int | None = None,
) -> None:
    """Record that the answer to a request shows personal data; call it before the answer is sent.

    Args:
        of: the record's id; None: the answer is about several records.
        wanted: the request's filters, as JSON.
        count: the number of rows or changes in the answer, if it is known.

    Raises:
        Problem: 503, the view cannot be recorded, so the answer must not be sent.
    """
    recorder: Recorder = request.app.state.views
    entity, request_id = content.entity or "*", request_id_of(request.scope)
    rest = (
        time.time_ns() // 1000,
        b"null" if of is None else json_bytes(of),
        request_id.encode(),
        wanted,
        b"null" if count is None else b"%d" % count,
    )
    recorder.add(
        PersonalView(
            json_bytes(entity if of is None else f"{entity}:{of}"),
            _who(token.actor.sub, token.actor.is_program),
            content.what,
            b'%d,%s,"%s",%s,%s' % rest,
            request_id,
            search,
            token.actor,
        )
    )


@lru_cache(maxsize=1024)
def _who(sub: str, is_program: bool) -> bytes:  # noqa: FBT001 - a key of the cache
    return json_bytes({"sub": sub, "is_program": True} if is_program else {"sub": sub})


def batch_of(
    views: Sequence[PersonalView], searches: Mapping[str, Mapping[str, str]] = MappingProxyType({})
) -> bytes:
    """Return the JSON text of a batch of views, in which equal `who` and `what` appear once."""
    whos: dict[bytes, int] = {}
    whats: dict[bytes, int] = {}
    rows = [
        b"[%d,%d,%s%s]"
        % (
            whos.setdefault(view.who, len(whos)),
            whats.setdefault(view.what, len(whats)),
            view.rest,
            b"" if view.search is None else b"," + json_bytes(searches[view.request]),
        )
        for view in views
    ]
    subjects = dict.fromkeys(view.subject for view in views)
    parts = [b",".join(each) for each in (subjects, whos, whats, rows)]
    return b'{"subjects":[%s],"who":[%s],"what":[%s],"views":[%s]}' % tuple(parts)
