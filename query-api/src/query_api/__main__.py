"""`python -m query_api`: serve the query API."""

from ops.base.http import serve
from ops.base.telemetry import configure_logging
from query_api.app import build_app
from query_api.settings import QuerySettings


def main() -> None:
    """Serve until SIGINT or SIGTERM."""
    settings = QuerySettings.load()
    configure_logging("query-api", settings.log_format)
    serve(build_app(settings, replica=settings.replica), settings)


if __name__ == "__main__":
    main()
