"""Structured logs, without personal data: JSON for machines, readable lines on a terminal."""

import json
import logging
import sys
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from functools import cache
from types import MappingProxyType
from typing import Any, Final, Literal

import structlog

LogFormat = Literal["auto", "json", "console"]

LOG_CONTEXT: Final[ContextVar[Mapping[str, str]]] = ContextVar("log_context", default=MappingProxyType({}))
"""What every line tells of what is being done, such as a request's id."""


def configure_logging(service: str, log_format: LogFormat = "auto") -> None:
    """Send structlog's and the standard library's records to stderr in one format.

    Args:
        service: name that every record carries.
        log_format: `json`, `console`, or `auto`, which is `console` on a terminal and `json` elsewhere.
    """
    readable = log_format == "console" or (log_format == "auto" and sys.stderr.isatty())
    shared: list[structlog.typing.Processor] = [
        _add_context,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        lambda _logger, _method, event: {**event, "service": service},
    ]
    renderer: list[structlog.typing.Processor] = (
        [structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)]
        if readable
        # Without local variables, as on a terminal: they hold what clients sent.
        else [
            structlog.processors.ExceptionRenderer(
                structlog.tracebacks.ExceptionDictTransformer(show_locals=False)
            ),
            structlog.processors.JSONRenderer(_to_json),
        ]
    )
    structlog.configure(
        # Straight to the stream: by way of the standard library's records, a line takes four times as long.
        processors=[*shared, *renderer],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        logger_factory=structlog.WriteLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *renderer],
        )
    )
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(logging.INFO)
    # Requests are logged once, by our own middleware; httpx would log addresses with their queries.
    for noisy in ("uvicorn.access", "uvicorn.error", "httpx", "psycopg.pool"):
        logging.getLogger(noisy).setLevel(logging.WARNING)


def _add_context(
    _logger: object, _method: str, event: structlog.typing.EventDict
) -> structlog.typing.EventDict:
    for name, value in LOG_CONTEXT.get().items():
        event.setdefault(name, value)
    return event


def _to_json(event: structlog.typing.EventDict, default: Callable[[Any], Any]) -> str:
    return _encoder(default).encode(event)


@cache
def _encoder(default: Callable[[Any], Any]) -> json.JSONEncoder:
    return json.JSONEncoder(default=default)
