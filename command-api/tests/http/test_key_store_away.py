"""Commands while the key store is unavailable."""

from collections.abc import Callable
from pathlib import Path

import pytest
from command_api_testing.fleet import client_of, new_body, path_of
from command_api_testing.log_in_memory import LogInMemory

from command_api.app import build_app
from ops.base.settings import ServiceSettings
from ops.testing.key_stores import OwnKeyStore
from ops.testing.serving import serving
from ops.testing.token_issuer import TokenIssuer


async def test_command_is_refused_without_key_store_and_succeeds_on_retry(
    settings_with: Callable[..., ServiceSettings],
    issuer: TokenIssuer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("FLEETLOG_KEYS", str(tmp_path))
    log = LogInMemory()
    body = new_body("driver")
    async with serving(build_app(settings_with(), log)) as origin, client_of(origin, issuer) as client:
        client.headers["Idempotency-Key"] = "once"
        refused = await client.post(path_of("driver"), json=body)
        assert refused.status_code == 503
        assert refused.headers["content-type"] == "application/problem+json"
        assert "retry-after" in refused.headers
        assert refused.json()["detail"].startswith("Nothing was changed: the key")
        assert str(tmp_path) not in refused.text
        assert await log.head() == 0

        OwnKeyStore.in_folder(tmp_path)
        done = await client.post(path_of("driver"), json=body)
        assert done.status_code == 201
        again = await client.post(path_of("driver"), json=body)
        assert (again.status_code, again.content) == (201, done.content)
    (event,) = await log.after(0, limit=10)
    assert event.key_id
    assert body["name"].encode() not in event.state
