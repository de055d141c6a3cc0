"""`./fleetlog lint`: format, lint, type-check, and check the import rules, Python and TypeScript."""

import argparse
import os
import subprocess
import sys
from pathlib import Path
from typing import Final

from ops.development.suites import PYTHON_TESTS
from ops.launcher.bootstrap import PACKAGES
from ops.launcher.frontend.build import ensure_installed
from ops.launcher.frontend.node import NODE, npm_command, npm_environment
from ops.launcher.paths import FRONTEND, PROJECT

_VERIFIER: Final = PROJECT / "ops" / "verifier"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument(
        "--check",
        action="store_true",
        default=os.environ.get("CI") == "true",
        help="report wrong formatting instead of correcting it (default in CI)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Run all checks, even if one fails."""
    tools = Path(sys.executable).parent
    check = ["--check"] if arguments.check else []
    sources = [f"{package}/src" for package in PACKAGES]
    steps: list[tuple[str, list[str | Path]]] = [
        ("format", [tools / "ruff", "format", *check, "."]),
        ("lint", [tools / "ruff", "check", *([] if check else ["--fix"]), "."]),
        ("types", [tools / "mypy", *sources, *PYTHON_TESTS]),
        ("imports", [tools / "lint-imports"]),
    ]
    failed = [name for name, command in steps if not _passes(name, [str(word) for word in command], PROJECT)]
    ensure_installed()
    if not _wire_types_current(check):
        failed.append("wire types")
    biome = str(FRONTEND / "node_modules" / "@biomejs" / "biome" / "bin" / "biome")
    for name, command, folder in (
        ("frontend lint", npm_command("run", "lint"), FRONTEND),
        ("frontend types", npm_command("run", "typecheck"), FRONTEND),
        ("verifier lint", [NODE, biome, "check", "--error-on-warnings", "."], _VERIFIER),
    ):
        if not _passes(name, command, folder):
            failed.append(name)
    print(f"lint: {'failed: ' + ', '.join(failed) if failed else 'all passed'}")
    return 1 if failed else 0


def _wire_types_current(check: list[str]) -> bool:
    """Generate the frontend's types of the APIs' answers; with `--check`, compare them."""
    print("== wire types", flush=True)
    documents = [sys.executable, "-P", "-m", "ops.testing.openapi"]
    printed = subprocess.run(documents, cwd=PROJECT, stdout=subprocess.PIPE, check=False)
    command = npm_command("run", "--silent", "wire-types", "--", *check)
    made = subprocess.run(command, cwd=FRONTEND, env=npm_environment(), input=printed.stdout, check=False)
    return printed.returncode == 0 and made.returncode == 0


def _passes(name: str, command: list[str], folder: Path) -> bool:
    print(f"== {name}", flush=True)
    return subprocess.run(command, cwd=folder, env=npm_environment(), check=False).returncode == 0
