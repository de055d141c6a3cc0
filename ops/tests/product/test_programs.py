"""Programs with tokens of their own, from the command line's token to the audit trail."""

import csv
import io
import os
import subprocess

import pytest
from httpx import Response

from ops.launcher.paths import PYTHON
from ops.testing.conditions import wait_for
from ops.testing.product.bodies import usual_body
from ops.testing.product.client import Client, sign_in
from ops.testing.product.exchanges import PATHS, Actor
from ops.testing.stack import Stack

pytestmark = pytest.mark.integration
PROGRAM = "dispatch-planner"
SHOWN = {"sub": PROGRAM, "name": PROGRAM, "is_program": True}


def token(stack: Stack, *more: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [*PYTHON, "ops.launcher", "token", "--url", stack.address, *more],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
    )


def test_programs_are_marked_wherever_authors_are_shown(stack: Stack) -> None:
    printed = token(stack, "--program", PROGRAM)
    assert (printed.returncode, printed.stderr) == (0, "")
    program, person = Actor(PROGRAM, PROGRAM, printed.stdout.strip()), sign_in(stack, "staff")
    driver = {"id": "PROG-1", **usual_body("driver").sent}
    path = f"{PATHS['driver']}/PROG-1"
    with Client(stack) as client:
        client.request("POST", PATHS["driver"], actor=program, json=driver).raise_for_status()

        def change(actor: Actor, version: int, city: str) -> Response:
            headers = {"If-Match": f'"{version}"'}
            return client.request("PUT", path, actor=actor, json={**driver, "city": city}, headers=headers)

        change(program, 1, "Nagpur").raise_for_status()
        refused = change(person, 1, "Pune")
        assert (refused.status_code, refused.json()["changed_since"][0]["actor"]) == (412, SHOWN)
        change(person, 2, "Pune").raise_for_status()
        client.request("GET", path, actor=program).raise_for_status()

        auditor = sign_in(stack, "auditor")

        def shown(path: str, actor: Actor = auditor) -> list[dict[str, object]]:
            answer = client.request("GET", path, actor=actor).raise_for_status()
            return [entry["actor"] for entry in answer.json()["content"]]

        own = {"sub": person.sub, "name": person.name}
        assert shown(f"{path}/history") == [SHOWN, SHOWN, own]
        trail = "/api/v1/audit?entity=driver&id=PROG-1"
        assert shown(f"{trail}&by=program") == [SHOWN, SHOWN]
        assert shown(f"{trail}&by=person") == [own]
        assert client.request("GET", f"{trail}&by=robot", actor=auditor).status_code == 422
        export = client.request("GET", f"{trail}&format=csv", actor=auditor).raise_for_status()
        marks = {
            row["actor_sub"]: row["actor_is_program"] for row in csv.DictReader(io.StringIO(export.text))
        }
        assert marks == {PROGRAM: "true", person.sub: ""}
        # Latest first: earlier tests have read lists, which may have shown the driver, too.
        wait_for(lambda: SHOWN in shown(f"{path}/seen-by?order=desc"))
        assert SHOWN in shown("/api/v1/access-log?show=views&order=desc&limit=200")


def test_program_without_permission_and_without_secret_is_refused(stack: Stack) -> None:
    warehouse = token(stack, "--program", "data-warehouse").stdout.strip()
    with Client(stack) as client:
        body = usual_body("horse").sent
        actor = Actor("data-warehouse", "data-warehouse", warehouse)
        assert client.request("POST", PATHS["horse"], actor=actor, json=body).status_code == 403
        assert client.request("GET", PATHS["horse"], actor=actor).status_code == 200
    wrong = token(stack, "--program", PROGRAM, FLEETLOG_CLIENT_SECRET="wrong")
    assert (wrong.returncode, wrong.stdout) == (1, "")
    assert "the secret is wrong" in wrong.stderr
