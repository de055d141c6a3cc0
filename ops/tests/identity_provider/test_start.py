"""Starting the process, and refusing to."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest

from ops.launcher.identity_provider.__main__ import main
from ops.testing.oauth_browser import OAuthBrowser, answer_parameters

COMMAND = [sys.executable, "-m", "ops.launcher.identity_provider"]


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def environment(state_dir: Path, **changes: str | None) -> dict[str, str]:
    variables = {
        **os.environ,
        "FLEETLOG_PORT": str(free_port()),
        "FLEETLOG_ISSUER": "http://localhost:8080/",
        "FLEETLOG_AUDIENCE": "https://api.fleetlog.example",
        "FLEETLOG_ENVIRONMENT": "development",
        "FLEETLOG_IDP_STATE": str(state_dir),
        **changes,
    }
    return {name: value for name, value in variables.items() if value is not None}


@asynccontextmanager
async def running(variables: dict[str, str]) -> AsyncIterator[tuple[asyncio.subprocess.Process, str]]:
    process = await asyncio.create_subprocess_exec(*COMMAND, env=variables)
    address = f"http://127.0.0.1:{variables['FLEETLOG_PORT']}"
    try:
        async with asyncio.timeout(60), httpx.AsyncClient(trust_env=False, timeout=60) as client:
            while True:
                try:
                    await client.get(f"{address}/readyz")
                    break
                except httpx.TransportError:
                    assert process.returncode is None
                    await asyncio.sleep(0.02)
        yield process, address
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


@pytest.mark.parametrize("value", ["production", None])
def test_it_refuses_to_run_in_production_and_where_nobody_says_that_it_is_not(
    state_dir: Path, value: str | None
) -> None:
    variables = environment(state_dir, FLEETLOG_ENVIRONMENT=value)
    process = subprocess.run(COMMAND, env=variables, capture_output=True, text=True, timeout=60, check=False)

    assert process.returncode == 2
    assert "must not run in production" in process.stderr
    assert len(process.stderr.splitlines()) == 1
    assert not state_dir.exists()


@pytest.mark.parametrize(
    "setting",
    [
        ("FLEETLOG_HOST", "0.0.0.0", "loopback"),  # noqa: S104
        ("FLEETLOG_HOST", "192.168.1.7", "loopback"),
        ("FLEETLOG_HOST", "example.com", "loopback"),
        ("FLEETLOG_HOST", "::", "loopback"),
        ("FLEETLOG_ISSUER", "http://localhost:8080", "final slash"),
        ("FLEETLOG_ISSUER", "http://fleet.example/", "issuer is local"),
        ("FLEETLOG_ISSUER", "https://fleet.example/", "issuer is local"),
        ("FLEETLOG_ISSUER", "https://localhost.fleet.example/", "issuer is local"),
        ("FLEETLOG_ISSUER", "http://192.168.1.7:8080/", "issuer is local"),
        ("FLEETLOG_PUBLISH", "8080", "nobody else may reach"),
        ("FLEETLOG_PUBLISH", "0.0.0.0:8080", "nobody else may reach"),
        ("FLEETLOG_PUBLISH", "[::]:8080", "nobody else may reach"),
        ("FLEETLOG_IDP_REDIRECT_ORIGINS", "https://fleet.example", "redirect origins"),
        ("FLEETLOG_ISSUER", "http://localhost:8080/path/", "origin"),
        ("FLEETLOG_ISSUER", None, "required"),
        ("FLEETLOG_AUDIENCE", "", "at least 1"),
        ("FLEETLOG_PORT", "70000", "65535"),
        ("FLEETLOG_IDP_REDIRECT_ORIGINS", "http://localhost:5173 *", "redirect origins"),
        ("FLEETLOG_IDP_STATE", "/dev/null/state", "/dev/null"),
    ],
)
def test_it_refuses_settings_that_cannot_work_in_one_line(
    state_dir: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    setting: tuple[str, str | None, str],
) -> None:
    changed, value, message = setting
    monkeypatch.delenv(changed, raising=False)
    for variable, text in environment(state_dir, **{changed: value}).items():
        monkeypatch.setenv(variable, text)

    code = main()

    errors = capsys.readouterr().err
    assert code in {1, 2}
    assert message in errors
    assert len(errors.splitlines()) == 1


async def test_a_kill_signs_nobody_out_and_a_termination_is_clean(state_dir: Path) -> None:
    variables = environment(state_dir)
    async with running(variables) as (process, address):
        browser = OAuthBrowser(address)
        tokens = await browser.tokens()
        process.send_signal(signal.SIGKILL)
        await process.wait()
    async with running(variables) as (process, _):
        assert "code" in answer_parameters(await browser.authorize(prompt="none"))
        assert (await browser.refresh(tokens["refresh_token"])).status_code == 200
        await browser.close()
        process.terminate()
        async with asyncio.timeout(60):
            assert await process.wait() in {0, -signal.SIGTERM}
