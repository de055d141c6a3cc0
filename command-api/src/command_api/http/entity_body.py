"""From a request's JSON to an id and validated details, or to every error at once."""

from collections.abc import Iterable
from typing import Annotated, Any, Final

from pydantic import BaseModel
from pydantic import ValidationError as PydanticError
from pydantic_core import ErrorDetails

from command_api.domain.definition import Definition, Details
from command_api.domain.rules import NUMBER_TOO_GREAT, Rule, VersionNumber, has_number_beyond_max
from ops.base.http.problems import ValidationError, validation_failed
from ops.base.records.entities import RESERVED_IDS, is_id
from ops.base.records.masks import MASKED

_SERVER_FIELDS: Final = ("created_at", "updated_at")
_LONGEST_NAME_SHOWN: Final = 64
_MOST_ERRORS: Final = 100

INVALID_ID: Final = (
    "Use 1 to 64 letters, digits, dots, underscores or dashes, beginning with a letter or a digit"
)


class Restoration(Details):
    """To which version an entity is to be brought back."""

    version: Annotated[int, VersionNumber()]


def is_valid_id(entity_id: str) -> bool:
    """Tell whether an entity may have this id."""
    return is_id(entity_id) and entity_id not in RESERVED_IDS


def read_new(definition: Definition, body: dict[str, Any]) -> tuple[str | None, dict[str, Any]]:
    """Read what a client wants to register.

    Returns:
        The id it gives, or None where the server is to make one; and the details.

    Raises:
        Problem: 422 with every broken rule.
    """
    entity_id = body.get("id")
    if isinstance(entity_id, str) and not entity_id.strip():
        entity_id = None
    return entity_id, _read_details(definition.details, body, _check_new_id(definition, entity_id))


def read_changed(
    definition: Definition, body: dict[str, Any], *, path_id: str, masked: bool
) -> dict[str, Any]:
    """Read what a client wants an entity to be.

    Args:
        definition: the entity's type.
        body: the request's JSON.
        path_id: the entity's id.
        masked: whether the client may not see personal data. Then all of that is left out, or null, as it was
            shown; what is not returned stays as it is.

    Raises:
        Problem: 422 with every broken rule; one is that the body's id, if it has one, is the path's.
    """
    matches = body.get("id") is None or body["id"] == path_id
    details = definition.harmless_details if masked else definition.details
    if masked:
        shown = {MASKED, *definition.entity_type.personal}
        body = {name: value for name, value in body.items() if name not in shown}
    return _read_details(details, body, None if matches else "The id cannot be changed")


def gives_personal_data(definition: Definition, body: dict[str, Any]) -> bool:
    """Tell whether a client wants personal data to be something."""
    return any(body.get(name) is not None for name in definition.entity_type.personal)


def read_restored_version(body: dict[str, Any]) -> int:
    """Read to which version a client wants an entity to be brought back.

    Raises:
        Problem: 422 with every broken rule.
    """
    version: int = read_details(Restoration, body)["version"]
    return version


def _check_new_id(definition: Definition, entity_id: Any) -> str | None:
    if entity_id is None:
        return definition.given_id_required
    if not definition.id_may_be_given:
        return "The id is given by the server"
    if not isinstance(entity_id, str) or not is_id(entity_id):
        return INVALID_ID
    return "This id is reserved" if entity_id in RESERVED_IDS else None


def _read_details(details: type[Details], body: dict[str, Any], id_error: str | None) -> dict[str, Any]:
    errors = [] if id_error is None else [ValidationError.at("id", message=id_error)]
    rest = dict(body)
    rest.pop("id", None)
    errors += [
        ValidationError.at(name, message=NUMBER_TOO_GREAT)
        for name in _SERVER_FIELDS
        if has_number_beyond_max(rest.pop(name, None))
    ]
    return read_details(details, rest, errors)


def read_details(
    model: type[Details], body: dict[str, Any], errors: Iterable[ValidationError] = ()
) -> dict[str, Any]:
    """Read what a client sends.

    Args:
        model: what it must be.
        body: what was sent.
        errors: what is wrong with it already.

    Raises:
        Problem: 422 with every broken rule.
    """
    errors = list(errors)
    details: dict[str, Any] = {}
    try:
        details = model.model_validate(body).model_dump()
    except PydanticError as error:
        found = error.errors(include_url=False, include_context=False, include_input=False)
        errors += [_translate(model, item) for item in found[:_MOST_ERRORS]]
    if errors:
        raise validation_failed(errors)
    return details


def _translate(details: type[BaseModel], error: ErrorDetails) -> ValidationError:
    path = tuple(part[:_LONGEST_NAME_SHOWN] if isinstance(part, str) else part for part in error["loc"])
    match error["type"]:
        case "missing":
            message = _required_message(details, str(path[0]))
        case "extra_forbidden":
            message = "This field is not known"
        case "rule":
            message = error["msg"]
        case "model_type" | "model_attributes_type" | "dict_type":
            message = "Must be a JSON object"
        case _:
            message = "This value is not valid"
    return ValidationError.at(*path, message=message)


def _required_message(details: type[BaseModel], name: str) -> str:
    field = details.model_fields[name]
    rules = (mark for mark in field.metadata if isinstance(mark, Rule))
    return next((rule.required for rule in rules if rule.required), "This field is required")
