"""The state folder: what it holds survives, is private, and serves tokens to the command line."""

import sqlite3
import stat
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from ops.base.sign_in import Actor
from ops.base.sign_in.verifier import TokenVerifier
from ops.launcher.identity_provider.app import create_app
from ops.launcher.identity_provider.settings import IdentityProviderSettings
from ops.launcher.identity_provider.tokens import load_or_create_key, mint_access_token
from ops.testing.oauth_browser import OAuthBrowser, answer_parameters
from ops.testing.serving import serving

ISSUER = "http://localhost:8080/"
AUDIENCE = "https://api.fleetlog.example"


@asynccontextmanager
async def identity_provider(state_dir: Path) -> AsyncIterator[str]:
    settings = IdentityProviderSettings(
        port=0, issuer=ISSUER, audience=AUDIENCE, environment="development", idp_state=state_dir
    )
    async with serving(create_app(settings)) as address:
        yield address


def mint(state_dir: Path, user: str) -> str:
    return mint_access_token(state_dir, issuer=ISSUER, audience=AUDIENCE, user=user)


def modes_below(folder: Path) -> dict[str, int]:
    return {path.name: stat.S_IMODE(path.stat().st_mode) for path in [folder, *folder.iterdir()]}


async def test_a_restart_signs_nobody_out(state_dir: Path) -> None:
    async with identity_provider(state_dir) as address:
        before = OAuthBrowser(address)
        tokens = await before.tokens()
        pending = await before.authorize()
    async with identity_provider(state_dir) as address:
        after = OAuthBrowser(address)
        after.verifier, after.http.cookies = before.verifier, before.http.cookies

        assert (await after.refresh(tokens["refresh_token"])).status_code == 200
        assert "code" in answer_parameters(await after.authorize(prompt="none"))
        assert (await after.exchange(pending)).status_code == 200
        verifier = TokenVerifier(ISSUER, AUDIENCE, f"{address}/.well-known/jwks.json")
        assert (await verifier.verify(tokens["access_token"])).actor.sub == "dev|asha"
        await after.close()
    await before.close()


async def test_only_the_owner_can_read_it(state_dir: Path) -> None:
    async with identity_provider(state_dir):
        modes = modes_below(state_dir)

    assert modes.pop("state") == 0o700
    assert modes["signing-key.pem"] == 0o600
    assert set(modes.values()) == {0o600}


async def test_no_secret_is_stored_as_it_is(state_dir: Path) -> None:
    async with identity_provider(state_dir) as address:
        browser = OAuthBrowser(address)
        answer = await browser.sign_in()
        tokens = (await browser.exchange(answer)).json()
        secrets = [
            answer_parameters(answer)["code"],
            tokens["refresh_token"],
            browser.http.cookies["fleetlog_idp_session"],
        ]
        await browser.close()
    with sqlite3.connect(state_dir / "sessions.sqlite3") as database:
        dump = "\n".join(database.iterdump())
    database.close()

    assert "dev|asha" in dump
    assert not any(secret in dump for secret in secrets)


def test_whoever_comes_at_once_gets_the_same_key(state_dir: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        keys = list(pool.map(load_or_create_key, [state_dir] * 4))

    assert len({key.kid for key in keys}) == 1
    assert [path.name for path in state_dir.iterdir()] == ["signing-key.pem"]


def test_a_damaged_key_is_named_and_not_replaced(state_dir: Path) -> None:
    load_or_create_key(state_dir)
    (state_dir / "signing-key.pem").write_text("damaged")

    with pytest.raises(ValueError, match=r"signing-key\.pem"):
        load_or_create_key(state_dir)
    assert (state_dir / "signing-key.pem").read_text() == "damaged"


@pytest.mark.parametrize(
    ("user", "actor"),
    [
        ("staff", Actor("dev|asha", "Asha Menon")),
        ("auditor", Actor("dev|daniel", "Daniel Okafor")),
        ("analyst", Actor("dev|mei", "Mei Lin")),
        ("dev|rohan", Actor("dev|rohan", "Rohan Gupta")),
        ("farah", Actor("dev|farah", "Farah Khan")),
    ],
)
async def test_a_token_minted_before_the_first_start_is_accepted_by_the_apis(
    state_dir: Path, user: str, actor: Actor
) -> None:
    token = mint(state_dir, user)

    async with identity_provider(state_dir) as address:
        verifier = TokenVerifier(ISSUER, AUDIENCE, f"{address}/.well-known/jwks.json")
        assert (await verifier.verify(token)).actor == actor


def test_a_token_for_nobody_is_refused_with_the_names_there_are(state_dir: Path) -> None:
    with pytest.raises(ValueError, match="staff, auditor, analyst"):
        mint(state_dir, "nobody")
