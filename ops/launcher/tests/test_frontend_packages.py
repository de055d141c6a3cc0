"""Installing the frontend's packages runs no code of theirs."""

import json
import re
import shutil
from pathlib import Path

import pytest

from ops.launcher.frontend import build, node
from ops.launcher.paths import FRONTEND, PROJECT


def test_installing_packages_runs_no_installation_script(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, package = tmp_path / "frontend", tmp_path / "frontend" / "package"
    package.mkdir(parents=True)
    shutil.copy(FRONTEND / ".npmrc", project)
    ran = tmp_path / "ran"
    described = {
        "name": "described",
        "version": "1.0.0",
        "scripts": {"install": f"node -e \"require('fs').writeFileSync('{ran}', '')\""},
    }
    (package / "package.json").write_text(json.dumps(described))
    named = {"name": "project", "version": "1.0.0", "dependencies": {"described": "file:package"}}
    (project / "package.json").write_text(json.dumps(described | named))
    packages = {
        "": named,
        "package": {"version": "1.0.0", "hasInstallScript": True},
        "node_modules/described": {"resolved": "package", "link": True},
    }
    lock = {"lockfileVersion": 3, "requires": True, "packages": packages}
    (project / "package-lock.json").write_text(json.dumps(named | lock))
    for module in (build, node):
        monkeypatch.setattr(module, "FRONTEND", project)
        monkeypatch.setattr(module, "CACHE", tmp_path)
    monkeypatch.setattr(build, "PROJECT", tmp_path)
    monkeypatch.setattr(build, "_LOCK", tmp_path / "lock")
    build.ensure_installed()
    assert (project / "node_modules" / "described" / "package.json").exists()
    assert not ran.exists()


def test_images_are_built_without_installation_scripts() -> None:
    installing = re.findall(r"npm (?:ci|install|i)\b.*", (PROJECT / "ops/Dockerfile").read_text())
    assert installing
    assert all("--ignore-scripts" in command for command in installing)
