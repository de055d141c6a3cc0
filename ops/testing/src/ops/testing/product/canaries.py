"""Canaries: texts that occur in personal data alone, and requests whose answers must not show them."""

import itertools
import json
import re
import secrets
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final, NamedTuple

import httpx

from ops.base.records.entities import ENTITY_TYPES, EntityType, value_at
from ops.base.records.masks import is_personal
from ops.testing.conditions import wait_for
from ops.testing.product.bodies import usual_body
from ops.testing.product.exchanges import PATHS, unwrap
from ops.testing.product.fields import FIELDS

_OF_THE_REQUEST: Final = {"date", "x-request-id", "connection"}
"""Headers that do not depend on the answer's content."""
_VIEW: Final = re.compile(r'-[0-9a-f]{16}"$')
"""The suffix of an entity tag that depends on the request."""


class Canaries:
    """A generator of canaries.

    Attributes:
        all: the generated canaries, as they appear in JSON.
        mark: part of every canary of this generator except dates.
    """

    def __init__(self, *, first_year: int = 2700) -> None:
        """Begin dates in a year; generators with the same year generate the same dates."""
        self.all: list[str] = []
        self.mark = secrets.token_hex(4)
        self._numbers = itertools.count(10)
        self._years = itertools.count(first_year)

    def text(self) -> str:
        return self._made(f"canary{next(self._numbers)}x{self.mark}")

    def like(self, value: Any) -> Any:
        """Return a canary of the same kind as a value."""
        match value:
            case dict():
                return {self.text(): [self.text()], "currentLocation": self.text()}
            case str() if "@" in value:
                return f"{self.text()}@example.com"
            case str() if re.fullmatch(r"\d{4}-\d\d-\d\d", value):
                return self._made(f"{next(self._years)}-07-19")
        return self.text()

    def details(self, entity: EntityType) -> dict[str, Any]:
        """Return details whose personal fields are canaries."""
        usual = usual_body(entity.name).details
        return {name: self.like(value) if name in entity.personal else value for name, value in usual.items()}

    def in_(self, text: str) -> list[str]:
        """Return the canaries in a text, ignoring case."""
        lower = text.lower()
        return [canary for canary in self.all if canary in lower]

    def _made(self, text: str) -> str:
        self.all.append(text)
        return text


@dataclass
class Planted:
    """Records of all types, registered, changed, removed and restored, whose personal data are canaries."""

    canaries: Canaries
    ids: dict[str, str] = field(default_factory=dict)
    """By entity type."""
    removed: dict[str, str] = field(default_factory=dict)
    """Ids of removed records, by entity type."""
    searched: list[str] = field(default_factory=list)
    """The canaries by which staff can search."""
    etags: list[str] = field(default_factory=list)
    """Entity tags of unmasked answers."""
    moment: str = ""
    """A moment after the last command."""


def plant(http: httpx.Client, canaries: Canaries, token: str) -> Planted:
    """Fill a product with canaries.

    Args:
        http: a client with cookies.
        canaries: the generator.
        token: of a user who sees personal data and whose name is a canary, too.
    """
    planted = Planted(canaries)

    def send(method: str, address: str, body: Mapping[str, Any] | None = None) -> httpx.Response:
        headers = {"Authorization": f"Bearer {token}", "X-Change-Reason": canaries.text()}
        headers |= {"X-Request-Id": canaries.text()}
        answer = http.request(method, address, headers=headers, json=body)
        assert answer.status_code < 300, answer.text
        planted.etags.append(answer.headers.get("etag", ""))
        return answer

    for entity in ENTITY_TYPES:
        for ids in (planted.ids, planted.removed):
            given = {"id": f"LEAKS-{secrets.token_hex(4)}"} if entity.given_id else {}
            made = send("POST", entity.path, {**canaries.details(entity), **given})
            address, ids[entity.name] = made.headers["location"], unwrap(entity.name, made.json())["id"]
            send("PUT", address, _changed(canaries, entity, "once"))
            send("DELETE", address)
            if ids is planted.ids:
                send("POST", f"{address}/restore", {"version": 1})
                record = _changed(canaries, entity, "at last")
                send("PUT", address, record)
                item = entity.list_item({"id": ids[entity.name], **record})
                paths = [path for path in entity.searched if is_personal(entity, path)]
                planted.searched += [str(value_at(item, path)) for path in paths]
    for entity in ENTITY_TYPES:
        for path in (entity.path, f"{entity.path}/{planted.ids[entity.name]}/history"):
            wait_for(partial(_is_current, http, path, token, planted))
    planted.moment = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"
    return planted


def _changed(canaries: Canaries, entity: EntityType, how: str) -> dict[str, Any]:
    """Return changed details; fields that are not personal change as well."""
    harmless = FIELDS[entity.name].keys() - set(entity.personal)
    return {**canaries.details(entity), **dict.fromkeys(harmless & {"identifier", "country"}, how)}


def _is_current(http: httpx.Client, path: str, token: str, planted: Planted) -> bool:
    answer = http.get(path, headers={"Authorization": f"Bearer {token}"})
    planted.etags.append(answer.headers["etag"])
    return "fleetlog-consistency" not in answer.headers


def queries(planted: Planted) -> Iterator[str]:
    """Yield the addresses of all queries about the records except searches."""
    then = f"as_of={planted.moment}"
    for entity in ENTITY_TYPES:
        names = list(entity.schema["properties"])
        fields = [*names[1:4], *names[-2:]]
        yield from (f"{entity.path}{query}" for query in ("", f"?{then}", "?page=0&size=1000", "?q=e"))
        yield from (f"{entity.path}?sort={name},asc" for name in names)
        yield from (f"/api/v1/lists/{entity.collection}/choices?field={name}" for name in entity.filtered)
        yield f"/api/v1/lists/{entity.collection}/export?columns={','.join(names)}"
        for entity_id in (planted.ids[entity.name], planted.removed[entity.name]):
            one = f"{entity.path}/{entity_id}"
            yield from (f"{one}{query}" for query in ("", "?version=1", "?version=5", f"?{then}"))
            yield from (f"{one}/history{query}" for query in ("", "?order=desc&limit=2", "?actor=dev|leaks"))
            yield from (f"{one}/history?field={name}" for name in fields)
            yield from (f"{one}/diff?from={first}&to={last}" for first, last in ((0, 1), (1, 5), (2, 4)))
            yield from (f"{one}/blame", f"{one}/blame?version=1", f"{one}/seen-by")
            for form in ("", "&format=csv", "&format=ndjson", "&format=csv&reveal=true"):
                yield f"/api/v1/audit?id={entity_id}{form}"
        yield f"/api/v1/audit?entity={entity.name}&order=desc&limit=50"
        yield f"/api/v1/events?entity={entity.name}&format=ndjson&after=0"
    yield from ("/api/v1/events?format=batch&after=0&limit=1000", "/api/v1/access-log", "/api/v1/me")
    yield "/api/v1/access-log?show=views&limit=1000"
    yield "/api/v1/due-dates?until=2999-12-31&size=500"
    yield from ("/api/v1/schemas", "/api/v1/asyncapi.json", "/openapi/command.json", "/openapi/query.json")


def searches(planted: Planted, text: str) -> Iterator[str]:
    """Yield the addresses of all queries that search for a text."""
    for entity in ENTITY_TYPES:
        one = f"{entity.path}/{planted.ids[entity.name]}"
        yield from (f"{entity.path}?{name}={text}" for name in ("q", "sort", "page", *entity.filtered))
        yield from (f"{one}/history?{name}={text}" for name in ("field", "actor", "cursor"))
        yield from (f"{entity.path}/{text}", f"{one}?version={text}", f"{one}/diff?from={text}&to=1")
    yield from (f"/api/v1/audit?{name}={text}" for name in ("q", "actor", "field", "type", "entity", "from"))
    yield from (f"/api/v1/audit?format={form}&q={text}" for form in ("csv", "ndjson"))
    yield f"/api/v1/events?format=ndjson&after=0&type={text}"


def commands(planted: Planted, text: str) -> Iterator[tuple[str, str, dict[str, str], Any]]:
    """Yield method, address, headers and body of commands that are refused."""
    for entity in ENTITY_TYPES:
        one = f"{PATHS[entity.name]}/{planted.ids[entity.name]}"
        old = {"If-Match": '"1"'}
        yield from (("PUT", one, old, {}), ("DELETE", one, old, None))
        yield from (("PUT", one, old, {name: text}) for name in FIELDS[entity.name])
        yield "POST", f"{one}/restore", old, {"version": 1}
        yield from (
            ("POST", f"{one}/undo", old, body) for body in ({"version": 2}, {"version": 2, "keep": [text]})
        )
        if entity.given_id:
            yield "POST", entity.path, {}, {**usual_body(entity.name).sent, "id": planted.ids[entity.name]}
        yield "POST", entity.path, {}, {text: text}


class Content(NamedTuple):
    """An answer without the parts that depend on its request alone."""

    status: int
    headers: dict[str, str]
    text: str


def content_of(answer: httpx.Response) -> Content:
    headers = {name: value for name, value in answer.headers.items() if name not in _OF_THE_REQUEST}
    if "etag" in headers:
        headers["etag"] = _VIEW.sub('"', headers["etag"])
    own = answer.headers.get("x-request-id", "-")
    return Content(answer.status_code, headers, answer.text.replace(own, ""))


def everything_in(answer: httpx.Response) -> str:
    """Return body and headers of an answer as text."""
    unescaped = answer.text
    if "json" in answer.headers.get("content-type", "") and "\n" not in unescaped.strip() and unescaped:
        unescaped += json.dumps(answer.json(), ensure_ascii=False)
    return "\n".join([unescaped, *(f"{name}: {value}" for name, value in answer.headers.items())])


def sample(canaries: Iterable[str], count: int) -> list[str]:
    """Return some canaries, evenly spread."""
    known = list(canaries)
    return known[:: max(1, len(known) // count)][:count]
