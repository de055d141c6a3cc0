"""The OpenAPI document is complete and consistent."""

from typing import Any

import jsonschema
import pytest

from ops.base.settings import ServiceSettings
from query_api.app import build_app
from read_model.tables import ENTITY_TABLES


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    settings = ServiceSettings.model_validate({"database": "", "issuer": "http://i/", "audience": "a"})
    return build_app(settings).openapi()


INTERVALS = ("driver", "horse", "trailer", "location", "at", "until", "known_at", "names")
FREE = ("free_from", "free_until")
OWN = {"assignment": INTERVALS, "driver": FREE, "horse": FREE, "trailer": FREE}


def test_examples_of_list_parameters_are_valid(document: dict[str, Any]) -> None:
    for table in ENTITY_TABLES:
        listed = document["paths"][table.entity.path]["get"]
        asked = {one["name"]: one for one in listed["parameters"] if one["in"] == "query"}
        assert list(asked) == [
            "q",
            "q_in",
            "page",
            "size",
            "sort",
            "as_of",
            "whole_up_to",
            *OWN.get(table.entity.name, ()),
            *table.entity.filtered,
        ]
        for parameter in asked.values():
            assert not parameter["required"]
            assert parameter["schema"]["examples"]
            for example in parameter["schema"]["examples"]:
                jsonschema.validate(example, parameter["schema"])
