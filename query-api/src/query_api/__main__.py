"""`python -m query_api`: serve the query API; `… held SUBJECT`: print the data held about a record."""

import sys

from ops.base.http.server import serve
from ops.base.observability.telemetry import configure_logging
from query_api.app import build_app
from query_api.privacy.command import print_report
from query_api.settings import QuerySettings


def main() -> int:
    """Serve until SIGINT or SIGTERM, or print a report."""
    settings = QuerySettings.load()
    if sys.argv[1:2] == ["held"]:
        return print_report(settings, sys.argv[2:])
    configure_logging("query-api", settings.log_format)
    serve(build_app(settings, replica=settings.replica), settings)
    return 0


if __name__ == "__main__":
    sys.exit(main())
