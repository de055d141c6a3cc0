"""Both APIs do what their documents say, whatever is sent, and let in those with good tokens alone."""

import json
import random
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from ops.testing.fuzzing.running import both_halves, fuzz, summary
from ops.testing.logout_tokens import BACK_CHANNEL_LOGOUT
from ops.testing.product.bad_credentials import Attempt, attempts, good_attempt, issuer_of
from ops.testing.product.bare_http import BareAnswer, BareClient
from ops.testing.product.client import Client
from ops.testing.product.exchanges import Actor
from ops.testing.product.whole import head_of
from ops.testing.soak import soak_count
from ops.testing.stack import Stack
from ops.testing.token_issuer import TokenIssuer

pytestmark = [pytest.mark.integration, pytest.mark.timeout(900)]


FEW = 2
EXAMPLES = 1000
"""For each operation, in the soak."""
LONG = 4 * 3600
"""Seconds that they may take."""
ROLES = {"command-api": "staff", "query-api": "auditor"}
"""Who is refused nothing that an API has."""
SAME_EACH_TIME = ("--seed", "1")
"""What the suite tries; the soak tries something else each time."""
KINDS = {"command-api": ("--include-tag", "drivers", "--include-tag", "horses"), "query-api": ()}
"""Two of four for commands, whose bodies take the time. The soak tries all."""


def document_of(stack: Stack, api: str) -> str:
    """At its own address: at the gateway, methods that one API does not know are answered by the other."""
    return f"{stack.part_address(api)}/openapi.json"


def whole_document(client: Client, folder: Path) -> Path:
    """Of both APIs behind the gateway: to create, read, change and remove, one after the other, by links."""
    document = folder / "whole.json"
    document.write_text(json.dumps(both_halves(*client.documents)))
    return document


def by_links(stack: Stack) -> tuple[str, ...]:
    return ("--url", stack.address, "--phases", "stateful")


@pytest.mark.parametrize("api", ROLES)
def test_an_api_does_what_its_document_says(stack: Stack, tmp_path: Path, api: str) -> None:
    token, arguments = stack.token(ROLES[api]), (*SAME_EACH_TIME, *KINDS[api])
    print(summary(fuzz(document_of(stack, api), tmp_path, token=token, examples=FEW, arguments=arguments)))


def test_one_request_leads_to_the_next_as_the_documents_say(
    stack: Stack, client: Client, asha: Actor, tmp_path: Path
) -> None:
    document = whole_document(client, tmp_path)
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
def test_fuzz_both_behind_the_gateway_for_long(stack: Stack, client: Client, tmp_path: Path) -> None:
    document, token = whole_document(client, tmp_path), stack.token(lifetime=LONG)
    arguments = by_links(stack)
    printed = fuzz(document, tmp_path, token=token, examples=soak_count(EXAMPLES), arguments=arguments)
    print(f"\nboth\n{summary(printed)}")


MALFORMED = {400, 431}
"""What the gateway takes for no HTTP."""
REFUSED = {401, *MALFORMED}
PASSES = 2
"""How often each attempt is made in the suite, each time on another route."""
FOR_EVERYBODY = {
    "/api/v1/schemas": "/api/v1/schemas",
    "/api/v1/schemas/{type_name}.json": "/api/v1/schemas/fleetlog.driver.registered.v2.json",
    "/api/v1/asyncapi.json": "/api/v1/asyncapi.json",
}
"""The only paths that refuse nobody, and an address of each: they hold no data."""


@pytest.fixture
def issuer(stack: Stack) -> Iterator[TokenIssuer]:
    """Signs with the running product's own key."""
    with issuer_of(stack) as issuer:
        yield issuer


@pytest.fixture
def routes(client: Client) -> list[tuple[str, str]]:
    """Every method and address of both APIs, from their documents."""
    documented = [
        (method.upper(), path.replace("{entity_id}", "ID-1"))
        for document in client.documents
        for path, operations in document["paths"].items()
        if path not in {*FOR_EVERYBODY, BACK_CHANNEL_LOGOUT}
        for method in operations
    ]
    return documented + [("HEAD", path) for method, path in documented if method == "GET"]


def send(http: BareClient, attempt: Attempt, method: str, path: str) -> BareAnswer:
    content = b"{}" if method in {"POST", "PUT"} else b""
    return http.request(method, path + attempt.query, attempt.headers, content)


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
    """Check the answers to all attempts, and return how often there was which status."""
    statuses: Counter[int] = Counter()
    with BareClient(origin) as http:
        for attempt, (method, path) in pairs:
            answer = send(http, attempt, method, path)
            assert_refused(attempt, method, path, answer)
            statuses[answer.status] += 1
    return statuses


def test_every_bad_token_is_refused_on_some_route_and_every_route_refuses_many(
    stack: Stack, issuer: TokenIssuer, routes: list[tuple[str, str]]
) -> None:
    """That good tokens are accepted on each of them: test_permission_matrix.py."""
    before = head_of(stack)
    tried = attempts(issuer)
    assert len(tried) >= 300
    pairs = [
        (attempt, routes[(number + shift * 5) % len(routes)])
        for shift in range(PASSES)
        for number, attempt in enumerate(tried)
    ]
    assert {route for _, route in pairs} == set(routes)
    print(assert_all_refused(stack.address, pairs))
    assert head_of(stack) == before


def test_what_is_for_everybody_is_the_same_for_all_and_does_not_look_at_tokens(
    stack: Stack, client: Client, issuer: TokenIssuer
) -> None:
    open_to_all = {
        path
        for document in client.documents
        for path, operations in document["paths"].items()
        if any(not operation["security"] for operation in operations.values())
    }
    assert open_to_all == {*FOR_EVERYBODY, BACK_CHANNEL_LOGOUT}
    stranger, *others = [Attempt("nobody", ()), good_attempt(issuer), *attempts(issuer)[:20]]
    with BareClient(stack.address) as http:
        for path in FOR_EVERYBODY.values():
            output = send(http, stranger, "GET", path)
            assert (output.status, bool(output.content)) == (200, True)
            for attempt in others:
                answer = send(http, attempt, "GET", path)
                if answer.status not in MALFORMED:
                    assert (answer.status, answer.content) == (200, output.content), (attempt.name, path)


@pytest.mark.soak
@pytest.mark.timeout(4 * 3600)
def test_bad_tokens_of_all_kinds_are_refused_on_every_route(
    stack: Stack, issuer: TokenIssuer, routes: list[tuple[str, str]]
) -> None:
    before = head_of(stack)
    tried = attempts(issuer)
    pairs = [(attempt, route) for attempt in tried for route in routes]
    random.shuffle(pairs)
    began = time.monotonic()
    statuses = assert_all_refused(stack.address, pairs)
    print(
        f"\n{len(tried)} bad attempts on {len(routes)} routes: {dict(statuses)}"
        f" in {time.monotonic() - began:.0f} s"
    )
    assert head_of(stack) == before
