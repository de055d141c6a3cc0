"""Users without access to personal data never see any, and cannot distinguish a hit from a miss."""

from collections.abc import Iterator
from functools import partial
from typing import Final
from urllib.parse import quote

import httpx
import pytest

from ops.base.permissions import Permission
from ops.development.identity_provider.roles import PERMISSIONS
from ops.testing.conditions import wait_for
from ops.testing.product.bad_credentials import issuer_of
from ops.testing.product.canaries import (
    Canaries,
    Planted,
    commands,
    content_of,
    everything_in,
    plant,
    queries,
    sample,
    searches,
)
from ops.testing.product.exchanges import PATHS
from ops.testing.soak import soak_count
from ops.testing.stack import Stack
from ops.testing.token_issuer import TokenIssuer

pytestmark = [pytest.mark.integration, pytest.mark.timeout(900)]

NONSENSE: Final = "nothing0like0it"
VIEWERS: Final = {
    "analyst": sorted(PERMISSIONS["analyst"]),
    "all but that": sorted(set(Permission) - {Permission.PERSONAL_READ}),
}
"""Permissions of users without access to personal data, by name."""
SEARCHED: Final = 300
"""Canaries that the soak searches for everywhere."""
LONG: Final = 4 * 3600
PLANTER: Final = "Another Author"
"""The name of the author of the restricted records, which the access log shows."""


@pytest.fixture(scope="module")
def issuer(stack: Stack) -> Iterator[TokenIssuer]:
    with issuer_of(stack) as issuer:
        yield issuer


@pytest.fixture(scope="module")
def http(stack: Stack) -> Iterator[httpx.Client]:
    """A client with cookies, whose queries wait for its own commands."""
    with stack.http() as http:
        yield http


@pytest.fixture(scope="module")
def planted(http: httpx.Client, issuer: TokenIssuer) -> Planted:
    canaries = Canaries()
    return plant(http, canaries, issuer.token(sub="dev|leaks", name=canaries.text()))


@pytest.fixture(scope="module")
def restricted(http: httpx.Client, issuer: TokenIssuer) -> Planted:
    """Restricted records."""
    planted = plant(http, Canaries(first_year=2850), issuer.token(sub="dev|restricted", name=PLANTER))
    http.headers["Authorization"] = f"Bearer {issuer.token(permissions=list(Permission))}"
    for entity, entity_id in (*planted.ids.items(), *planted.removed.items()):
        answer = http.post(f"{PATHS[entity]}/{entity_id}/restriction", json={"basis": "asked"})
        assert answer.status_code == 200, answer.text
    for entity, entity_id in planted.ids.items():
        for address in (PATHS[entity], f"{PATHS[entity]}/{entity_id}/history"):
            wait_for(partial(_is_fresh, http, address))
    return planted


def _is_fresh(http: httpx.Client, address: str) -> bool:
    return "fleetlog-consistency" not in http.get(address).headers


@pytest.fixture(params=VIEWERS)
def viewer(request: pytest.FixtureRequest, http: httpx.Client, issuer: TokenIssuer) -> httpx.Client:
    """A client of a user without access to personal data."""
    http.headers["Authorization"] = f"Bearer {issuer.token(permissions=VIEWERS[request.param])}"
    return http


def assert_silent(planted: Planted, answer: httpx.Response) -> None:
    found = planted.canaries.in_(everything_in(answer))
    assert not found, (answer.request.method, str(answer.request.url), answer.status_code, found)
    assert answer.status_code < 500


def test_users_with_access_find_all_canaries(
    http: httpx.Client, planted: Planted, issuer: TokenIssuer
) -> None:
    """Without this the other tests would prove nothing."""
    http.headers["Authorization"] = f"Bearer {issuer.token()}"
    assert len(planted.canaries.all) > 200
    left = set(planted.canaries.all)
    for address in queries(planted):
        if "audit" in address or "history" in address:
            left -= set(planted.canaries.in_(everything_in(http.get(address))))
    assert not left


def test_queries_show_no_personal_data(viewer: httpx.Client, planted: Planted) -> None:
    for number, address in enumerate(queries(planted)):
        answer = viewer.get(address)
        assert_silent(planted, answer)
        if answer.status_code == 200 and "format=" not in address and number % 4 == 0:
            assert_silent(planted, viewer.head(address))
            for etag in (answer.headers.get("etag", "*"), *sample(planted.etags, 3)):
                assert_silent(planted, viewer.get(address, headers={"If-None-Match": etag}))


def test_commands_show_no_personal_data(viewer: httpx.Client, planted: Planted) -> None:
    for method, address, headers, body in commands(planted, NONSENSE):
        answer = viewer.request(method, address, headers=headers, json=body)
        assert answer.status_code in {403, 409, 412, 422}, (method, address, answer.text)
        assert_silent(planted, answer)


def test_restricted_records_are_shown_to_privacy_officers_alone(
    http: httpx.Client, restricted: Planted, issuer: TokenIssuer
) -> None:
    others = issuer.token(permissions=sorted(set(Permission) - {Permission.PRIVACY_RESTRICT}))
    http.headers["Authorization"] = f"Bearer {others}"
    for address in queries(restricted):
        assert_silent(restricted, http.get(address))
    for method, address, headers, body in commands(restricted, NONSENSE):
        answer = http.request(method, address, headers=headers, json=body)
        assert answer.status_code in {403, 409, 412, 422}, (method, address, answer.text)
        assert_silent(restricted, answer)
        assert PLANTER not in answer.text
        assert answer.headers.get("etag") not in restricted.etags


def test_hits_and_misses_have_equal_answers(viewer: httpx.Client, planted: Planted) -> None:
    assert_searches_equal(viewer, planted, [one[:-1].upper() for one in planted.searched])
    assert_commands_equal(viewer, planted, planted.canaries.all[0])


@pytest.mark.soak
@pytest.mark.timeout(LONG)
def test_hits_and_misses_have_equal_answers_for_each_canary(viewer: httpx.Client, planted: Planted) -> None:
    for canary in sample(planted.canaries.all, soak_count(SEARCHED)):
        assert_searches_equal(viewer, planted, [canary, canary[:-1].upper()])
        assert_commands_equal(viewer, planted, canary)


def assert_searches_equal(viewer: httpx.Client, planted: Planted, texts: list[str]) -> None:
    """Search for texts, and for a text that does not occur."""
    misses = [content_of(viewer.get(miss)) for miss in searches(planted, NONSENSE)]
    for text in texts:
        for hit, miss in zip(searches(planted, quote(text)), misses, strict=True):
            assert content_of(viewer.get(hit)) == miss, hit


def assert_commands_equal(viewer: httpx.Client, planted: Planted, canary: str) -> None:
    """Send an existing value, and one that does not occur."""
    attempts = zip(commands(planted, canary), commands(planted, NONSENSE), strict=True)
    for (method, address, headers, body), (*_, other) in attempts:
        answers = [viewer.request(method, address, headers=headers, json=sent) for sent in (body, other)]
        if NONSENSE not in (other or {}):  # the answer has that name
            assert content_of(answers[0]) == content_of(answers[1]), (method, address)


def test_etag_of_an_unmasked_answer_does_not_match_the_masked_one(
    viewer: httpx.Client, planted: Planted, issuer: TokenIssuer
) -> None:
    masked = viewer.headers["Authorization"]
    for entity, path in (("driver", "/api/v1/drivers"), ("horse", "/api/v1/horses")):
        for address in (path, f"{path}/{planted.ids[entity]}", f"{path}?size=3"):
            viewer.headers["Authorization"] = f"Bearer {issuer.token()}"
            full = viewer.get(address)
            viewer.headers["Authorization"] = masked
            answer = viewer.get(address, headers={"If-None-Match": full.headers["etag"]})
            assert (answer.status_code, full.status_code) == (200, 200)
            assert "Authorization" in answer.headers["vary"]
            assert answer.headers["etag"] != full.headers["etag"]


@pytest.mark.parametrize("service", ["command-api", "query-api", "projections"])
def test_operators_routes_show_no_personal_data(stack: Stack, planted: Planted, service: str) -> None:
    for path in ("/metrics", "/livez", "/readyz", "/openapi.json"):
        answer = httpx.get(stack.service_address(service) + path, timeout=60, trust_env=False)
        assert_silent(planted, answer)
