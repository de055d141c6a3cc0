"""Start of the process with valid and invalid settings, and its state folder."""

import os
import signal
import sqlite3
import stat
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import httpx
import pytest
from pydantic import ValidationError

from ops.base.sign_in.verifier import TokenVerifier
from ops.development.identity_provider.__main__ import main
from ops.development.identity_provider.settings import IdentityProviderSettings
from ops.development.identity_provider.tokens import load_or_create_key
from ops.launcher.processes.ports import free_port
from ops.testing.gateway import stopped_at_end
from ops.testing.http_servers import until_ready
from ops.testing.oauth_browser import OAuthBrowser, answer_parameters
from ops.testing.token_issuer import sign_in_settings

COMMAND = [sys.executable, "-m", "ops.development.identity_provider"]
ISSUER = "http://localhost:8080/"
AUDIENCE = "https://api.fleetlog.example"
Provider = Callable[..., AbstractAsyncContextManager[str]]


def environment(state: Path, **changes: str | None) -> dict[str, str]:
    variables = {
        "FLEETLOG_PORT": str(free_port()),
        "FLEETLOG_ISSUER": ISSUER,
        "FLEETLOG_AUDIENCE": AUDIENCE,
        "FLEETLOG_ENVIRONMENT": "development",
        "FLEETLOG_IDP_STATE": str(state),
        **changes,
    }
    return {name: value for name, value in variables.items() if value is not None}


@asynccontextmanager
async def running(variables: dict[str, str]) -> AsyncIterator[tuple[subprocess.Popen[bytes], str]]:
    address = f"http://127.0.0.1:{variables['FLEETLOG_PORT']}"
    with stopped_at_end(subprocess.Popen(COMMAND, env={**os.environ, **variables})) as process:  # noqa: ASYNC220
        async with httpx.AsyncClient(base_url=address, trust_env=False, timeout=60) as client:
            await until_ready(client)
        yield process, address


@pytest.mark.parametrize(
    "refused",
    [
        ("ENVIRONMENT", "production", "must not run in production"),
        ("ENVIRONMENT", None, "must not run in production"),
        ("HOST", "0.0.0.0", "loopback"),  # noqa: S104
        ("HOST", "192.168.1.7", "loopback"),
        ("HOST", "example.com", "loopback"),
        ("HOST", "::", "loopback"),
        ("ISSUER", "http://localhost:8080", "final slash"),
        ("ISSUER", "http://localhost:8080/path/", "issuer is local"),
        ("ISSUER", "http://fleet.example/", "issuer is local"),
        ("ISSUER", "https://localhost.fleet.example/", "issuer is local"),
        ("ISSUER", "http://192.168.1.7:8080/", "issuer is local"),
        ("ISSUER", None, "required"),
        ("PUBLISH", "8080", "reachable from this machine only"),
        ("PUBLISH", "0.0.0.0:8080", "reachable from this machine only"),
        ("PUBLISH", "[::]:8080", "reachable from this machine only"),
        ("AUDIENCE", "", "at least 1"),
        ("PORT", "70000", "65535"),
        ("IDP_REDIRECT_ORIGINS", "https://fleet.example", "redirect origins"),
        ("IDP_REDIRECT_ORIGINS", "http://localhost:5173 *", "redirect origins"),
        ("IDP_BACK_CHANNEL_LOGOUT", "http://elsewhere.example/", "must be local"),
        ("IDP_BACK_CHANNEL_LOGOUT", "https://localhost/", "must be local"),
        ("IDP_BACK_CHANNEL_LOGOUT", "/a", "must be local"),
        ("IDP_STATE", "/dev/null/state", "/dev/null"),
    ],
)
def test_invalid_settings_are_refused_with_one_line(
    state: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    refused: tuple[str, str | None, str],
) -> None:
    name, value, message = refused
    monkeypatch.delenv(f"FLEETLOG_{name}", raising=False)
    for variable, text in environment(state, **{f"FLEETLOG_{name}": value}).items():
        monkeypatch.setenv(variable, text)
    assert main([]) in {1, 2}
    errors = capsys.readouterr().err
    assert message in errors
    assert len(errors.splitlines()) == 1
    assert not state.exists()


@pytest.mark.parametrize("enclosed", ["false", "true"])
def test_other_addresses_need_an_enclosed_network(
    state: Path, monkeypatch: pytest.MonkeyPatch, enclosed: str
) -> None:
    more = {"HOST": "0.0.0.0", "IDP_BACK_CHANNEL_LOGOUT": "http://gateway:8080/", "IDP_ENCLOSED": enclosed}  # noqa: S104
    variables = {f"FLEETLOG_{name}": value for name, value in more.items()}
    for variable, text in environment(state, **variables).items():
        monkeypatch.setenv(variable, text)
    if enclosed == "true":
        assert IdentityProviderSettings().host == "0.0.0.0"  # noqa: S104
    else:
        with pytest.raises(ValidationError, match="loopback addresses only"):
            IdentityProviderSettings()


async def test_sessions_survive_a_kill_and_termination_is_clean(state: Path) -> None:
    variables = environment(state)
    async with running(variables) as (process, address), OAuthBrowser(address) as browser:
        tokens, pending = await browser.tokens(), await browser.authorize()
        process.kill()
        process.wait()
        async with running(variables) as (again, _):
            assert "code" in answer_parameters(await browser.authorize(prompt="none"))
            assert (await browser.refresh(tokens["refresh_token"])).status_code == 200
            assert (await browser.exchange(pending)).status_code == 200
            verifier = TokenVerifier(
                sign_in_settings(ISSUER, AUDIENCE, jwks_url=f"{address}/.well-known/jwks.json")
            )
            assert (await verifier.verify(tokens["access_token"])).actor.sub == "dev|asha"
            again.terminate()
            assert again.wait(60) in {0, -signal.SIGTERM}


def modes_of(*paths: Path) -> set[int]:
    return {stat.S_IMODE(path.stat().st_mode) for path in paths}


async def test_state_is_private_and_has_no_secrets(state: Path, provider: Provider) -> None:
    async with provider(state) as address, OAuthBrowser(address) as browser:
        answer = await browser.sign_in()
        tokens = (await browser.exchange(answer)).json()
        secrets = [
            answer_parameters(answer)["code"],
            tokens["refresh_token"],
            browser.http.cookies["fleetlog_idp_session"],
        ]
        assert modes_of(state) == {0o700}
        assert modes_of(*state.iterdir()) == {0o600}  # noqa: ASYNC240 - a small folder
    with sqlite3.connect(state / "sessions.sqlite3") as database:
        dump = "\n".join(database.iterdump())
    database.close()
    assert "dev|asha" in dump
    assert not any(secret in dump for secret in secrets)


def test_damaged_key_is_reported_and_not_replaced(state: Path) -> None:
    load_or_create_key(state)
    (state / "signing-key.pem").write_text("damaged")
    with pytest.raises(ValueError, match=r"signing-key\.pem"):
        load_or_create_key(state)
    assert (state / "signing-key.pem").read_text() == "damaged"
