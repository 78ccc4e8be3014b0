"""Folders of runs, on a path that all machines share or behind a URL of fsspec's."""

from __future__ import annotations

import os
import tempfile
from typing import Any


class Folder:
    """A run's folder. Behind a URL the work is done on a copy: :meth:`pull` brings it, :meth:`push` takes back
    what is new, the files that make it a run last."""

    def __init__(self, where: str | os.PathLike[str]) -> None:
        self.where = os.fspath(where)
        self._system: Any = None
        self._pushed: dict[str, tuple[int, int]] = {}
        if not self.is_remote(self.where):
            self.path = os.path.abspath(self.where)
            return
        import fsspec

        self._system, self._root = fsspec.core.url_to_fs(self.where)
        self._copy = tempfile.TemporaryDirectory(prefix="lucena-run-")
        self.path = os.path.join(self._copy.name, self._root.rstrip("/").rsplit("/", 1)[-1] or "run")

    def __enter__(self) -> Folder:
        return self

    def __exit__(self, *_: object) -> None:
        if self._system is not None:
            self._copy.cleanup()

    @staticmethod
    def is_remote(where: str | os.PathLike[str]) -> bool:
        """Is it a URL?"""
        return "://" in os.fspath(where)

    def holds_run(self) -> bool:
        """Is there a run, as far as has been pulled?"""
        return os.path.exists(os.path.join(self.path, "run.toml"))

    def pull(self) -> None:
        """Brings what there is behind the URL."""
        if self._system is None or not self._system.exists(self._root):
            return
        for remote in self._system.find(self._root):
            name = remote[len(self._root) :].lstrip("/")
            if name == "lock" or ".." in name.split("/"):
                continue
            local = os.path.join(self.path, *name.split("/"))
            os.makedirs(os.path.dirname(local), exist_ok=True)
            self._system.get_file(remote, local)
            self._pushed[name] = self._state(local)

    def push(self) -> None:
        """Takes back what has changed, and removes what is no longer there."""
        if self._system is None:
            return
        names = {}
        for folder, _, files in os.walk(self.path):
            for file in files:
                local = os.path.join(folder, file)
                name = os.path.relpath(local, self.path).replace(os.sep, "/")
                # Files under way begin with a dot.
                if name != "lock" and not file.startswith("."):
                    names[name] = local
        # Checkpoints first: what names them comes when they are there.
        for name in sorted(names, key=lambda name: (not name.startswith("checkpoints/"), name)):
            state = self._state(names[name])
            if self._pushed.get(name) != state:
                remote = f"{self._root}/{name}"
                self._system.makedirs(remote.rsplit("/", 1)[0], exist_ok=True)
                self._system.put_file(names[name], remote)
                self._pushed[name] = state
        for name in set(self._pushed) - set(names):
            del self._pushed[name]
            remote = f"{self._root}/{name}"
            if self._system.exists(remote):
                self._system.rm_file(remote)

    @staticmethod
    def _state(path: str) -> tuple[int, int]:
        found = os.stat(path)
        return found.st_size, found.st_mtime_ns
