"""Subscriptions: rules of fields and between them, and the permission in place of the fleet's."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Final

import httpx
import pytest
from command_api_testing.fleet import new_body, register, version_of
from command_api_testing.log_in_memory import LogInMemory

from ops.base.permissions import OF_ROLES, Permission

PATH: Final = "/api/v1/subscriptions"
MAIL: Final[dict[str, Any]] = {
    "name": "Office",
    "content": "due_dates",
    "channel": "email",
    "recipients": ["office@example.com", "o'neill+fleet@mail.example.co.uk"],
    "schedule": "daily",
}
Users = dict[str, httpx.AsyncClient]


async def test_defaults_of_a_daily_mail(client: httpx.AsyncClient) -> None:
    answer = await client.post(PATH, json=MAIL)
    assert answer.status_code == 201, answer.text
    record = answer.json()
    assert record["id"].startswith("SUB-")
    left_out: dict[str, Any] = {
        "entity_types": [],
        "event_kinds": [],
        "filter": [],
        "url": None,
        "hour": 7,
        "time_zone": "UTC",
    }
    assert record.items() >= {**MAIL, **left_out, "status": "active", "secret_generation": 1}.items()


MAILS = "Must be e-mail addresses, such as office@example.com"
ADDRESS = "Must be an address such as https://hooks.example.com/fleet"
ZONE = "Must be the name of a time zone, such as Asia/Kolkata"
HOUR = "Must be a whole number from 0 to 23"
TWICE = "Must not have the same value twice"


@pytest.mark.parametrize(
    ("field", "values", "message"),
    [
        ("name", [None, " "], "Subscription name is required"),
        ("content", ["news", 1, ["events"]], "Must be one of events, due_dates"),
        ("content", [None, ""], "Content is required"),
        ("entity_types", ["driver", {"driver": 1}, 1], "Must be a list"),
        ("entity_types", [["driver", "driver"]], TWICE),
        ("event_kinds", [["registered"] * 2], TWICE),
        ("recipients", [["a@b"], ["a@example.com", None], ["a@example.com, b@example.com"], [""]], MAILS),
        ("recipients", [["a@example.com"] * 2], TWICE),
        ("recipients", [[f"{n}@example.com" for n in range(51)]], "Must have at most 50 values"),
        ("recipients", [[], None], "At least one e-mail address is required"),
        (
            "url",
            [
                *(
                    "",
                    "hooks.example.com",
                    "http://hooks.example.com",
                    "ftp://example.com",
                    "//example.com",
                    7,
                ),
                *("https://", "https://a b.example", "https://u:p@example.com/", "https://example.com/#x"),
                *(
                    "https://example.com:0/",
                    "https://example.com:65536",
                    "https://exa_mple.com/",
                    "https://[::1]/",
                ),
                *(
                    "https://example.com/\u0430",
                    "https://example.com/ x",
                    "https://example.com\\x",
                    "https://-a.b/",
                ),
                "https://example.com/" + "x" * 2000,
            ],
            ADDRESS,
        ),
        ("hour", [-1, 24, 7.5, "7", None, True, []], HOUR),
        ("secret_generation", [0, 1.5, -1], f"Must be a whole number from 1 to {2**53 - 1}"),
        (
            "time_zone",
            [None, 5, "", "Mars", "Europe", "/etc/passwd", "../UTC", "Asia/Kolkata ", "Asia//Kolkata"],
            ZONE,
        ),
        ("status", ["stopped", None], "Must be one of active, paused"),
    ],
)
async def test_values_that_break_a_rule(
    client: httpx.AsyncClient, field: str, values: list[Any], message: str
) -> None:
    for value in values:
        answer = await client.post(PATH, json={**MAIL, field: value})
        assert answer.status_code == 422, (value, answer.text)
        errors = {error["field"]: error["message"] for error in answer.json()["validation_errors"]}
        assert errors[field] == message, value
        assert errors.keys() == {field}, value


async def test_unusual_values_that_obey_the_rules(client: httpx.AsyncClient) -> None:
    urls = (
        *("https://localhost", "https://10.0.0.7:8443/in?key=a%20b&x=@", "https://h.example?token=1"),
        "https://xn--bcher-kva.example:65535/" + "x" * 1900,
    )
    for url in urls:
        answer = await client.post(PATH, json=new_body("subscription", url=url, hour=23.0))
        assert (answer.status_code, answer.json()["url"]) == (201, url)
        assert '"hour":23,' in answer.text
    for zone in ("America/Argentina/Buenos_Aires", "Etc/GMT+12", "Pacific/Kiritimati", "UTC"):
        assert (await client.post(PATH, json={**MAIL, "time_zone": zone})).status_code == 201


@pytest.mark.parametrize(
    ("entity_types", "filter_", "is_valid"),
    [
        (
            [],
            [
                "status=RUNNING",
                "status=paused",
                "hired=Yes",
                "capacity_tons=20.5",
                "purchase_date=2026-11-21",
            ],
            True,
        ),
        (["trailer"], ["status=RUNNING", "axles=-1"], True),
        (["trailer"], ["status=paused"], False),  # of subscriptions
        (["driver"], ["status=RUNNING"], False),
        ([], ["name=Asha"], False),  # personal data
        ([], ["status=Running"], False),
        ([], ["axles=many"], False),
        ([], ["axles=nan"], False),
        ([], ["purchase_date=2026-02-30"], False),
        ([], ["status"], False),
        ([], [""], False),
        ([], ["=RUNNING"], False),
    ],
)
async def test_filters_name_public_fields_and_values(
    client: httpx.AsyncClient, entity_types: list[str], filter_: list[str], *, is_valid: bool
) -> None:
    body = new_body("subscription", entity_types=entity_types, filter=filter_)
    answer = await client.post(PATH, json=body)
    if is_valid:
        assert (answer.status_code, answer.json().get("filter")) == (201, filter_)
    else:
        message = "Must be public fields of these records, each with a value, such as status=RUNNING"
        errors = [(one["field"], one["message"]) for one in answer.json()["validation_errors"]]
        assert errors == [("filter", message)]


@pytest.mark.parametrize(
    ("changes", "field", "message"),
    [
        ({"entity_types": ["driver"]}, "entity_types", "Must be empty for due dates"),
        ({"event_kinds": ["removed"]}, "event_kinds", "Must be empty for due dates"),
        ({"filter": ["status=RUNNING"]}, "filter", "Must be empty for due dates"),
        ({"schedule": "at_once"}, "schedule", "Due dates are sent daily"),
        ({"url": "https://example.com"}, "url", "Must be empty for e-mail"),
        (
            {"channel": "webhook", "recipients": [], "url": "https://example.com"},
            "channel",
            "Due dates are sent by e-mail only",
        ),
        (
            {"content": "events", "channel": "webhook", "url": "https://example.com", "schedule": "at_once"},
            "recipients",
            "Must be empty for a webhook",
        ),
        (
            {"content": "events", "channel": "webhook", "recipients": [], "schedule": "at_once"},
            "url",
            "The address of the webhook is required",
        ),
        (
            {"content": "events", "channel": "webhook", "recipients": [], "url": "https://example.com"},
            "schedule",
            "A webhook is sent at once",
        ),
    ],
)
async def test_fields_that_do_not_match(
    client: httpx.AsyncClient, changes: dict[str, Any], field: str, message: str
) -> None:
    answer = await client.post(PATH, json={**MAIL, **changes})
    assert answer.status_code == 422, answer.text
    (error,) = [one for one in answer.json()["validation_errors"] if one["field"] == field]
    assert error["message"] == message
    address, _ = await register(client, "subscription")
    changed = await client.put(address, json={**MAIL, **changes})
    assert error in changed.json()["validation_errors"]


async def test_fields_still_match_after_a_change_of_some_of_them(
    client: httpx.AsyncClient, log: LogInMemory, users_of: Callable[..., Awaitable[Users]]
) -> None:
    """The operator, who has no `personal:read`, and an undo change some fields alone."""
    address, webhook = await register(client, "subscription")
    operator = (await users_of(log, {"operator": OF_ROLES["operator"]}))["operator"]
    masked = {name: value for name, value in webhook.items() if name not in ("name", "recipients", "url")}
    paused = await operator.put(address, json={**masked, "status": "paused"})
    assert (paused.json()["status"], paused.json()["url"], version_of(paused)) == ("paused", None, 2)
    refused = await operator.put(address, json={**masked, "channel": "email"})
    assert (refused.status_code, refused.headers["content-type"]) == (409, "application/problem+json")
    detail = "This change alone is not possible: At least one e-mail address is required."
    assert refused.json()["detail"] == detail
    # To e-mail by two changes; an undo of the second alone would leave neither recipients nor address.
    mail = {**webhook, "channel": "email", "url": None, "recipients": ["a@example.com"]}
    assert version_of(await client.put(address, json=mail)) == 3
    assert version_of(await client.put(address, json={**mail, "recipients": ["b@example.com"]})) == 4
    undo = partial(client.post, f"{address}/undo")
    refused = await undo(json={"version": 3, "keep": ["recipients"]})
    assert (refused.status_code, refused.json()["detail"]) == (
        409,
        "This change alone is not possible: Must be empty for a webhook.",
    )
    assert version_of(await undo(json={"version": 4})) == 5


async def test_answers_show_the_record_without_fleet_read(
    client: httpx.AsyncClient, log: LogInMemory, users_of: Callable[..., Awaitable[Users]]
) -> None:
    """Answers about other entity types need it."""
    address, record = await register(client, "subscription")
    row = {"key": "1", "do": "change", "id": record["id"], "values": {"status": "paused"}}
    batch = {"batch": "7e7f1f4a-8f3a-4a55-9c56-0d5c0a3f7a11", "dry_run": False, "rows": [row]}
    user = (await users_of(log, {"user": [Permission.NOTIFICATIONS_MANAGE]}))["user"]
    changed = (await user.post("/api/v1/batches/subscriptions", json=batch)).json()
    assert changed["rows"][0]["fields"] == ["status"]
    assert (await user.post(f"{address}/undo", json={"version": 2})).json()["status"] == "active"
    assert (await user.delete(address)).status_code == 204
    refused = await user.post(f"{address}/undo", json={"version": 4})
    assert refused.json()["missing_permissions"] == ["personal:read"]
