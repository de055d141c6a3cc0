"""Both APIs conform to their documents under fuzzing, and refuse bad tokens on every route."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from ops.testing.fuzzing.runner import fuzz, merge_documents, summary
from ops.testing.logout_tokens import BACK_CHANNEL_LOGOUT
from ops.testing.product.bad_credentials import Attempt, attempts, good_attempt, issuer_of
from ops.testing.product.bare_http import BareAnswer, request_bytes
from ops.testing.product.client import Client
from ops.testing.product.exchanges import Actor
from ops.testing.product.read_tables import head_of
from ops.testing.soak import soak_count
from ops.testing.stack import Stack
from ops.testing.token_issuer import TokenIssuer

pytestmark = [pytest.mark.integration, pytest.mark.timeout(900)]


FEW = 2
EXAMPLES = 1000
"""Examples of each operation in the soak."""
LONG = 4 * 3600
ROLES = {"command-api": "staff", "query-api": "auditor"}
"""Roles with all permissions of an API."""
SAME_EACH_TIME = ("--seed", "1")
"""The suite is deterministic; the soak is not."""
KINDS = {"command-api": ("--include-tag", "drivers", "--include-tag", "horses"), "query-api": ()}
"""Two of four entity types for commands, whose bodies take long; the soak tries all."""


def document_of(stack: Stack, api: str) -> str:
    """Return the address at the service itself: the gateway sends unknown methods to the other API."""
    return f"{stack.service_address(api)}/openapi.json"


def merged_document(client: Client, folder: Path) -> Path:
    """Write a document of both APIs, whose links lead from registration to query, change and removal."""
    document = folder / "merged.json"
    document.write_text(json.dumps(merge_documents(*client.documents)))
    return document


def by_links(stack: Stack) -> tuple[str, ...]:
    return ("--url", stack.address, "--phases", "stateful")


@pytest.mark.parametrize("api", ROLES)
def test_api_conforms_to_its_document(stack: Stack, tmp_path: Path, api: str) -> None:
    token, arguments = stack.token(ROLES[api]), (*SAME_EACH_TIME, *KINDS[api])
    print(summary(fuzz(document_of(stack, api), tmp_path, token=token, examples=FEW, arguments=arguments)))


def test_sequences_by_links_conform_to_the_documents(
    stack: Stack, client: Client, asha: Actor, tmp_path: Path
) -> None:
    document = merged_document(client, tmp_path)
    arguments = (*by_links(stack), *SAME_EACH_TIME)
    print(summary(fuzz(document, tmp_path, token=asha.token, examples=FEW, arguments=arguments)))


@pytest.mark.soak
@pytest.mark.timeout(LONG)
@pytest.mark.parametrize(("api", "role"), [*ROLES.items(), *((api, "analyst") for api in ROLES)])
def test_fuzz_an_api_for_long(stack: Stack, tmp_path: Path, api: str, role: str) -> None:
    token = stack.token(role, lifetime=LONG)
    printed = fuzz(document_of(stack, api), tmp_path, token=token, examples=soak_count(EXAMPLES))
    print(f"\n{api}, {role}\n{summary(printed)}")


@pytest.mark.soak
@pytest.mark.timeout(LONG)
def test_fuzz_both_apis_behind_the_gateway_for_long(stack: Stack, client: Client, tmp_path: Path) -> None:
    document, token = merged_document(client, tmp_path), stack.token(lifetime=LONG)
    arguments = by_links(stack)
    printed = fuzz(document, tmp_path, token=token, examples=soak_count(EXAMPLES), arguments=arguments)
    print(f"\nboth\n{summary(printed)}")


MALFORMED = {400, 431}
"""Statuses of the gateway for malformed HTTP."""
REFUSED = {401, *MALFORMED}
PASSES = 2
"""The number of routes that each attempt is sent to in the suite."""
PUBLIC = {
    "/api/v1/schemas": "/api/v1/schemas",
    "/api/v1/schemas/{type_name}.json": "/api/v1/schemas/fleetlog.driver.registered.v2.json",
    "/api/v1/asyncapi.json": "/api/v1/asyncapi.json",
}
"""The only paths without authorization, and an address of each: they serve no data."""


@pytest.fixture
def issuer(stack: Stack) -> Iterator[TokenIssuer]:
    """An issuer with the running product's own key."""
    with issuer_of(stack) as issuer:
        yield issuer


@pytest.fixture
def routes(client: Client) -> list[tuple[str, str]]:
    """Every method and address of both APIs that needs a token."""
    documented = [
        (method, path.replace("{entity_id}", "ID-1"))
        for method, path in client.operations
        if path not in {*PUBLIC, BACK_CHANNEL_LOGOUT}
    ]
    return documented + [("HEAD", path) for method, path in documented if method == "GET"]


def send(origin: str, attempt: Attempt, method: str, path: str) -> BareAnswer:
    content = b"{}" if method in {"POST", "PUT"} else b""
    return request_bytes(origin, method, path + attempt.query, attempt.headers, content)


def assert_refused(attempt: Attempt, method: str, path: str, answer: BareAnswer) -> None:
    output = (attempt.name, method, path, answer.status)
    assert answer.status in REFUSED, output
    assert answer.headers["Content-Type"] == "application/problem+json", output
    if answer.status == 401:
        assert answer.headers["WWW-Authenticate"].startswith("Bearer"), output
    if method == "HEAD":
        assert answer.content == b"", output
    else:
        problem = json.loads(answer.content)
        assert problem["status"] == answer.status, output
        assert problem["request_id"] == answer.headers["X-Request-Id"], output


def assert_all_refused(origin: str, pairs: Iterable[tuple[Attempt, tuple[str, str]]]) -> Counter[int]:
    """Check the answers to all attempts, and return the number of each status."""
    statuses: Counter[int] = Counter()
    for attempt, (method, path) in pairs:
        answer = send(origin, attempt, method, path)
        assert_refused(attempt, method, path, answer)
        statuses[answer.status] += 1
    return statuses


def test_bad_tokens_are_refused_and_every_route_refuses_some(
    stack: Stack, issuer: TokenIssuer, routes: list[tuple[str, str]]
) -> None:
    """test_permission_matrix.py proves that each route accepts valid tokens."""
    before = head_of(stack)
    tried = attempts(issuer)
    assert len(tried) >= 250
    pairs = [
        (attempt, routes[(number + shift * 5) % len(routes)])
        for shift in range(PASSES)
        for number, attempt in enumerate(tried)
    ]
    assert {route for _, route in pairs} == set(routes)
    print(assert_all_refused(stack.address, pairs))
    assert head_of(stack) == before


def test_public_routes_ignore_tokens(stack: Stack, client: Client, issuer: TokenIssuer) -> None:
    public = {path for (_, path), operation in client.operations.items() if not operation["security"]}
    assert public == {*PUBLIC, BACK_CHANNEL_LOGOUT}
    for path in PUBLIC.values():
        output = send(stack.address, Attempt("anonymous", ()), "GET", path)
        assert (output.status, bool(output.content)) == (200, True)
        for attempt in (good_attempt(issuer), *attempts(issuer)[:20]):
            answer = send(stack.address, attempt, "GET", path)
            if answer.status not in MALFORMED:
                assert (answer.status, answer.content) == (200, output.content), (attempt.name, path)
