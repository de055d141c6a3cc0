"""`python -m command_api`: serve the command API; `… sign-out SUBJECT`: revoke a user's tokens."""

import sys

from command_api.app import build_app
from command_api.domain.uniqueness import unknown_fields
from command_api.sign_outs import sign_out
from ops.base.encryption.settings import require_key_store
from ops.base.http.server import serve
from ops.base.observability.telemetry import configure_logging
from ops.base.settings import PREFIX, ServiceSettings


def main() -> int | str:
    """Serve until SIGINT or SIGTERM, or execute `sign-out`."""
    settings = ServiceSettings.load()
    configure_logging("command-api", settings.log_format)
    if sys.argv[1:2] == ["sign-out"]:
        return sign_out(settings, sys.argv[2:])
    require_key_store()
    if unknown := unknown_fields({*settings.duplicates_allowed} - {"all"}):
        return f"{PREFIX}DUPLICATES_ALLOWED: {unknown[0]} is not a unique field (ops/docs/product.md)"
    serve(build_app(settings), settings)
    return 0


if __name__ == "__main__":
    sys.exit(main())
