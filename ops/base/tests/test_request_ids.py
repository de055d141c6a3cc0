"""Which of the ids that clients give to their requests are logged."""

import pytest
from starlette.types import Scope

from ops.base.http.request_context import client_request_id_of, logged_request_id_of

UUID = "6f9619ff-8b86-4d01-b42d-00c04fc964ff"


def scope(request_id: str) -> Scope:
    return {"headers": [(b"x-request-id", request_id.encode("latin-1"))]}


@pytest.mark.parametrize("given", [UUID, UUID.upper(), UUID.replace("-", ""), f"00-{'a' * 32}-{'b' * 16}-01"])
def test_ids_whose_form_excludes_personal_data_are_logged(given: str) -> None:
    assert logged_request_id_of(scope(given)) == given


@pytest.mark.parametrize(
    "given",
    [
        "ravi-kumar",
        "Kumar",
        "ravi.kumar:example.com",
        "919845012345",
        "00112233445566",
        "1234-5678-9012-3456",
        "a" * 31,
        "a" * 33,
        f"{UUID}:kumar",
        "",
        "caf\xe9",
    ],
)
def test_other_ids_are_not_logged(given: str) -> None:
    assert logged_request_id_of(scope(given)) is None


def test_encrypted_request_ids_may_have_any_valid_form() -> None:
    assert client_request_id_of(scope("ravi-kumar")) == "ravi-kumar"
