"""Published examples stay valid, and the current code produces the latest ones."""

import json
from pathlib import Path

import jsonschema
import pytest
from projections_testing.golden import examples, kept
from projections_testing.published import validator_of

from read_model.public_events.asyncapi import envelope_schema
from read_model.public_events.schemas import released_schemas

FILES = [path for paths in kept().values() for path in paths]


def is_state(type_name: str) -> bool:
    return ".state." in type_name


def test_every_released_type_has_an_example() -> None:
    assert {type_name for type_name, _ in kept()} == released_schemas().keys()


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_example_matches_its_schema(path: Path) -> None:
    type_name = path.parent.name
    reported = json.loads(path.read_text())
    if is_state(type_name):
        validator_of(type_name).validate(reported)
        return
    jsonschema.Draft202012Validator(envelope_schema()).validate(reported)
    assert reported["type"] == type_name
    assert reported["dataschema"] == f"https://fleet.example{released_schemas()[type_name]['$id']}"
    validator_of(type_name).validate(reported["data"])


def test_current_code_produces_the_latest_examples() -> None:
    """If not, and that is meant: `python -m projections_testing.golden` adds files; none may be changed."""
    made = examples()
    last = {key: paths[-1].read_text() for key, paths in kept().items()}
    assert made == {key: last.get(key) for key in made}


def test_discontinued_examples_have_older_versions() -> None:
    newest = {type_name.rpartition(".v")[0]: type_name for type_name, _ in examples()}
    for type_name, _ in kept().keys() - examples().keys():
        assert newest[type_name.rpartition(".v")[0]] != type_name
