"""The key of the seals."""

from pathlib import Path

from ops.launcher.doctor.findings import Findings, well, wrong
from ops.launcher.errors import LauncherError
from ops.launcher.instance.sealing_key import PUBLIC_KEY, public_line, read_sealing_key


def sealing_key(key: Path, seals: Path) -> Findings:
    """Look at the key, and at the public one that outsiders have.

    Args:
        key: the private one; beside it may be the file with its public half.
        seals: what was signed with it, if there is anything.
    """
    public = key.with_name(PUBLIC_KEY)
    if not key.exists() and not seals.exists():
        yield well("there is no key yet, and nothing that was sealed")
    elif not key.exists():
        yield wrong(f"{key} is missing, and there are seals that it has signed", f"ls -l {key.parent}")
    else:
        try:
            line = public_line(read_sealing_key(key))
        except LauncherError as error:
            yield wrong(str(error), f"ls -l {key}")
            return
        if public.exists() and public.read_text("utf-8", errors="replace") != line:
            yield wrong(f"{public} is not the public half of {key.name}", f"ls -l {public.parent}")
        else:
            yield well("the key of the seals can be read")
