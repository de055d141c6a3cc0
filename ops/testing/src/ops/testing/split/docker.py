"""A `docker` program for shells that runs `docker compose …` in the stand-in for an engine.

Unknown options and services, and `exec` in a service that does not run, are refused. Commands that start or
stop services, such as `up`, do nothing.
"""

import argparse
import sys
import threading
from collections.abc import Mapping, Sequence
from multiprocessing.connection import Listener
from pathlib import Path
from typing import Final, NoReturn

from ops.testing.split.engine import Engine

Answer = str | tuple[list[str], dict[str, str]]
"""An error, or a command line and its environment."""

_PROGRAM: Final = """\
#!{python} -SP
import os, sys
from multiprocessing.connection import Client
with Client({address!r}) as engine:
    engine.send((sys.argv[1:], dict(os.environ)))
    answer = engine.recv()
if isinstance(answer, str):
    sys.exit(answer)
os.chdir("/")
os.execve(answer[0][0], *answer)
"""
_OPTIONS: Final[Mapping[str, Sequence[str]]] = {
    "build": (),
    "config": (),
    "down": (),
    "exec": ("-T", "--no-TTY", "-e="),
    "ps": ("--all", "--quiet"),
    "pull": (),
    "run": ("--rm", "--no-deps", "-T", "-e="),
    "up": ("--detach", "--no-deps", "--no-start", "--wait"),
}
"""The options that handbooks and scripts use, by command; `=`: with a value."""
_INSIDE: Final = ("exec", "run")


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise ValueError(message)


class DockerProgram:
    """The program, in a folder for a shell's PATH.

    Attributes:
        more: further variables of a service's commands, by service.
        is_down: whether all services count as stopped.
    """

    def __init__(self, engine: Engine, folder: Path) -> None:
        """Create the program; `close` ends its thread."""
        self.folder = folder
        self.more: dict[str, dict[str, str]] = {}
        self.is_down = False
        self._engine = engine
        address = str(folder / "engine")
        self._listener = Listener(address, backlog=16)
        program = folder / "docker"
        program.write_text(_PROGRAM.format(python=sys.executable, address=address))
        program.chmod(0o755)
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self) -> None:
        self._listener.close()

    def _serve(self) -> None:
        while True:
            try:
                with self._listener.accept() as shell:
                    shell.send(self._answered(*shell.recv()))
            except OSError:
                return

    def _answered(self, words: list[str], environment: dict[str, str]) -> Answer:
        try:
            return self._compose(words, environment)
        except ValueError as error:
            return f"docker {' '.join(words)}: {error}"

    def _compose(self, words: list[str], environment: dict[str, str]) -> Answer:
        name = words[1] if words[:1] == ["compose"] and len(words) > 1 else ""
        if name not in _OPTIONS:
            raise ValueError("this command needs a container engine")
        parser = _Parser(prog=name, add_help=False, allow_abbrev=False)
        for option in _OPTIONS[name]:
            flag, value, _ = option.partition("=")
            parser.add_argument(flag, action="append" if value else "store_true", dest=flag.strip("-"))
        parser.add_argument("services", nargs=1 if name in _INSIDE else "*")
        parser.add_argument("command", nargs=argparse.REMAINDER)
        arguments = parser.parse_args(words[2:])
        if unknown := {*arguments.services} - self._engine.compose.services.keys():
            raise ValueError(f"no such service: {min(unknown)}")
        if name in _INSIDE:
            return self._inside(arguments, environment, is_running=name == "exec")
        if name == "ps":
            return self._ps(arguments)
        return _printing("name: fleetlog\n" if name == "config" else "")

    def _inside(
        self, arguments: argparse.Namespace, environment: Mapping[str, str], *, is_running: bool
    ) -> Answer:
        (service,) = arguments.services
        if is_running and (self.is_down or not self._engine.first(service).is_running):
            raise ValueError(f'service "{service}" is not running')
        words = arguments.command or self._engine.compose.services[service].command
        command, own = self._engine.inside(service, words)
        passed_on = {name: environment[name] for name in arguments.e or () if name in environment}
        return command, {"PATH": "/usr/bin:/bin", **own, **passed_on, **self.more.get(service, {})}

    def _ps(self, arguments: argparse.Namespace) -> Answer:
        names = [] if self.is_down else list(self._engine.containers)
        wanted = [
            name for name in names if not arguments.services or name.rpartition("-")[0] in arguments.services
        ]
        return _printing("".join(f"{name}\n" for name in wanted))


def _printing(text: str) -> Answer:
    return ["/usr/bin/printf", "%s", text], {}
