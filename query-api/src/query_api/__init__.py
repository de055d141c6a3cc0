"""The query API: read tables over HTTP."""

import ops.base.observability.plain_structlog  # noqa: F401 - before any module imports structlog
