"""`python -m command_api`: serve the command API."""

from command_api.app import build_app
from ops.base.http import serve
from ops.base.settings import ServiceSettings
from ops.base.telemetry import configure_logging


def main() -> None:
    """Serve until SIGINT or SIGTERM."""
    settings = ServiceSettings.load()
    configure_logging("command-api", settings.log_format)
    serve(build_app(settings), settings)


if __name__ == "__main__":
    main()
