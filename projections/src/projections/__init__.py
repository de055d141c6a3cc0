"""The workers: events become read tables."""

import ops.base.observability.plain_structlog  # noqa: F401 - before any module imports structlog
