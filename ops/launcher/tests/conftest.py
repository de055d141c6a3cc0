"""Fixtures of the launcher's tests."""

import pytest


@pytest.fixture(autouse=True)
def own_key_store(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let commands use an instance's own key store instead of the test session's."""
    monkeypatch.delenv("FLEETLOG_KEYS", raising=False)
