"""The roles of the demonstration users, and their documentation."""

import re

from ops.base.permissions import OF_ROLES, OF_STAFF, ROLES, Permission
from ops.launcher.paths import PROJECT

WRITING = {Permission.FLEET_WRITE, Permission.FLEET_REMOVE}


def test_handbook_lists_the_permissions_of_roles() -> None:
    page = (PROJECT / "ops/docs/permissions.md").read_text()
    head, _, *rows = (
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in re.findall(r"^\|.*\|$", page.split("The columns are")[0], re.MULTILINE)
    )
    assert tuple(head[2:]) == ROLES
    documented = {
        row[0].strip("`"): {role for role, mark in zip(ROLES, row[2:], strict=True) if mark} for row in rows
    }
    assert documented == {
        permission: {role for role in ROLES if permission in OF_ROLES[role]} for permission in Permission
    }
    assert list(documented) == list(Permission)


def test_roles_have_the_specified_permissions() -> None:
    assert OF_ROLES["staff"] == OF_STAFF
    assert not OF_STAFF & {Permission.AUDIT_REVEAL, Permission.ACCESS_LOG_READ}
    assert Permission.AUDIT_REVEAL in OF_ROLES["auditor"]
    for role in ROLES:
        assert bool(OF_ROLES[role] & WRITING) == (role == "staff")
    for role in ("analyst", "operator"):
        assert not OF_ROLES[role] & {
            Permission.PERSONAL_READ,
            Permission.HISTORY_READ,
            Permission.AUDIT_READ,
        }
    assert set().union(*OF_ROLES.values()) == set(Permission)
