"""The development identity provider: Auth0's paths and behaviour on this machine, without passwords."""

import ops.base.observability.plain_structlog  # noqa: F401 - before any module imports structlog
