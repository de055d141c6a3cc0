"""Passwords of database roles after an upgrade to a release with more roles."""

import json
import stat
from pathlib import Path

from ops.launcher.instance.data_folder import DataFolder
from ops.launcher.instance.secrets import load_or_make
from ops.launcher.postgres.groups import SERVICE_GROUPS


def test_an_upgraded_instance_gets_missing_passwords(tmp_path: Path) -> None:
    folder = DataFolder(tmp_path / "data").create()
    (folder.path / "postgres").mkdir()
    roles = {"command": "one", "projections": "two", "query": "three"}
    folder.secrets.write_text(json.dumps({"superuser": "zero", "roles": roles}))
    kept = load_or_make(folder)
    assert kept.superuser == "zero"
    assert kept.roles.items() >= roles.items()
    assert kept.roles.keys() == SERVICE_GROUPS.keys()
    assert len(set(kept.roles.values())) == len(SERVICE_GROUPS)
    assert stat.S_IMODE(folder.secrets.stat().st_mode) == 0o600
    assert load_or_make(folder) == kept
