"""`python -m ops.testing.openapi`: print both APIs' OpenAPI documents, as a JSON array."""

import json

import command_api.app
import query_api.app
from ops.base.settings import ServiceSettings


def main() -> None:
    """Print them."""
    settings = ServiceSettings.model_validate({"database": "", "issuer": "http://i/", "audience": "a"})
    print(json.dumps([app.build_app(settings).openapi() for app in (command_api.app, query_api.app)]))


if __name__ == "__main__":
    main()
