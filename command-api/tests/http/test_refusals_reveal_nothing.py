"""Refused commands name no person and reveal no value to callers who must not see them, on any route."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote
from uuid import uuid4

import httpx
import pytest
from command_api_testing.fleet import ENTITIES, client_of, new_body, new_references, path_of, unwrap

from command_api.app import build_app
from command_api.domain.catalogue import DEFINITIONS
from command_api.domain.events import Merged, PossibleDuplicateDismissed
from command_api.http.batch import PATH as BATCHES
from ops.base.encryption.actors import ACTORS
from ops.base.http.record_etags import RecordETag
from ops.base.permissions import OF_STAFF, Permission
from ops.base.records.entities import entity_type
from ops.base.records.masks import masked_body
from ops.base.settings import ServiceSettings
from ops.testing.http_servers import serve, until_ready
from ops.testing.key_stores import OwnKeyStore
from ops.testing.postgres import Database
from ops.testing.token_issuer import TokenIssuer

PERMISSIONS: Final = {
    "author": OF_STAFF,
    "officer": frozenset(Permission),
    "clerk": OF_STAFF,
    "eraser": OF_STAFF | {Permission.PRIVACY_ERASE},
    "masked": frozenset(Permission) - {Permission.PERSONAL_READ},
    "onlooker": frozenset({Permission.FLEET_READ}),
}
NAMES: Final = {"author": "Zebedee Canary", "officer": "Quirina Canary"}
"""The unique names of the users who have changed the records."""
HIDDEN: Final = {
    "restricted": ("clerk", "eraser", "masked", "onlooker"),
    "unrestricted": ("masked", "onlooker"),
}
"""The callers who must not see the personal data of a record."""
STALE: Final = ('"1"', '"99"', f'"1-{"0" * 12}"')
"""Values of `If-Match` that no record fulfils: an old version, a future one, and one of another log."""
REASON: Final = {"X-Change-Reason": "as the test says"}
REFUSALS: Final = {403, 404, 409, 412, 422}

Route = tuple[str, str]
"""Method, and what follows the address of a record."""


ACKNOWLEDGEMENT: Final[dict[Route, Any]] = {("POST", "/acknowledgements"): {"document": "licence"}}
DISMISSAL: Final[dict[Route, Any]] = {("POST", "/dismissals"): {"other": "B-7", "dismissed": True}}


def bodies(entity: str, entity_id: str) -> dict[Route, Any]:
    """Return a valid body for each route of a record."""
    record = DEFINITIONS[entity].example
    merge = {("POST", "/merges"): {"from": "UNREGISTERED", "version": 1}}
    return {
        ("PUT", ""): record,
        ("DELETE", ""): None,
        ("POST", "/restore"): {"version": 1},
        ("POST", "/undo"): {"version": 3},
        ("POST", "/restriction"): {"basis": "asked"},
        ("PUT", "/restriction/hold"): {"until": "2999-12-31"},
        ("DELETE", "/restriction"): None,
        ("POST", "/erasure"): {"confirm": entity_id},
        **({} if entity in Merged.not_of else merge),
        **(ACKNOWLEDGEMENT if entity == "driver" else {}),
        **(DISMISSAL if entity in PossibleDuplicateDismissed.of else {}),
    }


UNCONDITIONAL: Final[dict[tuple[str, str], list[Route]]] = {
    ("restricted", "clerk"): [("PUT", ""), ("DELETE", ""), ("POST", "/restore"), ("POST", "/undo")],
    ("restricted", "eraser"): [("PUT", ""), ("DELETE", ""), ("POST", "/restore"), ("POST", "/undo")],
    ("restricted", "masked"): [("POST", "/restriction")],
    ("unrestricted", "masked"): [
        ("PUT", "/restriction/hold"),
        ("DELETE", "/restriction"),
        ("POST", "/erasure"),
    ],
}
"""The routes that refuse a caller whatever `If-Match` says."""

People = dict[str, httpx.AsyncClient]
Refusal = tuple[Route, httpx.Response]


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    folder: Path = tmp_path_factory.mktemp("keys")
    OwnKeyStore.in_folder(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FLEETLOG_KEYS", str(folder))
        yield


@pytest.fixture(scope="module")
async def people(
    settings_with: Callable[..., ServiceSettings],
    issuer: TokenIssuer,
    module_database: Database,
    keys: None,
) -> AsyncIterator[People]:
    async with AsyncExitStack() as stack:
        app = build_app(settings_with(database=module_database.command))
        origin = await stack.enter_async_context(serve(app))
        people = {}
        for who, permissions in PERMISSIONS.items():
            claims = {"sub": f"dev|{who}", "name": NAMES.get(who, who), "permissions": sorted(permissions)}
            client = client_of(origin, issuer, **claims)
            people[who] = await stack.enter_async_context(client)
        await until_ready(people["author"])
        yield people


@dataclass
class Record:
    """A record that other users have changed, with its personal values."""

    people: People
    entity: str
    address: str = ""
    values: list[str] = field(default_factory=list)
    tags: set[RecordETag] = field(default_factory=set)
    """Entity tags of answers that show the record unmasked."""

    @property
    def id(self) -> str:
        return self.address.rpartition("/")[2]

    async def send(self, who: str, route: Route, **headers: str) -> httpx.Response:
        method, ending = route
        body = bodies(self.entity, self.id)[route]
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        headers |= REASON
        return await self.people[who].request(method, self.address + ending, json=body, headers=headers)

    async def send_row(self, who: str, batch: str) -> httpx.Response:
        row = {"key": "row", "do": "remove", "id": self.id, "version": 1}
        body = {"batch": batch, "dry_run": False, "rows": [row]}
        collection = entity_type(self.entity).collection
        return await self.people[who].post(f"{BATCHES}/{collection}", json=body)

    async def prepare(self) -> None:
        """Register, remove and restore the record: three versions."""
        author = self.people["author"]
        others = await new_references(author) if self.entity == "assignment" else {}
        answer = await author.post(path_of(self.entity), json=new_body(self.entity, **others))
        self.address = answer.headers["location"]
        record = unwrap(self.entity, answer.json())
        personal = set(entity_type(self.entity).personal) & record.keys()
        texts = [value for name in personal for value in _texts(record[name])]
        self.values = [text for text in texts if len(text) > 5]
        await self.send("author", ("DELETE", ""))
        restored = await self.send("author", ("POST", "/restore"))
        assert restored.status_code == 200, restored.text
        self.tags |= {_tag(answer), _tag(restored)}

    async def restrict(self) -> None:
        restricted = await self.send("officer", ("POST", "/restriction"))
        assert restricted.status_code == 200, restricted.text
        refused = await self.send("officer", ("PUT", "/restriction/hold"), if_match='"1"')
        assert NAMES["author"] in refused.text  # unmasked for the officer
        self.tags.add(_tag(refused))

    def assert_silent(self, answer: httpx.Response) -> None:
        said = f"{answer.text}\n{answer.headers}"
        output = (answer.request.method, str(answer.request.url), answer.status_code, said)
        assert not [text for text in (*NAMES.values(), *self.values) if text in said], output
        if "etag" in answer.headers and entity_type(self.entity).personal:
            assert _tag(answer) not in self.tags, output


def _texts(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case dict():
            for one in value.values():
                yield from _texts(one)


def _tag(answer: httpx.Response) -> RecordETag:
    tag = RecordETag.parse(answer.headers["etag"])
    assert tag is not None
    return tag


async def refusals(record: Record, who: str, state: str, keys: dict[Route, str]) -> AsyncIterator[Refusal]:
    """Yield a caller's refusals by each route.

    Args:
        record: which record the requests are about.
    """
    client, unknown = record.people[who], f"{path_of(record.entity)}/UNKNOWN"
    for route, key in keys.items():
        method, ending = route
        yield route, await record.send(who, route, if_match='"1"', idempotency_key=key)
        others = [of_other for other, of_other in keys.items() if other[1] == ending and other != route]
        for used in others:  # for another command at the same address
            yield route, await record.send(who, route, if_match='"1"', idempotency_key=used)
        for stale in STALE:
            yield route, await record.send(who, route, if_match=stale)
        if route in UNCONDITIONAL.get((state, who), ()):
            yield route, await record.send(who, route)
        for address in (record.address, unknown):
            stale_headers = {"If-Match": '"99"'}
            yield route, await client.request(method, address + ending, json={"id": 7}, headers=stale_headers)
        body = bodies(record.entity, "UNKNOWN")[route]
        yield route, await client.request(method, unknown + ending, json=body, headers=REASON)


async def documented_routes(people: People, entity: str) -> dict[Route, set[int]]:
    """Return the refusals that the OpenAPI document declares for each command about a record's version."""
    paths = (await people["officer"].get("/openapi.json")).json()["paths"]
    path = f"{path_of(entity)}/{{entity_id}}"
    return {
        (method.upper(), one.removeprefix(path)): REFUSALS
        & {int(status) for status in operation["responses"]}
        for one, methods in paths.items()
        if one.startswith(path)
        for method, operation in methods.items()
        if "412" in operation["responses"]
    }


@pytest.mark.parametrize("state", HIDDEN)
@pytest.mark.parametrize("entity", ENTITIES)
async def test_no_refusal_of_any_route_reveals_what_the_caller_must_not_see(
    people: People, entity: str, state: str
) -> None:
    routes = await documented_routes(people, entity)
    assert routes.keys() == bodies(entity, "ID").keys()
    record = Record(people, entity)
    await record.prepare()
    keys = {who: {route: uuid4().hex for route in routes} for who in HIDDEN[state]}
    batches = {who: str(uuid4()) for who in keys}
    if state == "restricted":  # the restriction follows the first requests
        for who, keys_of_routes in keys.items():
            await record.send_row(who, batches[who])
            for route, key in keys_of_routes.items():
                await record.send(who, route, if_match='"1"', idempotency_key=key)
        await record.restrict()
    provoked: set[tuple[Route, int]] = set()
    for who, keys_of_routes in keys.items():
        record.assert_silent(await record.send_row(who, batches[who]))
        async for route, answer in refusals(record, who, state, keys_of_routes):
            assert answer.status_code in REFUSALS, (who, route, answer.status_code, answer.text)
            record.assert_silent(answer)
            provoked.add((route, answer.status_code))
    if state == "restricted":
        assert provoked >= {(route, status) for route, statuses in routes.items() for status in statuses}


@pytest.mark.parametrize("entity", ENTITIES)
async def test_a_restricted_record_is_refused_before_its_version_is_compared(
    people: People, entity: str
) -> None:
    record = Record(people, entity)
    await record.prepare()
    await record.restrict()
    for route in UNCONDITIONAL["restricted", "clerk"]:
        answer = await record.send("clerk", route, if_match='"1"')
        assert answer.status_code == 409, route
        assert answer.json()["type"].endswith(":restricted")


async def test_masked_etag_is_that_of_the_masked_record(people: People) -> None:
    record = Record(people, "driver")
    await record.prepare()
    full = await record.send("officer", ("POST", "/restore"))
    masked = masked_body(entity_type("driver"), full.content)
    await record.restrict()
    refused = await record.send("eraser", ("POST", "/erasure"), if_match='"1"')
    assert refused.status_code == 412
    tag = _tag(refused)
    assert tag.log is not None
    assert tag == RecordETag.of(4, tag.log, masked)
    shown = [(change["actor"]["name"], change["masked"]) for change in refused.json()["changed_since"]]
    assert shown == [(None, ["actor.name"])] * 3


async def test_refusals_about_an_actor_reveal_no_name(people: People) -> None:
    await Record(people, "horse").prepare()  # so that the author's name is known
    assert await ACTORS.key_id_of("dev|author") is not None
    address = f"/api/v1/actors/{quote('dev|author', safe='')}"
    for method, ending, body in (
        ("POST", "/restriction", {"basis": "asked"}),
        ("PUT", "/restriction/hold", {"until": None}),
        ("DELETE", "/restriction", None),
        ("POST", "/erasure", {"confirm": "dev|author"}),
    ):
        for stale in STALE:
            answer = await people["masked"].request(
                method, address + ending, json=body, headers={"If-Match": stale}
            )
            assert answer.status_code in {404, 409, 412}, answer.text
            assert NAMES["author"] not in answer.text
