"""All screens of all record types; `./fleetlog test` checks the common parts once."""

import pytest

from ops.development.suites import run_e2e_suite


@pytest.mark.soak
def test_every_screen_of_every_record_type_is_accessible_in_every_theme(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("EVERY_LOOK", "1")
    monkeypatch.delenv("FLEETLOG_KEYS")  # the suite's instance has its own key store
    assert run_e2e_suite()
