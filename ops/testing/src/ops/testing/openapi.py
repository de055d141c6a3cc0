"""`python -m ops.testing.openapi`: print the sources of the frontend's generated files as JSON."""

import json
from typing import Any

import command_api.app
import query_api.app
from command_api.domain.catalogue import DEFINITIONS
from command_api.domain.definition import Definition
from command_api.domain.schemas import field_declarations
from ops.base.settings import ServiceSettings
from read_model.matching.scores import READ


def main() -> None:
    """Print both APIs' OpenAPI documents, and the fields of each entity type."""
    settings = ServiceSettings.model_validate({"database": "", "issuer": "http://i/", "audience": "a"})
    documents = [app.build_app(settings).openapi() for app in (command_api.app, query_api.app)]
    entities = [
        {"noun": definition.name, "path": definition.base.path, "fields": _fields(definition)}
        for definition in DEFINITIONS.values()
    ]
    print(json.dumps({"documents": documents, "entities": entities}))


def _fields(definition: Definition) -> dict[str, dict[str, Any]]:
    """Return the declarations of an entity type's fields, with those that find possible duplicates."""
    compared = READ.get(definition.name, set())
    return {
        path: {**declared, **({"compared": True} if path in compared else {})}
        for path, declared in field_declarations(definition).items()
    }


if __name__ == "__main__":
    main()
