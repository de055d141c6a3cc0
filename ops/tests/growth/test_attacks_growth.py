"""Processing of foreign input takes linear time: twice the input takes at most 2.5 times as long."""

import asyncio
import base64
import gc
import importlib
import pkgutil
import random
import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from tempfile import mkdtemp
from typing import Final, NamedTuple
from urllib.parse import quote

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.types import Message

import command_api
import ops.base
import ops.development.identity_provider
import projections
import query_api
import read_model
from command_api.commands.context import fingerprint
from command_api.domain.catalogue import DEFINITIONS
from command_api.http.back_channel_logout import _logout_token
from command_api.http.requests import (
    MAX_BYTES,
    command_context,
    is_valid_id,
    parse_object,
    read_changed,
    read_details,
    read_json_object,
    read_new,
)
from command_api.http.routes import Restoration
from ops.base.http.consistency import received_position
from ops.base.http.problems import Problem
from ops.base.http.service import Service
from ops.base.permissions import permissions_in
from ops.base.records.entities import is_id
from ops.base.records.json_values import same_json
from ops.base.sign_in.actor import Actor, name_from_claims
from ops.base.sign_in.dependency import _bearer_token
from ops.base.sign_in.refusal import InvalidToken
from ops.base.sign_in.signing_keys import parse_key_set
from ops.base.sign_in.token_format import read_claims, read_header
from ops.development.identity_provider.app import create_app
from ops.development.identity_provider.settings import IdentityProviderSettings
from ops.launcher.paths import PROJECT
from ops.testing.soak import suite_and_soak
from query_api.audit.parameters import AuditParameters
from query_api.feed.parameters import FeedParameters
from query_api.history.parameters import DiffParameters, HistoryParameters, PointParameters
from query_api.http.answers import accepts_gzip, known_etags
from query_api.http.parameters import PageParameters, QueryParameters
from query_api.paging.parameters import parameters_of_list
from read_model.tables import ENTITY_TABLES
from read_model.tables.search_terms import search_text, sort_keys, sought_in

RATIO: Final = 2.5
TOLERANCE_SECONDS: Final = 0.002
"""Additional time of a doubled input that is accepted at any ratio."""
_DOUBLINGS: Final = 7
_LEAST_CAREFUL_RUNS: Final = 9
_CAREFUL_RUNS: Final = 400
_PAUSE_SECONDS: Final = 0.02
"""Pause between slow runs, in which other load on the processor caches may end."""


class Hostile(NamedTuple):
    """A family of texts: a repeated unit between a prefix and a suffix."""

    prefix: str
    unit: str
    suffix: str

    def text(self, length: int) -> str:
        """Return the family's text of approximately a length."""
        return self.prefix + self.unit * (length // len(self.unit)) + self.suffix


@dataclass(frozen=True)
class EntryPoint:
    """Code that processes foreign text."""

    name: str
    work: Callable[[str], object]
    tokens: Sequence[str]
    """Elements of generated texts, with and without meaning to the code."""
    refusals: tuple[type[Exception], ...] = ()
    """Exceptions that refuse a text."""
    longest: int = 128 * 1024
    """Longer than the gateway's limit, so that a bad ratio becomes visible."""
    known: Sequence[Hostile] = ()
    """Families that are tried before generated ones."""

    def hostile(self, count: int) -> Iterator[Hostile]:
        """Yield the known families, and `count` generated ones, deterministic for the name."""
        yield from self.known
        choices = random.Random(self.name)

        def some(least: int, most: int) -> str:
            return "".join(choices.choices(self.tokens, k=choices.randint(least, most)))

        for _ in range(count):
            yield Hostile(some(0, 3), some(1, 3), some(0, 2))


def require_linear(entry: EntryPoint, family: Hostile) -> None:
    """Measure an entry point on texts of a family of increasing length.

    Raises:
        AssertionError: doubling a text took more than `RATIO` times the time, at the shortest such text.
    """
    shorter = _seconds(entry, family.text(entry.longest >> _DOUBLINGS))
    for halvings in reversed(range(_DOUBLINGS)):
        length = entry.longest >> halvings
        longer = _seconds(entry, family.text(length))
        if _is_bad(shorter, longer):
            shorter, longer = _carefully(entry, family.text(length // 2), family.text(length))
            if _is_bad(shorter, longer):
                raise AssertionError(
                    f"{entry.name}: {length // 2} characters of {family} take {shorter * 1000:.1f} ms,"
                    f" {length} take {longer * 1000:.1f} ms"
                )
        shorter = longer


def _carefully(entry: EntryPoint, half: str, full: str) -> tuple[float, float]:
    """Return the minimal times of both texts in alternating runs, which other load delays equally.

    After some runs, further ones follow only while the ratio is bad, since a real problem does not vanish.
    """
    shorter = longer = float("inf")
    for run in range(1, _CAREFUL_RUNS + 1):
        shorter = min(shorter, _seconds(entry, half))
        longer = min(longer, _seconds(entry, full))
        if run >= _LEAST_CAREFUL_RUNS:
            if not _is_bad(shorter, longer):
                break
            time.sleep(_PAUSE_SECONDS)
    return shorter, longer


def _is_bad(shorter: float, longer: float) -> bool:
    return longer > RATIO * shorter + TOLERANCE_SECONDS


def _seconds(entry: EntryPoint, text: str) -> float:
    """Return the processor time of one run, without garbage collection."""
    gc.disable()
    try:
        began = time.process_time()
        with suppress(*entry.refusals):
            entry.work(text)
        return time.process_time() - began
    finally:
        gc.enable()


families = pytest.mark.parametrize("count", suite_and_soak(8, 1000, hours=24))
"""The number of generated families for each entry point."""
GATEWAY = PROJECT / "ops/launcher/src/ops/launcher/gateway"
PACKAGES = (command_api, query_api, projections, read_model, ops.base, ops.development.identity_provider)

TRAILERS = next(table for table in ENTITY_TABLES if table.name == "trailers")
ASHA = Actor("dev|asha", "Asha Menon")
QUERIES: list[type[QueryParameters]] = [
    *(parameters_of_list(ENTITY_TABLES[0]), PointParameters, HistoryParameters, DiffParameters),
    *(AuditParameters, PageParameters, FeedParameters),
]
NAMES = (
    *("page", "size", "sort", "q", "as_of", "version", "after", "limit", "wait", "type", "entity", "id"),
    *("field", "actor", "cursor", "order", "from", "to"),
)

# Elements of generated texts, by kind.
WORD = [*'aA01 \t\x7fé-_.,;:/=*%"\\@!(<', "%41", "\u0301", "\u0315", "\ud800", "a.", "-a", "a@", "1e"]
JSON = [*'[]{}"\\,:09-.e é', '\\"', "\\u0041", "\\ud800", "1,", '"a":', '"a",', "[],", "{},"]
TAG = [*'"aW/, *1é', '"a"', '"1",', '"4294967296",', "W/"]
ACCEPT = [*"a/*,;q=01. \t", "*/*", "q=", "0.5", "gzip", "text/event-stream"]
COOKIE = [*'a=; "\\', '\\"', "\\101", "fleetlog_position=", "fleetlog_idp_session="]
TOKEN = [*"ae-_.=+ ", "W10", "eyJhIjox", "eyJhbGciOiJSUzI1NiJ9."]
QUERY = [*"&=;+%,aé", "%4", "%41", "%c3", *(f"{name}=" for name in NAMES), "scope=", "state="]


def request_with(header: str, text: str, query: bytes = b"") -> Request:
    headers = [(header.encode(), text.encode("latin-1", "replace"))]
    return Request({"type": "http", "method": "POST", "path": "/", "query_string": query, "headers": headers})


def ignore_refusal(work: Callable[[], object]) -> None:
    with suppress(Problem):
        work()


def read_body(text: str) -> object:
    return parse_object(text.encode("utf-8", "surrogatepass"))


def read_free_json(text: str) -> None:
    """Process a well-formed body of any content."""
    body = {"metadata": read_body(text), "identifier": "a"}
    ignore_refusal(partial(read_new, DEFINITIONS["horse"], body))
    fingerprint("POST", body)
    same_json(body["metadata"], read_body(text))


def read_fields(text: str) -> None:
    """Process a text as the value of each field, as the name of an unknown field, and as an id."""
    for definition in DEFINITIONS.values():
        body = dict.fromkeys([*definition.details.model_fields, text, "id"], text)
        ignore_refusal(partial(read_new, definition, body))
        for masked in (False, True):
            ignore_refusal(partial(read_changed, definition, body, path_id=text, masked=masked))
    ignore_refusal(partial(read_details, Restoration, {text: text, "version": text}))
    is_valid_id(text)
    is_id(text)


def look_up(text: str) -> None:
    """Process a text as a search term, and as a long value that is searched and sorted."""
    sought_in(text)
    item = TRAILERS.entity.list_item({**TRAILERS.entity.example, "data": {"currentLocation": text}})
    search_text(TRAILERS, item)
    sort_keys(TRAILERS, item)


def read_query(text: str) -> None:
    """Process a text as a query string, and a share of the text as the value of each parameter."""
    raw = text.encode("utf-8", "surrogatepass")
    share = quote(raw[: len(raw) // len(NAMES)])
    for query in (raw, "&".join(f"{name}={share}" for name in NAMES).encode()):
        for parameters in QUERIES:
            ignore_refusal(partial(parameters.of, request_with("accept", "*/*", query)))


def read_claims_of(text: str) -> None:
    encoded = base64.urlsafe_b64encode(text.encode("utf-8", "surrogatepass")).rstrip(b"=").decode()
    with suppress(InvalidToken):
        read_header(f"{encoded}.{encoded}.{encoded}")
    with suppress(InvalidToken):
        read_claims(f".{encoded}.")


def read_logout(text: str) -> None:
    """Process a text as the form of a back-channel logout."""

    async def receive() -> Message:
        return {"type": "http.request", "body": text.encode("utf-8", "surrogatepass")}

    scope = request_with("content-type", "application/x-www-form-urlencoded").scope
    asyncio.run(_logout_token(Request(scope, receive)))


async def answer(
    app: object, header: str, text: str, *, path: str = "/", query: str = "", body: str = ""
) -> None:
    address = {"method": "POST" if body else "GET", "path": path, "query_string": query.encode()}
    scope = {**request_with(header, text).scope, **address}

    async def receive() -> Message:
        return {"type": "http.request", "body": body.encode("utf-8", "surrogatepass")}

    async def send(_: Message) -> None:
        pass

    await app(scope, receive, send)  # type: ignore[operator]


def in_context(header: str, text: str) -> None:
    asyncio.run(answer(Service(name="test"), header, text))


@cache
def identity_provider() -> Starlette:
    settings = IdentityProviderSettings(
        port=0,
        issuer="http://localhost:8080/",
        audience="https://api.fleetlog.example",
        environment="development",
        idp_state=Path(mkdtemp()),
    )
    return create_app(settings)


def sign_in(text: str) -> None:
    """Process a text in every input of the identity provider."""
    for path in ("/authorize", "/v2/logout"):
        asyncio.run(answer(identity_provider(), "cookie", text, path=path, query=quote(text, safe="&=+%")))
    for path in ("/idp/login", "/oauth/token"):
        asyncio.run(answer(identity_provider(), "content-type", "a", path=path, body=text or " "))


def header(name: str, work: Callable[[Request], object], tokens: list[str], *known: Hostile) -> EntryPoint:
    return EntryPoint(
        f"header {name}",
        lambda text: work(request_with(name, text)),
        tokens,
        (Problem, InvalidToken),
        known=known,
    )


ACCENTS = Hostile("a", "\u0315\u0300", "")
ESCAPES = Hostile("[" * 65 + '"', '\\"', "")
DEEP = Hostile("", '{"a":', "1" + "}" * 64)
ITEMS = ("[],", "{},", '"\\u0041",', "1e5,", '{"a":{"b":""}},', "1,")
CHARACTERS = ("\\u0041", "\\n", "a", "\\ud83d\\ude00")
WELL_FORMED = [
    *(Hostile('{"a":[', unit, "0]}") for unit in ITEMS),
    *(Hostile('{"a":"', unit, '"}') for unit in CHARACTERS),
    Hostile('{"a":0.', "9", "}"),
    Hostile('{"a":1', "0", "}"),
    Hostile('{"a":0.', "0", "1e999}"),
]
ENTRY_POINTS = [
    EntryPoint("body", read_body, JSON, (Problem,), MAX_BYTES, [ESCAPES, DEEP]),
    EntryPoint("free JSON", read_free_json, JSON, (Problem,), MAX_BYTES, WELL_FORMED),
    EntryPoint("details", read_fields, WORD, (), MAX_BYTES),
    EntryPoint("search", look_up, WORD, (), 16 * 1024, [ACCENTS]),
    EntryPoint("query", read_query, QUERY + WORD, (), 16 * 1024),
    header("content-type", lambda request: read_json_object(request).send(None), WORD),
    *(
        header(name, lambda request: command_context(request, ASHA, None, log_id="a"), WORD + TAG)
        for name in ("idempotency-key", "x-change-reason", "if-match")
    ),
    EntryPoint("header x-request-id", partial(in_context, "x-request-id"), WORD),
    EntryPoint("header traceparent", partial(in_context, "traceparent"), WORD),
    header("fleetlog-position", lambda request: received_position(request, "a"), WORD),
    header("cookie", lambda request: received_position(request, "a"), COOKIE, Hostile('a="', '\\"', '"')),
    header("if-none-match", lambda request: known_etags(request.scope), TAG),
    header("accept-encoding", lambda request: accepts_gzip(request.scope), ACCEPT),
    header("accept", FeedParameters.of, ACCEPT),
    header("last-event-id", FeedParameters.of, WORD),
    header("authorization", _bearer_token, [*WORD, "Bearer "]),
    EntryPoint("token", read_header, TOKEN, (InvalidToken,)),
    EntryPoint("claims", read_claims_of, JSON),
    EntryPoint("logout", read_logout, ["logout_token=", *"&=;+%aé", *TOKEN], (Problem,)),
    EntryPoint("permissions", lambda text: permissions_in({"may": text}, "may"), ["fleet:read", *WORD]),
    EntryPoint("name", lambda text: name_from_claims({"name": text}, audience="a", fallback=text), WORD),
    EntryPoint("key set", lambda text: parse_key_set(text.encode("utf-8", "replace")), JSON, (ValueError,)),
    EntryPoint("sign-in", sign_in, QUERY + COOKIE + JSON, (), 16 * 1024),
]


def patterns() -> Iterator[EntryPoint]:
    """Yield every regular expression of the services' modules, with its own characters as tokens."""
    for package in PACKAGES:
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if found.name.endswith("__main__"):
                continue
            for name, pattern in vars(importlib.import_module(found.name)).items():
                if isinstance(pattern, re.Pattern) and isinstance(pattern.pattern, str):
                    tokens = sorted({*pattern.pattern, *"a0 \t\n.é"})
                    yield EntryPoint(f"{found.name}.{name}", pattern.fullmatch, tokens)


def gateway_patterns() -> Iterator[EntryPoint]:
    """Yield the regular expressions of nginx's configuration."""
    for template in GATEWAY.glob("*.conf*"):
        for text in re.findall(r'(?m)(?:"~\*?|^ *location ~\*? )(.+?)(?:" | \{$)', template.read_text()):
            pattern = re.compile(text.replace("(?<", "(?P<"))
            yield EntryPoint(f"{template.name} {text}", pattern.search, sorted({*text, *"a0 \t"}))


@families
@pytest.mark.parametrize("entry", ENTRY_POINTS, ids=lambda entry: entry.name)
def test_entry_point_takes_linear_time(entry: EntryPoint, count: int) -> None:
    for family in entry.hostile(count):
        require_linear(entry, family)


@families
def test_patterns_take_linear_time(count: int) -> None:
    found = [*patterns(), *gateway_patterns()]
    assert len(found) > 30
    for entry in found:
        for family in entry.hostile(count):
            require_linear(entry, family)
