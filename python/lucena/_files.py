"""Files that are complete or not there."""

from __future__ import annotations

import os
import tempfile


def write(path: str | os.PathLike[str], data: bytes) -> None:
    """Writes beside the file, syncs, and renames."""
    path = os.fspath(path)
    descriptor, part = tempfile.mkstemp(dir=os.path.dirname(path) or ".")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        # As any other new file would be: mkstemp keeps it from everybody else.
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(part, 0o666 & ~umask)
        os.replace(part, path)
    except BaseException:
        os.unlink(part)
        raise
