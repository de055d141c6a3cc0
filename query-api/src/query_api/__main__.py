"""`python -m query_api`: run the query API.

`python -m query_api held ENTITY:ID [--html]` prints the data held about a record or user.
"""

import argparse
import asyncio
import json
import sys
from collections.abc import Sequence

from ops.base.encryption.key_cache import KEYS
from ops.base.http.server import serve
from ops.base.observability.telemetry import configure_logging
from ops.base.records.entities import ACTOR, entity_type, is_id
from ops.base.settings import ServiceSettings
from query_api.app import build_app
from query_api.database.readers import open_readers
from query_api.privacy.actors import report_on_actor
from query_api.privacy.page import page_of, page_of_actor
from query_api.privacy.report import report_on
from query_api.settings import QuerySettings


def main() -> int:
    """Serve until SIGINT or SIGTERM, or print a report."""
    settings = QuerySettings.load()
    if sys.argv[1:2] == ["held"]:
        return asyncio.run(print_report(settings, sys.argv[2:]))
    configure_logging("query-api", settings.log_format)
    serve(build_app(settings, replica=settings.replica), settings)
    return 0


async def print_report(settings: ServiceSettings, words: Sequence[str]) -> int:
    """Print a report and return the exit code: 1 if the record does not exist."""
    parser = argparse.ArgumentParser(prog="held")
    parser.add_argument("subject")
    parser.add_argument("--html", action="store_true")
    arguments = parser.parse_args(words)
    subject: str = arguments.subject
    name, _, entity_id = subject.partition(":")
    held = None
    if name == ACTOR.name or is_id(entity_id):
        dsn = settings.database.get_secret_value()
        async with KEYS.use(dsn=dsn), open_readers(dsn, address=settings.public_address) as readers:
            try:
                held = await (
                    report_on_actor(readers, entity_id)
                    if name == ACTOR.name
                    else report_on(entity_type(name), readers, entity_id)
                )
            except KeyError:
                held = None
    if held is None:
        print(
            f"No data was ever held about {subject}. Give a type and an id, such as driver:EMP-001.",
            file=sys.stderr,
        )
        return 1
    page = page_of_actor if name == ACTOR.name else page_of
    print(page(held) if arguments.html else json.dumps(held, ensure_ascii=False, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
