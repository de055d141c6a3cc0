"""The screens in full; `./fleetlog test` looks at what kinds of record have in common once."""

import pytest

from ops.development.suites import run_e2e_suite


@pytest.mark.soak
def test_every_screen_of_every_kind_is_accessible_in_every_look(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVERY_LOOK", "1")
    assert run_e2e_suite()
