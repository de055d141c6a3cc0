"""The workers that project events into read tables and publish them."""

import ops.base.observability.plain_structlog  # noqa: F401 - before any module imports structlog
