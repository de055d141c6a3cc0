"""POST, for all four entity types."""

from typing import Any

import httpx
import pytest
from command_api_testing.fleet import ENTITIES, new_body, path_of, unwrap

NOT_A_DATE = "Must be a date as YYYY-MM-DD"
NOT_A_TYPE = "Must be one of REGULAR, HUB, WAREHOUSE, SERVICE_POINT"


@pytest.mark.parametrize("entity", ENTITIES)
async def test_all_missing_fields_are_reported_with_the_specified_messages(
    client: httpx.AsyncClient, entity: str
) -> None:
    expected = {
        "driver": {
            "id": "Employee number is required",
            "name": "Driver name is required",
            "address_1": "Primary address is required",
            "city": "City is required",
            "country": "Country is required",
            "mobile_number_1": "Primary mobile number is required",
            "email_address": "Invalid email address",
            "father_name": "Father's name is required",
            "passport_number": "Passport number is required",
            "passport_expiry_date": "Passport expiry date is required",
            "driving_license_number": "Driving license number is required",
            "driving_license_expiry": "License expiry date is required",
            "bank_account_number": "Bank account number is required",
            "bank_name": "Bank name is required",
            "bank_address": "Bank address is required",
            "ifsc_code": "IFSC code is required",
        },
        "trailer": {"identifier": "Identifier is required"},
        "assignment": {"horse": "Horse is required", "starts_at": "Start is required"},
        "horse": {
            "chassis_number": "Chassis number is required",
            "engine_number": "Engine number is required",
            "identifier": "Identifier is required",
        },
        "location": {
            "name": "Location name is required",
            "lat": "Latitude must be between -90 and 90",
            "longitude": "Longitude must be between -180 and 180",
            "country": "Country is required",
        },
        "subscription": {
            "name": "Subscription name is required",
            "content": "Content is required",
            "channel": "Channel is required",
        },
    }[entity]
    for value in ({}, dict.fromkeys(expected), dict.fromkeys(expected, "  ")):
        answer = await client.post(path_of(entity), json=value)

        assert answer.status_code == 422
        assert answer.headers["content-type"] == "application/problem+json"
        errors = answer.json()["validation_errors"]
        assert {error["field"]: error["message"] for error in errors} == expected
        assert all(error["pointer"] == f"#/{error['field']}" for error in errors)


@pytest.mark.parametrize(
    ("entity", "changes", "field", "message"),
    [
        ("driver", {"email_address": "not-an-address"}, "email_address", "Invalid email address"),
        ("driver", {"passport_expiry_date": "31-03-2031"}, "passport_expiry_date", NOT_A_DATE),
        ("driver", {"driving_license_expiry": "2031-02-30"}, "driving_license_expiry", NOT_A_DATE),
        ("driver", {"name": 7}, "name", "Must be text"),
        ("driver", {"swift_code": "x" * 501}, "swift_code", "Must be at most 500 characters"),
        ("driver", {"id": "add"}, "id", "This id is reserved"),
        ("driver", {"nickname": "R"}, "nickname", "This field is not known"),
        ("trailer", {"axles": "three"}, "axles", "Must be a number"),
        ("trailer", {"axles": True}, "axles", "Must be a number"),
        ("trailer", {"id": "TRL-1"}, "id", "The id is given by the server"),
        ("trailer", {"data": []}, "data", "Must be a JSON object"),
        ("horse", {"metadata": "{}"}, "metadata", "Must be a JSON object"),
        ("location", {"lat": 90.01}, "lat", "Latitude must be between -90 and 90"),
        ("location", {"lat": "12"}, "lat", "Latitude must be between -90 and 90"),
        ("location", {"longitude": -180.5}, "longitude", "Longitude must be between -180 and 180"),
        ("location", {"location_type": "PORT"}, "location_type", NOT_A_TYPE),
        ("location", {"attributes": {"zip": "1"}}, "attributes.zip", "This field is not known"),
        ("location", {"attributes": 3}, "attributes", "Must be a JSON object"),
    ],
)  # fmt: skip
async def test_broken_rule_is_reported_with_its_field(
    client: httpx.AsyncClient, entity: str, changes: dict[str, Any], field: str, message: str
) -> None:
    answer = await client.post(path_of(entity), json=new_body(entity, **changes))

    assert answer.status_code == 422
    (error,) = answer.json()["validation_errors"]
    assert (error["field"], error["message"]) == (field, message)


@pytest.mark.parametrize("bad_id", ["-a", ".a", "a b", "a/b", "x" * 65, "é", "a\n", 7, ["a"], "edit"])
async def test_invalid_id_is_refused(client: httpx.AsyncClient, bad_id: Any) -> None:
    answer = await client.post(path_of("driver"), json=new_body("driver", id=bad_id))

    assert answer.status_code == 422
    assert [error["field"] for error in answer.json()["validation_errors"]] == ["id"]


async def test_an_employee_number_in_use_is_a_conflict(client: httpx.AsyncClient) -> None:
    body = new_body("driver")
    await client.post(path_of("driver"), json=body)

    answer = await client.post(path_of("driver"), json={**body, "name": "Another driver"})

    assert answer.status_code == 409
    (error,) = answer.json()["validation_errors"]
    assert error == {"field": "id", "message": "This employee number is already in use", "pointer": "#/id"}


@pytest.mark.parametrize("given", [{}, {"id": None}, {"id": ""}])
async def test_a_horse_without_an_id_gets_one(client: httpx.AsyncClient, given: dict[str, Any]) -> None:
    answer = await client.post(path_of("horse"), json={**new_body("horse"), **given})

    assert answer.status_code == 201
    assert answer.json()["id"].startswith("HRS-")


async def test_a_horse_may_be_given_an_id(client: httpx.AsyncClient) -> None:
    answer = await client.post(path_of("horse"), json=new_body("horse", id="MH-12.A_1"))

    assert answer.json()["id"] == "MH-12.A_1"


async def test_times_are_the_servers_own(client: httpx.AsyncClient) -> None:
    sent = {"created_at": "1999-01-01T00:00:00Z", "updated_at": {"any": "thing"}}
    answer = await client.post(path_of("horse"), json=new_body("horse", **sent))

    record = answer.json()
    assert record["created_at"] == record["updated_at"]
    assert not record["created_at"].startswith("1999")


async def test_trailer_numbers_may_be_text_and_blank_text_is_null(client: httpx.AsyncClient) -> None:
    body = new_body("trailer", capacity_tons="40.5", axles=" 3 ", no_of_tyres="", purchase_date="")
    record = (await client.post(path_of("trailer"), json=body)).json()["trailer_by_pk"]

    assert (record["capacity_tons"], record["axles"]) == (40.5, 3)
    assert (record["no_of_tyres"], record["purchase_date"]) == (None, None)


@pytest.mark.parametrize("entity", ["horse", "trailer"])
async def test_free_json_keeps_any_key(client: httpx.AsyncClient, entity: str) -> None:
    field = {"horse": "metadata", "trailer": "data"}[entity]
    value = {"_type_": "x", "_data_": 1, "__class__": "y", "$ref": "#", "": [True, 1, 1.5, None, "₹ 😀"]}
    answer = await client.post(path_of(entity), json=new_body(entity, **{field: value}))

    assert unwrap(entity, answer.json())[field] == value


async def test_free_json_may_be_nested_32_levels_deep_and_no_deeper(client: httpx.AsyncClient) -> None:
    def nested(levels: int) -> dict[str, Any]:
        return {} if levels == 1 else {"a": nested(levels - 1)}

    kept = await client.post(path_of("horse"), json=new_body("horse", metadata=nested(32)))
    refused = await client.post(path_of("horse"), json=new_body("horse", metadata=nested(33)))

    assert kept.status_code == 201
    assert refused.status_code == 422
    assert refused.json()["validation_errors"][0]["field"] == "metadata"


@pytest.mark.parametrize("key", ["", "a b", "x" * 256, "é"])
async def test_a_malformed_key_is_refused(client: httpx.AsyncClient, key: str) -> None:
    headers = [(b"Idempotency-Key", key.encode())]
    answer = await client.post(path_of("trailer"), json=new_body("trailer"), headers=headers)

    assert answer.status_code == 400
