"""The sealed copy of an instance's log, and how it takes the place of what was in the clear."""

import shutil
from pathlib import Path

from ops.base.files import to_disk
from ops.launcher.instance.data_folder import DataFolder
from ops.launcher.instance.files import write_private
from ops.launcher.postgres.cluster import Cluster


class SealedCopy:
    """A cluster and a folder of seals beside those that are in use.

    Attributes:
        cluster: the copy's.
        seals: the copy's.
        former: where the cluster in the clear is, once the copy has taken its place.
    """

    def __init__(self, folder: DataFolder, cluster: Cluster) -> None:
        """Describe it.

        Args:
            folder: the instance's data folder.
            cluster: the instance's.
        """
        self.cluster = Cluster(cluster.folder / "sealed", cluster.binaries, cluster.account)
        self.seals = folder.audit / "seals-of-copy"
        self.former = cluster.folder / "in-the-clear"
        self._used, self._used_seals = cluster, folder.seals
        self._is_whole = folder.path / "copy-is-whole"

    def begin(self) -> None:
        """Remove what an interrupted attempt has left; the copy's seals begin as the log's."""
        self.cluster.let_server_end()
        self._remove()
        shutil.copytree(self._used_seals, self.seals)

    def finish(self) -> None:
        """Put the copy in the place of what is in the clear: from here on it is the log, whatever happens."""
        write_private(self._is_whole, "", durable=True)
        self.take_over()

    def take_over(self) -> None:
        """Go on where `finish` was interrupted, if it was."""
        if not self._is_whole.exists():
            return
        if self.cluster.data.exists():
            if self._used.data.exists():
                _move(self._used.data, self.former)
            _move(self.cluster.data, self._used.data)
        if self.seals.exists():  # which hold the former ones, put aside
            shutil.rmtree(self._used_seals, ignore_errors=True)
            _move(self.seals, self._used_seals)
        self._remove()
        self._is_whole.unlink()

    def _remove(self) -> None:
        for left in (self.cluster.folder, self.seals):
            if left.exists():
                shutil.rmtree(left)


def _move(path: Path, to: Path) -> None:
    path.rename(to)
    to_disk(to.parent)
