"""Ray itself: whether it is there, and the connection to a cluster."""

from __future__ import annotations

import contextlib
import os
import platform
from collections.abc import Iterator
from typing import Any

from lucena.errors import Error


class NoRayError(Error, ImportError):
    """Ray is not installed here."""


def the_ray() -> Any:
    """Ray, if it is installed."""
    try:
        import ray
    except ImportError:
        python = platform.python_version()
        raise NoRayError(
            f"Ray is not installed for this Python ({python}): pip install 'lucena[ray]'. Where Ray has no wheel "
            "for it, everything but lucena.ray works, and 'lucena train' trains on one machine"
        ) from None
    return ray


@contextlib.contextmanager
def connected(address: str | None) -> Iterator[Any]:
    """Ray, connected to the cluster of an address (``auto`` finds the one on this machine) or, without one, to
    a Ray of its own on this machine. What was connected before stays so."""
    ray = the_ray()
    if ray.is_initialized():
        yield ray
        return
    # Ray would rather set its accelerators' variables to nothing than leave them alone, and warns of it.
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    ray.init(address=address, log_to_driver=False, configure_logging=True, logging_level="warning")
    try:
        yield ray
    finally:
        ray.shutdown()
