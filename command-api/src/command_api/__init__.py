"""The write side: commands over HTTP become events in the append-only log."""

import ops.base.observability.plain_structlog  # noqa: F401 - before any module imports structlog
