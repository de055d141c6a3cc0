"""Choice of the browser for the end-to-end tests."""

from pathlib import Path

import pytest

from ops.development import chromium
from ops.launcher.errors import LauncherError


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder of the path; it has a browser with windows."""
    monkeypatch.delenv(chromium.SETTING, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    add(tmp_path, "chromium")
    return tmp_path


def add(folder: Path, program: str) -> None:
    (folder / program).write_text("#!/bin/sh\n")
    (folder / program).chmod(0o755)


@pytest.mark.parametrize("may_install", [True, False])
def test_headless_shell_is_installed_if_allowed(
    path: Path, monkeypatch: pytest.MonkeyPatch, *, may_install: bool
) -> None:
    monkeypatch.setattr(chromium, "may_install_packages", lambda: may_install)
    monkeypatch.setattr(chromium, "install_packages", lambda name: add(path, name))
    found = chromium.find_or_install_chromium(lambda _: None)
    assert found == path / ("chromium-headless-shell" if may_install else "chromium")


def test_other_browser_is_used_if_the_installation_fails(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(name: str) -> None:
        raise LauncherError(f"no package {name}")

    monkeypatch.setattr(chromium, "may_install_packages", lambda: True)
    monkeypatch.setattr(chromium, "install_packages", refuse)
    output: list[str] = []
    assert chromium.find_or_install_chromium(output.append) == path / "chromium"
    assert output[-1] == "chromium-headless-shell cannot be installed: no package chromium-headless-shell"
