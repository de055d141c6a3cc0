"""Permissions of every route of both APIs: for each role, and with and without each permission."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

import httpx
import pytest

from command_api.domain.events import Merged
from ops.base.permissions import Permission
from ops.base.records.entities import ENTITY_TYPES, EntityType
from ops.testing.logout_tokens import BACK_CHANNEL_LOGOUT
from ops.testing.product.client import Client, issuer_of
from ops.testing.product.read_tables import head_of
from ops.testing.stack import Stack
from ops.testing.token_issuer import TokenIssuer

pytestmark = pytest.mark.integration

THEN: Final = "2026-01-01T00:00:00Z"
READ, HISTORY, PERSONAL = "fleet:read", "history:read", "personal:read"
MANAGE: Final = "notifications:manage"
RESTRICT, ERASE = "privacy:restrict", "privacy:erase"
ACTORS = "/api/v1/actors"
EXPORT: Final = "?id=UNKNOWN&format"
FILE: Final = "?entity=driver&id=UNKNOWN"


@dataclass(frozen=True)
class Line:
    """A request and the permissions that it needs.

    Attributes:
        path: as in its document; `{records}` is the path of each entity type, `{collection}` its end.
        needs: permissions of the route, separated by spaces; `needs_of` adapts them to the type.
        more: further permissions of the query, which are reported only to callers with the others.
        or_else: a permission that suffices instead of all others.
    """

    method: str
    path: str
    needs: str
    query: str = ""
    more: str = ""
    or_else: str = ""

    def missing(self, permissions: Iterable[str]) -> list[str]:
        """Return the missing permissions that the answer reports."""
        had = set(permissions)
        if self.or_else in had:
            return []
        stages = ([one for one in each.split() if one not in had] for each in (self.needs, self.more))
        return next((stage for stage in stages if stage), [])


RECORDS, RECORD = "{records}", "{records}/{entity_id}"
LISTS: Final = "/api/v1/lists"
# Every route must have a line, and every line a route. Each GET is also sent as HEAD.
LINES: Final = (
    Line("GET", RECORDS, READ),
    Line("GET", RECORDS, READ, "?page=0&size=1&q=none"),
    Line("GET", RECORDS, READ, f"?as_of={THEN}", HISTORY),
    Line("GET", "/api/v1/drivers", READ, "?sort=name,asc", PERSONAL),
    Line("GET", "/api/v1/assignments", READ, "?driver=EMP-1"),
    Line("GET", "/api/v1/assignments", READ, f"?driver=EMP-1&known_at={THEN}", HISTORY),
    Line("GET", "/api/v1/due-dates", f"{READ} {PERSONAL}", "?until=2031-12-31"),
    Line("GET", "/api/v1/possible-duplicates", READ, "?type=horse"),
    Line("GET", "/api/v1/possible-duplicates", READ, "?type=driver", PERSONAL),
    Line("POST", "/api/v1/possible-duplicates", READ),
    Line("GET", "/api/v1/drivers", READ, "?city=Pune", PERSONAL),
    Line("GET", f"{LISTS}/drivers/choices", READ, "?field=city", PERSONAL),
    Line("GET", f"{LISTS}/horses/choices", READ, "?field=hired&owner=none", PERSONAL),
    Line("GET", f"{LISTS}/trailers/choices", READ, "?field=type"),
    Line("GET", f"{LISTS}/locations/choices", READ, "?field=country"),
    Line("GET", f"{LISTS}/subscriptions/choices", MANAGE, "?field=channel"),
    Line("GET", f"{LISTS}/{{collection}}/export", READ, "?columns=id"),
    Line("GET", f"{LISTS}/drivers/export", READ, "?columns=name&sort=name,asc", PERSONAL),
    Line("GET", RECORD, READ),
    Line("GET", RECORD, READ, f"?as_of={THEN}", HISTORY),
    Line("GET", RECORD, READ, "?version=1", HISTORY),
    Line("GET", f"{RECORD}/history", HISTORY),
    Line("GET", "/api/v1/horses/{entity_id}/history", HISTORY, "?field=owner", PERSONAL),
    Line("GET", f"{RECORD}/diff", HISTORY, "?from=0&to=1"),
    Line("GET", f"{RECORD}/blame", HISTORY),
    Line("GET", f"{RECORD}/blame", HISTORY, f"?as_of={THEN}"),
    Line("GET", f"{RECORD}/seen-by", "access-log:read"),
    Line("GET", f"{RECORD}/privacy", RESTRICT, or_else=ERASE),
    Line("GET", f"{RECORD}/privacy/receipt", RESTRICT, or_else=ERASE),
    Line("GET", f"{RECORD}/privacy/held", f"{RESTRICT} {PERSONAL}"),
    Line("GET", "/api/v1/privacy/requests", RESTRICT, or_else=ERASE),
    Line("POST", f"{RECORD}/restriction", RESTRICT),
    Line("PUT", f"{RECORD}/restriction/hold", RESTRICT),
    Line("DELETE", f"{RECORD}/restriction", RESTRICT),
    Line("POST", f"{RECORD}/erasure", ERASE),
    Line("GET", ACTORS, RESTRICT),
    Line("GET", f"{ACTORS}/{{sub}}/privacy", RESTRICT, or_else=ERASE),
    Line("GET", f"{ACTORS}/{{sub}}/privacy/receipt", RESTRICT, or_else=ERASE),
    Line("GET", f"{ACTORS}/{{sub}}/privacy/held", f"{RESTRICT} {PERSONAL}"),
    Line("POST", f"{ACTORS}/{{entity_id}}/restriction", RESTRICT),
    Line("PUT", f"{ACTORS}/{{entity_id}}/restriction/hold", RESTRICT),
    Line("DELETE", f"{ACTORS}/{{entity_id}}/restriction", RESTRICT),
    Line("POST", f"{ACTORS}/{{entity_id}}/erasure", ERASE),
    Line("POST", RECORDS, "fleet:write"),
    Line("POST", "/api/v1/batches/{collection}", "fleet:write"),
    Line("PUT", RECORD, "fleet:write"),
    Line("DELETE", RECORD, "fleet:remove"),
    Line("POST", f"{RECORD}/restore", "fleet:remove personal:read"),
    Line("POST", f"{RECORD}/undo", "fleet:write"),
    *(
        Line("POST", f"{entity.path}/{{entity_id}}/merges", "fleet:write fleet:remove")
        for entity in ENTITY_TYPES
        if entity.name not in Merged.not_of
    ),
    Line("POST", "/api/v1/drivers/{entity_id}/acknowledgements", "fleet:write"),
    *(
        Line("POST", f"/api/v1/{matched}/{{entity_id}}/dismissals", "fleet:write")
        for matched in ("drivers", "horses", "trailers")
    ),
    Line("GET", "/api/v1/drivers/{entity_id}/acknowledgements", f"{READ} {HISTORY}"),
    Line("GET", "/api/v1/drivers/{entity_id}/reminder-link", READ, "?document=licence&link=none"),
    Line("GET", "/api/v1/audit", "audit:read"),
    Line("GET", "/api/v1/audit", "audit:read", f"{EXPORT}=csv"),
    Line("GET", "/api/v1/audit", "audit:read", f"{EXPORT}=csv&reveal=true", f"audit:reveal {PERSONAL}"),
    Line("GET", "/api/v1/audit", "audit:read", f"{EXPORT}=ndjson&reveal=true", f"audit:reveal {PERSONAL}"),
    Line("GET", "/api/v1/audit", "audit:read", "?field=passport_number", PERSONAL),
    Line("GET", "/api/v1/access-log", "access-log:read"),
    Line("GET", "/api/v1/audit/days", "audit:read", "?zone=UTC&last=2026-11-21"),
    Line("GET", "/api/v1/audit/file", "audit:read", FILE),
    Line("GET", "/api/v1/audit/file", "audit:read", f"{FILE}&reveal=true", f"audit:reveal {PERSONAL}"),
    Line("GET", "/api/v1/audit/checkpoints", "audit:read"),
    Line("GET", "/api/v1/audit/checkpoints/latest", "audit:read"),
    Line("GET", "/api/v1/audit/consistency", "audit:read", "?from=1&to=2"),
    Line("GET", "/api/v1/access-log", "access-log:read", "?show=views"),
    Line("GET", "/api/v1/events", "feed:read", "?format=ndjson&entity=driver&after=0"),
    Line("GET", "/api/v1/system", "operations:read"),
    Line("GET", "/api/v1/system/state", "operations:read"),
    Line("POST", "/api/v1/system/actions", "operations:act"),
    Line("GET", "/api/v1/subscriptions/{entity_id}/deliveries", MANAGE),
    Line("GET", "/api/v1/subscriptions/{entity_id}/secret", MANAGE),
    Line("POST", "/api/v1/subscriptions/{entity_id}/requests", MANAGE),
    Line("POST", "/api/v1/subscriptions/{entity_id}/confirmations", PERSONAL),
    Line("GET", "/api/v1/me", ""),
    Line("GET", "/api/v1/me/digest", READ),
    Line("PUT", "/api/v1/me/digest", READ),
    Line("DELETE", "/api/v1/me/digest", READ),
    Line("GET", "/api/v1/views", ""),
    Line("PUT", "/api/v1/views/{view_id}", ""),
    Line("DELETE", "/api/v1/views/{view_id}", ""),
)
PUBLIC: Final = {
    ("GET", "/api/v1/schemas"),
    ("GET", "/api/v1/schemas/{type_name}.json"),
    ("GET", "/api/v1/asyncapi.json"),
    ("POST", BACK_CHANNEL_LOGOUT),
}
PUBLIC_ADDRESSES: Final = (
    *("/api/v1/schemas", "/api/v1/schemas/fleetlog.driver.registered.v2.json", "/api/v1/asyncapi.json"),
)


def of_each_entity(line: Line) -> list[Line]:
    """Return a line for each entity type."""
    if RECORDS not in line.path and "{collection}" not in line.path:
        return [line]
    return [
        replace(
            line,
            path=line.path.replace(RECORDS, entity.path).replace("{collection}", entity.collection),
            needs=" ".join(needs_of(entity, line.needs.split())),
        )
        for entity in ENTITY_TYPES
    ]


def needs_of(entity: EntityType, needs: list[str]) -> list[str]:
    """Return the permissions of an entity type's route; history needs the type's own permission as well."""
    if entity.permission is None:
        return needs
    own = [entity.permission if one.startswith("fleet:") else one for one in needs]
    return [*own, entity.permission] if needs == [HISTORY] else own


WAYS: Final = [one for line in LINES for one in of_each_entity(line)]
WITH_HEAD: Final = [*WAYS, *(replace(line, method="HEAD") for line in WAYS if line.method == "GET")]


@pytest.fixture(scope="module")
def issuer(stack: Stack) -> Iterator[TokenIssuer]:
    """An issuer with the running product's own key."""
    with issuer_of(stack) as issuer:
        yield issuer


@pytest.fixture(scope="module")
def http(stack: Stack) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=stack.address, timeout=60, trust_env=False) as http:
        yield http


def ask(http: httpx.Client, line: Line, token: str) -> httpx.Response:
    path = (
        line.path.replace("{entity_id}", "ID-1").replace("{sub}", "dev%7Cnobody").replace("{view_id}", "NONE")
    )
    body: dict[str, str] | None = {} if line.method in {"POST", "PUT"} else None
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return http.request(line.method, path + line.query, headers=headers, json=body)


def assert_answer(answer: httpx.Response, line: Line, missing: list[str], who: str) -> None:
    output = (who, line, answer.status_code, answer.text[:300])
    if not missing:
        # 409: no seal covers the log yet.
        admitted = {200, 404, 409} if line.method in {"GET", "HEAD"} else {404, 422}
        assert answer.status_code in admitted, output
        return
    assert answer.status_code == 403, output
    assert answer.headers["Content-Type"] == "application/problem+json", output
    challenge = f'Bearer error="insufficient_scope", scope="{" ".join(missing)}"'
    assert answer.headers["WWW-Authenticate"] == challenge, output
    if line.method == "HEAD":
        assert answer.content == b"", output
        return
    problem = answer.json()
    assert problem["type"] == "urn:fleetlog:problem:permission-missing", output
    assert problem["missing_permissions"] == missing, output


def test_every_route_has_a_line_that_agrees_with_its_document(client: Client) -> None:
    documented = client.operations
    assert documented.keys() == {(line.method, line.path) for line in WAYS} | PUBLIC
    for way in PUBLIC:
        assert documented[way]["security"] == []
        assert "403" not in documented[way]["responses"]
    for line in WAYS:
        operation = documented[line.method, line.path]
        ways = [line.needs.split(), *([[line.or_else]] if line.or_else else [])]
        assert operation["security"] == [{"accessToken": way} for way in ways], line
        assert ("403" in operation["responses"]) is bool(line.needs), line


def test_each_route_refuses_anonymous_callers_and_foreign_tokens(stack: Stack, http: httpx.Client) -> None:
    before = head_of(stack)
    with TokenIssuer() as stranger:
        for line in WITH_HEAD:
            for token in ("", stranger.token()):
                answer = ask(http, line, token)
                assert answer.status_code == 401, line
                assert answer.headers["WWW-Authenticate"].startswith("Bearer"), line
        for path in PUBLIC_ADDRESSES:
            anonymous, foreign = (ask(http, Line("GET", path, ""), token) for token in ("", stranger.token()))
            assert (anonymous.status_code, foreign.status_code) == (200, 200)
            assert anonymous.content == foreign.content != b""
    assert head_of(stack) == before


def test_each_route_needs_exactly_its_permissions(
    stack: Stack, http: httpx.Client, issuer: TokenIssuer
) -> None:
    before = head_of(stack)

    @cache
    def token_with(permissions: frozenset[str]) -> str:
        return issuer.token(permissions=sorted(permissions))

    def check(line: Line, permissions: Iterable[str], missing: list[str], who: str) -> None:
        assert_answer(ask(http, line, token_with(frozenset(permissions))), line, missing, who)

    for line in WITH_HEAD:
        needed = [*line.needs.split(), *line.more.split()]
        check(line, needed, [], "only the needed ones")
        for one in needed:
            check(line, set(Permission) - {Permission(one), line.or_else}, [one], f"all but {one}")
        if line.needs:
            check(line, (), line.needs.split(), "none")
        if line.or_else:
            check(line, [line.or_else], [], "the sufficient one")
    assert head_of(stack) == before
