"""Who may do what: every route of both APIs, for each role, and with and without each permission it needs."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

import pytest

from ops.base.permissions import Permission
from ops.development.identity_provider.roles import PERMISSIONS, ROLES
from ops.testing.logout_tokens import BACK_CHANNEL_LOGOUT
from ops.testing.product.bad_credentials import issuer_of
from ops.testing.product.bare_http import BareAnswer, BareClient
from ops.testing.product.client import Client
from ops.testing.product.exchanges import PATHS
from ops.testing.product.whole import head_of
from ops.testing.stack import Stack
from ops.testing.token_issuer import TokenIssuer

pytestmark = pytest.mark.integration

THEN: Final = "2026-01-01T00:00:00Z"
READ, HISTORY, PERSONAL = "fleet:read", "history:read", "personal:read"
RESTRICT, ERASE = "privacy:restrict", "privacy:erase"
ACTORS = "/api/v1/actors"
EXPORT: Final = "?id=NOBODY&format"


@dataclass(frozen=True)
class Line:
    """A way of asking, and what it needs.

    Attributes:
        method: of HTTP.
        path: as its document has it; that of an entity type's records is `{records}`.
        needs: what the route needs, with spaces between.
        query: what is asked.
        more: what that needs besides, which those only are told who have the rest.
        or_else: what is enough in the place of all that.
    """

    method: str
    path: str
    needs: str
    query: str = ""
    more: str = ""
    or_else: str = ""

    def missing(self, permissions: Iterable[str]) -> list[str]:
        """What somebody is told to miss."""
        had = set(permissions)
        if self.or_else in had:
            return []
        stages = ([one for one in each.split() if one not in had] for each in (self.needs, self.more))
        return next((stage for stage in stages if stage), [])


RECORDS, RECORD = "{records}", "{records}/{entity_id}"
LISTS: Final = "/api/v1/lists"
# A route that is not here fails; so does a line without a route. Each GET is tried as HEAD, too.
LINES: Final = (
    Line("GET", RECORDS, READ),
    Line("GET", RECORDS, READ, "?page=0&size=1&q=none"),
    Line("GET", RECORDS, READ, f"?as_of={THEN}", HISTORY),
    Line("GET", "/api/v1/drivers", READ, "?sort=name,asc", PERSONAL),
    Line("GET", "/api/v1/due-dates", f"{READ} {PERSONAL}", "?until=2031-12-31"),
    Line("GET", "/api/v1/drivers", READ, "?city=Pune", PERSONAL),
    Line("GET", f"{LISTS}/drivers/choices", READ, "?field=city", PERSONAL),
    Line("GET", f"{LISTS}/horses/choices", READ, "?field=hired&owner=none", PERSONAL),
    Line("GET", f"{LISTS}/trailers/choices", READ, "?field=type"),
    Line("GET", f"{LISTS}/locations/choices", READ, "?field=country"),
    *(
        Line("GET", f"{LISTS}/{path.rpartition('/')[2]}/export", READ, "?columns=id")
        for path in PATHS.values()
    ),
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
    *(Line("POST", f"/api/v1/batches/{path.rpartition('/')[2]}", "fleet:write") for path in PATHS.values()),
    Line("PUT", RECORD, "fleet:write"),
    Line("DELETE", RECORD, "fleet:remove"),
    Line("POST", f"{RECORD}/restore", "fleet:remove personal:read"),
    Line("POST", f"{RECORD}/undo", "fleet:write"),
    Line("GET", "/api/v1/audit", "audit:read"),
    Line("GET", "/api/v1/audit", "audit:read", f"{EXPORT}=csv"),
    Line("GET", "/api/v1/audit", "audit:read", f"{EXPORT}=csv&reveal=true", f"audit:reveal {PERSONAL}"),
    Line("GET", "/api/v1/audit", "audit:read", f"{EXPORT}=ndjson&reveal=true", f"audit:reveal {PERSONAL}"),
    Line("GET", "/api/v1/audit", "audit:read", "?field=passport_number", PERSONAL),
    Line("GET", "/api/v1/access-log", "access-log:read"),
    Line("GET", "/api/v1/audit/days", "audit:read", "?zone=UTC&last=2026-11-21"),
    Line("GET", "/api/v1/access-log", "access-log:read", "?show=views"),
    Line("GET", "/api/v1/events", "feed:read", "?format=ndjson&entity=driver&after=0"),
    Line("GET", "/api/v1/system", "operations:read"),
    Line("GET", "/api/v1/system/state", "operations:read"),
    Line("POST", "/api/v1/system/actions", "operations:act"),
    Line("GET", "/api/v1/me", ""),
    Line("GET", "/api/v1/views", ""),
    Line("PUT", "/api/v1/views/{view_id}", ""),
    Line("DELETE", "/api/v1/views/{view_id}", ""),
)
FOR_EVERYBODY: Final = {
    ("GET", "/api/v1/schemas"),
    ("GET", "/api/v1/schemas/{type_name}.json"),
    ("GET", "/api/v1/asyncapi.json"),
    ("POST", BACK_CHANNEL_LOGOUT),
}


def of_each_entity(line: Line) -> list[Line]:
    """The lines that one stands for."""
    if RECORDS not in line.path:
        return [line]
    return [replace(line, path=line.path.replace(RECORDS, path)) for path in PATHS.values()]


WAYS: Final = [one for line in LINES for one in of_each_entity(line)]
WITH_HEAD: Final = [*WAYS, *(replace(line, method="HEAD") for line in WAYS if line.method == "GET")]


@pytest.fixture(scope="module")
def issuer(stack: Stack) -> Iterator[TokenIssuer]:
    """Signs with the running product's own key."""
    with issuer_of(stack) as issuer:
        yield issuer


def ask(http: BareClient, line: Line, token: str) -> BareAnswer:
    content = b"{}" if line.method in {"POST", "PUT"} else b""
    path = (
        line.path.replace("{entity_id}", "ID-1").replace("{sub}", "dev%7Cnobody").replace("{view_id}", "NONE")
    )
    return http.request(
        line.method, path + line.query, ((b"Authorization", f"Bearer {token}".encode()),), content
    )


def assert_told(answer: BareAnswer, line: Line, missing: list[str], who: str) -> None:
    output = (who, line, answer.status, answer.content[:300])
    if not missing:
        assert answer.status in ({200, 404} if line.method in {"GET", "HEAD"} else {404, 422}), output
        return
    assert answer.status == 403, output
    assert answer.headers["Content-Type"] == "application/problem+json", output
    challenge = f'Bearer error="insufficient_scope", scope="{" ".join(missing)}"'
    assert answer.headers["WWW-Authenticate"] == challenge, output
    if line.method == "HEAD":
        assert answer.content == b"", output
        return
    problem = json.loads(answer.content)
    assert problem["type"] == "urn:fleetlog:problem:permission-missing", output
    assert problem["missing_permissions"] == missing, output


def operations(client: Client) -> dict[tuple[str, str], dict[str, Any]]:
    """All that the running product's documents tell of, by method and path."""
    return {
        (method.upper(), path): operation
        for document in client.documents
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    }


def test_every_route_has_a_line_and_its_document_says_what_that_says(client: Client) -> None:
    documented = operations(client)
    assert documented.keys() == {(line.method, line.path) for line in WAYS} | FOR_EVERYBODY
    for way in FOR_EVERYBODY:
        assert documented[way]["security"] == []
        assert "403" not in documented[way]["responses"]
    for line in WAYS:
        operation = documented[line.method, line.path]
        ways = [line.needs.split(), *([[line.or_else]] if line.or_else else [])]
        assert operation["security"] == [{"accessToken": way} for way in ways], line
        assert ("403" in operation["responses"]) is bool(line.needs), line


def test_each_role_may_do_what_it_should_and_learns_what_it_misses_for_the_rest(stack: Stack) -> None:
    before = head_of(stack)
    refused = dict.fromkeys(ROLES, 0)
    with BareClient(stack.address) as http:
        for role in ROLES:
            token = stack.token(role)
            for line in WITH_HEAD:
                missing = line.missing(PERMISSIONS[role])
                assert_told(ask(http, line, token), line, missing, role)
                refused[role] += bool(missing)
    print(refused)
    assert all(0 < count < len(WITH_HEAD) for count in refused.values())
    assert head_of(stack) == before


def test_each_permission_that_is_needed_is_needed_and_no_other_is(stack: Stack, issuer: TokenIssuer) -> None:
    before = head_of(stack)
    tokens: dict[frozenset[str], str] = {}

    def token_with(permissions: Iterable[str]) -> str:
        had = frozenset(permissions)
        if had not in tokens:
            tokens[had] = issuer.token(permissions=sorted(had))
        return tokens[had]

    asked = 0
    with BareClient(stack.address) as http:
        for line in WITH_HEAD:
            needed = [*line.needs.split(), *line.more.split()]
            assert_told(ask(http, line, token_with(needed)), line, [], "only what is needed")
            for one in needed:
                without = set(Permission) - {Permission(one), line.or_else}
                assert_told(ask(http, line, token_with(without)), line, [one], f"all but {one}")
            if line.needs:
                assert_told(ask(http, line, token_with(())), line, line.needs.split(), "nothing")
            if line.or_else:
                assert_told(ask(http, line, token_with([line.or_else])), line, [], "what is enough as well")
            asked += 2 + len(needed)
    print(f"{asked} requests with {len(tokens)} tokens")
    assert head_of(stack) == before
