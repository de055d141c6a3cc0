"""Commands for operators, in either topology."""

import contextlib
import shlex
from dataclasses import dataclass

from ops.base.checks.registry import Check
from ops.launcher.errors import LauncherError
from ops.launcher.instance.data_folder import DataFolder
from ops.launcher.instance.record import read_record
from ops.launcher.paths import DEFAULT_DATA
from ops.launcher.postgres.binaries import named_or_wheel
from ops.launcher.postgres.cluster import SUPERUSER
from ops.launcher.postgres.embedded import DATABASE


@dataclass(frozen=True)
class Commands:
    """Command lines by purpose; `log`, `rebuild` and `psql` are completed by `line`."""

    start: str
    stop: str
    status: str
    migrate: str
    projections: str
    retry: str
    rebuild: str
    verify: str
    accept: str
    accept_moment: str
    backup: str
    key_backup: str
    log: str
    psql: str

    def log_of(self, service: str) -> str:
        """Return the command that shows the end of a service's log."""
        return self.log.replace("SERVICE", service)

    def sql(self, statement: str) -> str:
        """Return the command that executes a statement as the database's owner."""
        return f"{self.psql} -c {shlex.quote(statement)}"

    def line(self, text: str) -> str:
        """Return a command for `LOG service`, `REBUILD projection`, `SQL statement` or a field's name."""
        kind, _, rest = text.partition(" ")
        if kind == "LOG":
            return self.log_of(rest)
        if kind == "REBUILD":
            return self.rebuild.replace("NAME", rest)
        if kind == "SQL":
            statement, mark, comment = rest.partition("  #")
            return f"{self.sql(statement)}{mark}{comment}"
        return str(getattr(self, text, text))

    def fix(self, check: Check) -> tuple[str, ...]:
        """Return the commands that fix a failing check of the registry."""
        return tuple(map(self.line, check.fix))


def on_machine(folder: DataFolder) -> Commands:
    """Return the commands of `./fleetlog` on one machine."""
    data = "" if folder.path == DEFAULT_DATA else f" --data {shlex.quote(str(folder.path))}"
    return Commands(
        start=f"./fleetlog up{data}",
        stop=f"./fleetlog down{data}",
        status=f"./fleetlog status{data}",
        migrate=f"./fleetlog down{data} && ./fleetlog up{data}",
        projections=f"./fleetlog projections status{data}",
        retry=f"./fleetlog projections retry{data}",
        rebuild=f"./fleetlog projections rebuild NAME --check{data}",
        verify=f"./fleetlog audit verify{data}",
        accept=f"./fleetlog restore accept{data}",
        accept_moment=f"./fleetlog restore accept --moment{data}",
        backup=f"./fleetlog backup{data}",
        key_backup=f"./fleetlog backup{data} --help",
        log=f"tail -n 20 {shlex.quote(str(folder.logs))}/SERVICE.log",
        psql=_psql(folder),
    )


def _psql(folder: DataFolder) -> str:
    """Return psql as the owner of the embedded database, or with a placeholder for another server."""
    record = read_record(folder)
    if record is None or "postgres" not in record.processes:
        return 'psql "$FLEETLOG_DATABASE"'
    program = "psql"
    with contextlib.suppress(LauncherError):
        program = shlex.quote(str(named_or_wheel() / "psql"))
    read = shlex.quote(f'import json; print(json.load(open("{folder.secrets}"))["superuser"])')
    port = record.processes["postgres"].port
    return f"PGPASSWORD=$(python3 -c {read}) {program} -h 127.0.0.1 -p {port} -U {SUPERUSER} {DATABASE}"


_WORKER = "docker compose exec worker python -m projections"
_ACCEPT = "docker compose run --rm accept python -m ops.launcher.backups"
IN_CONTAINERS = Commands(
    start="docker compose up --detach",
    stop="docker compose down",
    status="docker compose ps",
    migrate="docker compose run --rm migrate",
    projections=f"{_WORKER} status",
    retry=f"{_WORKER} retry",
    rebuild=f"{_WORKER} rebuild NAME --check",
    verify=f"{_WORKER} verify",
    accept=_ACCEPT,
    accept_moment=f"{_ACCEPT} --moment",
    backup="docker compose logs --tail 20 backups",
    key_backup="docker compose logs --tail 20 key-backups",
    log="docker compose logs --tail 20 SERVICE",
    psql='docker compose exec -e PGPASSWORD="$(cat secrets/owner-password)" postgres'
    " psql -h 127.0.0.1 -U fleetlog fleetlog",
)
