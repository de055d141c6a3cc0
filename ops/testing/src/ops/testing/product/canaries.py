"""Texts that are nowhere but in personal data, and what is told to those who may not see any."""

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
from ops.testing.product.bodies import usual_body
from ops.testing.product.exchanges import PATHS, unwrap
from ops.testing.product.fields import FIELDS
from ops.testing.waiting import wait_for

_OF_THE_REQUEST: Final = {"date", "x-request-id", "connection"}
"""Headers of which the answer's content is not the cause."""
_VIEW: Final = re.compile(r'-[0-9a-f]{16}"$')
"""What an entity tag says of what was asked."""


class Canaries:
    """Makes them.

    Attributes:
        all: that were made, as they stand in JSON.
        mark: what is in all of them but days, and in nobody else's.
    """

    def __init__(self, *, first_year: int = 2700) -> None:
        """Begin with none.

        Args:
            first_year: of the days; two sets with the same days cannot be told apart.
        """
        self.all: list[str] = []
        self.mark = secrets.token_hex(4)
        self._numbers = itertools.count(10)
        self._years = itertools.count(first_year)

    def text(self) -> str:
        """Make a text."""
        return self._made(f"canary{next(self._numbers)}x{self.mark}")

    def like(self, value: Any) -> Any:
        """Make a value of the same kind."""
        match value:
            case dict():
                return {self.text(): [self.text()], "currentLocation": self.text()}
            case str() if "@" in value:
                return f"{self.text()}@example.com"
            case str() if re.fullmatch(r"\d{4}-\d\d-\d\d", value):
                return self._made(f"{next(self._years)}-07-19")
        return self.text()

    def details(self, entity: EntityType) -> dict[str, Any]:
        """Return details of which all that are personal are canaries."""
        usual = usual_body(entity.name).details
        return {name: self.like(value) if name in entity.personal else value for name, value in usual.items()}

    def in_(self, text: str) -> list[str]:
        """Return those that are in a text, however they are capitalised."""
        lower = text.lower()
        return [canary for canary in self.all if canary in lower]

    def _made(self, text: str) -> str:
        self.all.append(text)
        return text


@dataclass
class Planted:
    """Records of all types that were registered, changed, removed and restored, full of canaries."""

    canaries: Canaries
    ids: dict[str, str] = field(default_factory=dict)
    """By entity types."""
    removed: dict[str, str] = field(default_factory=dict)
    """The same of records that are gone."""
    searched: list[str] = field(default_factory=list)
    """The canaries by which staff find records."""
    etags: list[str] = field(default_factory=list)
    """Of what was answered to those who see all."""
    moment: str = ""
    """When all was done."""


def plant(http: httpx.Client, canaries: Canaries, token: str) -> Planted:
    """Fill a product with canaries.

    Args:
        http: its connections, which keep cookies.
        canaries: makes them.
        token: of somebody who may see all, and whose name is one, too.
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
    """Return other details: what is not personal changes, too, where there is any."""
    harmless = FIELDS[entity.name].keys() - set(entity.personal)
    return {**canaries.details(entity), **dict.fromkeys(harmless & {"identifier", "country"}, how)}


def _is_current(http: httpx.Client, path: str, token: str, planted: Planted) -> bool:
    answer = http.get(path, headers={"Authorization": f"Bearer {token}"})
    planted.etags.append(answer.headers["etag"])
    return "fleetlog-consistency" not in answer.headers


def queries(planted: Planted) -> Iterator[str]:
    """Return all that can be asked about the records, but for what looks for something."""
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
    """Return all that can be asked that looks for a text."""
    for entity in ENTITY_TYPES:
        one = f"{entity.path}/{planted.ids[entity.name]}"
        yield from (f"{entity.path}?{name}={text}" for name in ("q", "sort", "page", *entity.filtered))
        yield from (f"{one}/history?{name}={text}" for name in ("field", "actor", "cursor"))
        yield from (f"{entity.path}/{text}", f"{one}?version={text}", f"{one}/diff?from={text}&to=1")
    yield from (f"/api/v1/audit?{name}={text}" for name in ("q", "actor", "field", "type", "entity", "from"))
    yield from (f"/api/v1/audit?format={form}&q={text}" for form in ("csv", "ndjson"))
    yield f"/api/v1/events?format=ndjson&after=0&type={text}"


def commands(planted: Planted, text: str) -> Iterator[tuple[str, str, dict[str, str], Any]]:
    """Return commands that change nothing and say something: method, address, headers, and body."""
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


class Told(NamedTuple):
    """What an answer says of anything but its own request."""

    status: int
    headers: dict[str, str]
    text: str


def told(answer: httpx.Response) -> Told:
    """Return what an answer says of anything but its own request."""
    headers = {name: value for name, value in answer.headers.items() if name not in _OF_THE_REQUEST}
    if "etag" in headers:
        headers["etag"] = _VIEW.sub('"', headers["etag"])
    own = answer.headers.get("x-request-id", "-")
    return Told(answer.status_code, headers, answer.text.replace(own, ""))


def everything_in(answer: httpx.Response) -> str:
    """Return all of an answer, as text."""
    unescaped = answer.text
    if "json" in answer.headers.get("content-type", "") and "\n" not in unescaped.strip() and unescaped:
        unescaped += json.dumps(answer.json(), ensure_ascii=False)
    return "\n".join([unescaped, *(f"{name}: {value}" for name, value in answer.headers.items())])


def sample(canaries: Iterable[str], count: int) -> list[str]:
    """Return some, from everywhere."""
    known = list(canaries)
    return known[:: max(1, len(known) // count)][:count]
