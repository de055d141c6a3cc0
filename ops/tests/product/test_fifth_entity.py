"""A fifth entity type: one module of the domain and one migration suffice for the complete product.

The tests run a copy of the source with these two files, released by `projections schemas --release`.
"""

import filecmp
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import httpx
import jsonschema
import pytest

from command_api.domain.events import event_classes
from ops.base.database.schema import REVISION
from ops.launcher.bootstrap import PACKAGES
from ops.launcher.paths import PROJECT, PYTHON
from ops.testing.conditions import wait_for
from ops.testing.folders import open_folder
from ops.testing.kafka import KafkaBroker, read_topics
from ops.testing.stack import Stack, instance_environment

pytestmark = pytest.mark.integration

DEPOTS: Final = "/api/v1/depots"
NAME, MANAGER = "Hosur yard", "Meena Iyer"
DEPOT: Final = {"name": NAME, "manager": MANAGER, "number_of_docks": 12, "status": "OPEN"}
DECLARATION: Final = Path(__file__).with_name("fifth_entity") / "depot.py"
SCRIPT: Final = f"{int(REVISION) + 1:04}_depots.sql"
SOURCES: Final = [f"{package}/src" for package in PACKAGES]
SCHEMAS: Final = (
    *(f"fleetlog.depot.{kind}.v2.json" for kind in (*(one.kind for one in event_classes("depot")), "state")),
    "fleetlog.depot.unreadable.v1.json",
)


@pytest.fixture(scope="module")
def source() -> Iterator[Path]:
    """The product's source, with the fifth entity type."""
    with open_folder() as folder:
        for name in SOURCES:
            shutil.copytree(PROJECT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(DECLARATION, folder / "command-api/src/command_api/domain/entities")
        (folder / "ops/launcher/src/ops/launcher/migrations/versions" / SCRIPT).write_text(
            "SELECT read.create_entity_table('depots');\n"
            "INSERT INTO log.schema_revisions (revision, serves_from)"
            f" VALUES ('{SCRIPT[:4]}', '{REVISION}');\n"
        )
        subprocess.run(
            [*PYTHON, "projections", "schemas", "--release"], env=environment(folder), check=True, text=True
        )
        yield folder


def environment(source: Path) -> dict[str, str]:
    """Return an environment in which Python imports our packages from a source."""
    return instance_environment(PYTHONPATH=os.pathsep.join(str(source / name) for name in SOURCES))


@pytest.fixture(scope="module")
def product(source: Path, kafka: KafkaBroker) -> Iterator[Stack]:
    """The complete product, run from that source."""
    arguments = ["--kafka", kafka.address]
    with (
        open_folder() as folder,
        Stack(folder, arguments=arguments, environment=environment(source)) as stack,
    ):
        yield stack


@pytest.fixture
def staff(product: Stack) -> Iterator[httpx.Client]:
    with client(product, "staff") as client_:
        yield client_


@pytest.fixture
def auditor(product: Stack) -> Iterator[httpx.Client]:
    with client(product, "auditor") as client_:
        yield client_


class Reader(httpx.Client):
    """A client with cookies that repeats stale reads."""

    def get(self, *arguments: Any, **more: Any) -> httpx.Response:
        answers: list[httpx.Response] = []

        def is_current() -> bool:
            answers.append(super(Reader, self).get(*arguments, **more))
            return "fleetlog-consistency" not in answers[-1].headers

        wait_for(is_current)
        return answers[-1]


def client(product: Stack, user: str) -> httpx.Client:
    headers = {"Authorization": f"Bearer {product.token(user)}"}
    return Reader(base_url=product.address, headers=headers, timeout=60, trust_env=False)


def registered(staff: httpx.Client, **changes: Any) -> str:
    answer = staff.post(DEPOTS, json=DEPOT | changes)
    assert answer.status_code == 201, answer.text
    assert answer.headers["location"].startswith(f"{DEPOTS}/DEP-")
    return str(answer.json()["depot_by_pk"]["id"])


def body_of(answer: httpx.Response) -> Any:
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_no_other_file_is_changed(source: Path) -> None:
    changed = {path for name in SOURCES for path in differing(filecmp.dircmp(PROJECT / name, source / name))}
    assert {path.name for path in changed} == {"depot.py", SCRIPT, "entities.json", *SCHEMAS}


def differing(compared: "filecmp.dircmp[str]") -> Iterator[Path]:
    for name in (*compared.left_only, *compared.right_only, *compared.diff_files):
        if name != "__pycache__":
            yield Path(compared.right) / name
    for inner in compared.subdirs.values():
        yield from differing(inner)


def test_commands_and_queries(staff: httpx.Client) -> None:
    refused = staff.post(DEPOTS, json={"number_of_docks": "many", "unknown": 3})
    assert refused.status_code == 422
    errors = {error["field"]: error["message"] for error in refused.json()["validation_errors"]}
    assert errors["name"] == "Depot name is required"
    assert errors.keys() == {"name", "number_of_docks", "unknown"}

    depot = registered(staff, name="Commanded")
    answer = staff.get(f"{DEPOTS}/{depot}")
    assert body_of(answer) == {"depot_by_pk": {"id": depot, **DEPOT, "name": "Commanded"}}
    changed = DEPOT | {"name": "Commanded", "number_of_docks": 14}
    etag = answer.headers["etag"]
    assert body_of(staff.put(f"{DEPOTS}/{depot}", json=changed, headers={"If-Match": etag}))
    assert staff.put(f"{DEPOTS}/{depot}", json=DEPOT, headers={"If-Match": etag}).status_code == 412
    listed = body_of(staff.get(DEPOTS))["content"]
    assert {"id": depot, **changed} in listed
    restored = body_of(staff.post(f"{DEPOTS}/{depot}/restore", json={"version": 1}))
    assert restored["depot_by_pk"]["number_of_docks"] == 12


def test_rule_of_the_entity_type(staff: httpx.Client) -> None:
    depot = registered(staff)
    single, once = f"{DEPOTS}/{depot}", {"Idempotency-Key": f"remove-{depot}"}
    refused = staff.delete(single, headers=once)
    assert refused.status_code == 409
    assert refused.headers["content-type"] == "application/problem+json"
    assert refused.json()["detail"] == "A depot that is open cannot be removed"
    body_of(staff.put(single, json=DEPOT | {"status": "CLOSED"}))
    again = staff.delete(single, headers=once)
    assert (again.status_code, again.json()["detail"]) == (409, refused.json()["detail"]), (
        "a retry returns the first outcome"
    )
    assert staff.delete(single).status_code == 204
    assert staff.get(single).status_code == 404


def test_history_and_audit_trail(staff: httpx.Client, auditor: httpx.Client) -> None:
    depot = registered(staff)
    body_of(staff.put(f"{DEPOTS}/{depot}", json=DEPOT | {"number_of_docks": 9, "manager": "Anil Rao"}))
    history = body_of(staff.get(f"{DEPOTS}/{depot}/history"))["content"]
    assert [change["type"] for change in history] == ["depot.registered", "depot.details_changed"]
    assert {"field": "number_of_docks", "from": 12, "to": 9} in history[1]["changes"]
    then = {"as_of": history[0]["moment"]}
    assert body_of(staff.get(f"{DEPOTS}/{depot}", params=then))["depot_by_pk"]["manager"] == MANAGER
    blamed = body_of(staff.get(f"{DEPOTS}/{depot}/blame"))["fields"]
    assert {field["field"]: field["version"] for field in blamed}["number_of_docks"] == 2
    difference = body_of(staff.get(f"{DEPOTS}/{depot}/diff", params={"from": 1, "to": 2}))
    assert {change["field"] for change in difference["changes"]} == {"number_of_docks", "manager"}

    auditor.cookies.update(staff.cookies)
    exported = auditor.get("/api/v1/audit", params={"entity": "depot", "id": depot, "format": "csv"})
    assert "number_of_docks" in exported.raise_for_status().text
    assert MANAGER not in exported.text


def test_events_and_schemas(staff: httpx.Client) -> None:
    depot = registered(staff)
    body_of(staff.put(f"{DEPOTS}/{depot}", json=DEPOT | {"number_of_docks": 9, "manager": "Anil Rao"}))
    feed = {"entity": "depot", "after": "0", "format": "ndjson"}

    def lines() -> list[str]:
        return staff.get("/api/v1/events", params=feed).raise_for_status().text.splitlines()

    wait_for(lambda: sum(depot in line for line in lines()) == 2)
    mine = [event for event in map(json.loads, lines()) if event["subject"] == depot]
    assert [event["type"] for event in mine] == [
        "fleetlog.depot.registered.v2",
        "fleetlog.depot.details_changed.v2",
    ]
    assert mine[0]["data"]["details"] == {"number_of_docks": 12, "status": "OPEN"}
    assert mine[1]["data"]["changes"] == {"number_of_docks": {"from": 12, "to": 9}}
    assert MANAGER not in str(lines())
    for event in mine:
        jsonschema.validate(event["data"], body_of(staff.get(f"/api/v1/schemas/{event['type']}.json")))
    assert "fleetlog.depot.events.v2" in staff.get("/api/v1/asyncapi.json").text


def test_kafka(product: Stack, kafka: KafkaBroker, staff: httpx.Client) -> None:
    depot = registered(staff)
    body_of(staff.put(f"{DEPOTS}/{depot}", json=DEPOT | {"status": "CLOSED"}))

    def values(topic: str) -> list[Any]:
        records = read_topics(kafka.address, f"fleetlog.depot.{topic}.v2")
        return [json.loads(record.value) for record in records if record.key == depot.encode()]

    wait_for(lambda: [len(values(topic)) for topic in ("events", "state")] == [2, 2])
    assert [event["type"] for event in values("events")] == ["depot.registered", "depot.details_changed"]
    assert values("state")[-1] == {"id": depot, "number_of_docks": 12, "status": "CLOSED"}


def test_rebuild_and_verification(product: Stack, staff: httpx.Client) -> None:
    registered(staff)
    before = body_of(staff.get(DEPOTS))
    for table in ("depots", "revisions"):
        product.succeed("projections", "rebuild", table)
    assert body_of(staff.get(DEPOTS)) == before
    product.succeed("projections", "verify")
