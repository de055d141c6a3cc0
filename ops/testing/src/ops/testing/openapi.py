"""`python -m ops.testing.openapi`: print the sources of the frontend's generated files as JSON."""

import json

import command_api.app
import query_api.app
from command_api.domain.catalogue import DEFINITIONS
from command_api.domain.schemas import field_declarations
from ops.base.settings import ServiceSettings


def main() -> None:
    """Print both APIs' OpenAPI documents, and the fields of each entity type."""
    settings = ServiceSettings.model_validate({"database": "", "issuer": "http://i/", "audience": "a"})
    documents = [app.build_app(settings).openapi() for app in (command_api.app, query_api.app)]
    entities = [
        {"noun": definition.name, "path": definition.base.path, "fields": field_declarations(definition)}
        for definition in DEFINITIONS.values()
    ]
    print(json.dumps({"documents": documents, "entities": entities}))


if __name__ == "__main__":
    main()
