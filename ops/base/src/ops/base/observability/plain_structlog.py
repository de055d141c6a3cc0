"""structlog without rich: it takes that wherever it is installed, and 5 MB of every process with it."""

import sys

if "structlog" not in sys.modules and "rich" not in sys.modules:
    sys.modules["rich"] = None  # type: ignore[assignment]  # to the import system: there is none
    import structlog  # noqa: F401

    del sys.modules["rich"]
