"""Bodies of commands about a record are refused with the fields that are invalid."""

from typing import Any, Final

import httpx
import pytest
from command_api_testing.fleet import register

RESTORE, UNDO, ACKNOWLEDGE, DISMISS = "restore", "undo", "acknowledgements", "dismissals"
RESTRICT, ERASE = "restriction", "erasure"
LICENCE: Final = {"document": "licence"}


@pytest.mark.parametrize(
    ("command", "body", "fields"),
    [
        (RESTORE, {}, "version"),
        (RESTORE, {"version": 0}, "version"),
        (RESTORE, {"version": "1"}, "version"),
        (RESTORE, {"version": True}, "version"),
        (RESTORE, {"version": 1.0}, "version"),
        (RESTORE, {"version": None}, "version"),
        (RESTORE, {"version": 1, "name": "x"}, "name"),
        (RESTORE, {"names": []}, "version names"),
        (UNDO, {}, "version"),
        (UNDO, {"version": 0}, "version"),
        (UNDO, {"version": 1.0}, "version"),
        (UNDO, {"version": 9}, "version"),
        (UNDO, {"version": 1, "fields": []}, "fields"),
        (UNDO, {"version": 1, "keep": "city"}, "keep"),
        (UNDO, {"version": 1, "keep": [1]}, "keep.0"),
        (UNDO, {"version": 1, "keep": ["city", "id", "attributes.city"]}, "keep.1 keep.2"),
        (ACKNOWLEDGE, {}, "document"),
        (ACKNOWLEDGE, {"document": "visa"}, "document"),
        (ACKNOWLEDGE, {**LICENCE, "until": "2020-01-01"}, "until"),
        (ACKNOWLEDGE, {**LICENCE, "until": "tomorrow"}, "until"),
        (ACKNOWLEDGE, {**LICENCE, "name": "Ravi"}, "name"),
        (DISMISS, {"dismissed": True}, "other"),
        (DISMISS, {"other": "B 7", "dismissed": True}, "other"),
        (DISMISS, {"other": "B-7"}, "dismissed"),
        (DISMISS, {"other": "B-7", "dismissed": 1}, "dismissed"),
        (DISMISS, {"other": "B-7", "dismissed": True, "why": ""}, "why"),
        (RESTRICT, {}, "basis"),
        (RESTRICT, {"basis": "because"}, "basis"),
        (RESTRICT, {"basis": "asked", "due": "2020-01-01"}, "due"),
        (RESTRICT, {"basis": "asked", "due": "soon"}, "due"),
        (RESTRICT, {"basis": "asked", "more": 1}, "more"),
        (ERASE, {}, "confirm"),
        (ERASE, {"confirm": "EMP-OTHER"}, "confirm"),
    ],
)
async def test_invalid_body_is_refused_with_its_fields(
    client: httpx.AsyncClient, command: str, body: dict[str, Any], fields: str
) -> None:
    address, _ = await register(client, "driver")
    answer = await client.post(f"{address}/{command}", json=body)
    assert answer.status_code == 422
    assert [error["field"] for error in answer.json()["validation_errors"]] == fields.split()
