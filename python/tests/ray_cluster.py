"""What the tests of :mod:`lucena.ray` share: three nodes on one machine, with one processor each."""

import os
import pathlib
import shutil
import tempfile
import threading
import time

import pytest

ray = pytest.importorskip(
    "ray", reason="Ray is not installed (it has no wheel for every Python): lucena.ray is not tested"
)

from lucena import _lucena  # noqa: E402
from lucena.ray import train  # noqa: E402

#: Objects may have at most this many bytes: parts of games, and weights.
MOST = 64 << 20

ZERO = {"games": 32, "group": 8, "simulations": 8, "width": 16, "batch": 64, "max_moves": 20}
PPO = {"steps": 1200, "fragment": 30, "width": 16, "pool_every": 2}


class Nodes:
    """A cluster of nodes that come and go."""

    def __init__(self, count, processors=1):
        # Ray lets its workers step back behind everything else; beside other tests they would stand still.
        os.environ["RAY_worker_niceness"] = "0"
        from ray.cluster_utils import Cluster

        self.room = {"num_cpus": processors, "object_store_memory": 128 << 20}
        head = {**self.room, "include_dashboard": False}
        self.cluster = Cluster(initialize_head=True, head_node_args=head)
        for _ in range(count - 1):
            self.add()
        ray.init(address=self.cluster.address, log_to_driver=False, logging_level="error")

    def add(self):
        return self.cluster.add_node(**self.room)

    def remove(self, node):
        """As if somebody had pulled the plug."""
        self.cluster.remove_node(node, allow_graceful=False)

    def close(self):
        ray.shutdown()
        self.cluster.shutdown()


class Training(threading.Thread):
    """A training that goes on while a test does something to it."""

    def __init__(self, **arguments):
        super().__init__(daemon=True)
        self.arguments = arguments
        self.statuses, self.notices = [], []
        self.result = self.error = None
        self.stopping = False
        self.start()

    def run(self):
        try:
            self.result = train(**self.arguments, watch=self.watch)
        except BaseException as error:  # noqa: BLE001 — told by `done`
            self.error = error

    def watch(self, status):
        if self.stopping:
            self.stopping = False
            raise KeyboardInterrupt  # as if somebody had pressed Ctrl-C
        self.notices += status.get("notices", [])
        if "episodes" in status:
            self.statuses.append(status)

    def until(self, what, seconds=90):
        """Waits for a status of which something is true."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.statuses and what(self.statuses[-1]):
                return self.statuses[-1]
            assert self.is_alive(), self.error or "it has ended"
            time.sleep(0.05)
        raise AssertionError(f"not within {seconds} s; last {self.statuses[-1:]}")

    def done(self, seconds=180):
        self.join(seconds)
        assert not self.is_alive(), "it does not end"
        if self.error is not None:
            raise self.error
        return self.result


def alone(folder, recipe, episodes, settings, **more):
    """The same training on one machine, without Ray."""
    changes = [(name, str(value)) for name, value in settings.items()]
    plan = _lucena.plan(recipe, "KRK", 5, episodes, 1, changes, **more)
    _lucena.train(folder, plan)
    return folder


def learned(folder):
    """Everything that came of a run: weights, curve, and the last checkpoint with its games and random numbers."""
    folder = pathlib.Path(folder)
    last = sorted((folder / "checkpoints").iterdir())[-1]
    return [(folder / "weights.safetensors").read_bytes(), (folder / "metrics.csv").read_bytes(), last.read_bytes()]


@pytest.fixture
def quick():
    """A folder in memory where there is one: what is measured here is not the disk."""
    memory = pathlib.Path("/dev/shm")
    folder = pathlib.Path(tempfile.mkdtemp(dir=memory if memory.is_dir() else None))
    yield folder
    shutil.rmtree(folder)
