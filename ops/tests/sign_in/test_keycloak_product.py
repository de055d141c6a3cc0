"""The running product with Keycloak as its identity provider."""

from collections.abc import Iterator

import httpx
import pytest

from ops.base.permissions import OF_ROLES
from ops.launcher.frontend.build import ensure_built
from ops.testing.browser_tests import run_browser_tests
from ops.testing.conditions import wait_for
from ops.testing.folders import open_folder
from ops.testing.keycloak import PROGRAM, Keycloak, Realm
from ops.testing.product.bodies import usual_body
from ops.testing.product.exchanges import PATHS
from ops.testing.stack import Stack

pytestmark = pytest.mark.integration

AUDIENCE = "https://api.fleetlog.example"
HORSES = PATHS["horse"]


@pytest.fixture(scope="module")
def instance() -> Iterator[Stack]:
    """An instance that is not started yet, whose address the realm contains."""
    with open_folder() as folder:
        stack = Stack(folder, frontend=ensure_built())
        yield stack
        stack.stop()


@pytest.fixture(scope="module")
def realm(keycloak: Keycloak, instance: Stack) -> Realm:
    return keycloak.create_realm("product", application=instance.address)


@pytest.fixture(scope="module")
def product(instance: Stack, realm: Realm) -> Stack:
    """An instance that found the realm's endpoints and keys by its issuer."""
    instance.arguments = ["--issuer", realm.issuer, "--audience", AUDIENCE, "--client-id", "fleetlog-web"]
    instance.start()
    return instance


def request(product: Stack, method: str, path: str, token: str) -> httpx.Response:
    with product.http(token) as client:
        return client.request(method, path, json=usual_body("horse").sent if method == "POST" else None)


def statuses(product: Stack, token: str) -> tuple[int, int]:
    """Return the statuses of reading and of creating records: one route of each API."""
    return tuple(request(product, method, HORSES, token).status_code for method in ("GET", "POST"))  # type: ignore[return-value]


def is_refused(product: Stack, token: str) -> bool:
    return statuses(product, token) == (401, 401)


def test_people_have_the_permissions_of_their_roles(product: Stack, realm: Realm) -> None:
    tokens = {name: realm.sign_in(name)["access_token"] for name in ("asha", "daniel", "robin")}

    assert {name: statuses(product, token) for name, token in tokens.items()} == {
        "asha": (200, 201),
        "daniel": (200, 403),
        "robin": (403, 403),
    }
    me = request(product, "GET", "/api/v1/me", tokens["asha"]).json()
    assert (me["sub"], me["name"]) == (realm.user_id("asha"), "Asha Menon")
    assert set(me["permissions"]) == OF_ROLES["staff"]


def test_program_has_the_permissions_of_its_role(product: Stack, realm: Realm) -> None:
    token = realm.sign_in_program()
    assert statuses(product, token) == (200, 201)
    assert request(product, "GET", "/api/v1/me", token).json()["name"] == PROGRAM


def test_other_tokens_are_no_access_tokens(product: Stack, realm: Realm) -> None:
    tokens = realm.sign_in("asha")
    for kind in ("id_token", "refresh_token"):
        assert is_refused(product, tokens[kind])


def test_sign_out_revokes_the_tokens_of_this_session_alone(product: Stack, realm: Realm) -> None:
    here, there = realm.sign_in("tomas"), realm.sign_in("tomas")
    assert statuses(product, here["access_token"]) == (200, 403)

    realm.sign_out(here)

    wait_for(lambda: is_refused(product, here["access_token"]))
    assert realm.refresh(here["refresh_token"]).status_code == 400
    assert statuses(product, there["access_token"]) == (200, 403)


def test_browser_signs_in_renews_tokens_and_signs_out(product: Stack, realm: Realm) -> None:
    # One worker: two that open Keycloak's first login page together meet an expired one.
    run_browser_tests(product.address, "e2e/keycloak.spec.ts", "--workers=1", KEYCLOAK_ISSUER=realm.issuer)
