"""What Ray costs and what a second node brings, measured in one run in turns, medians:

    .venv/bin/python python/checks/bench_ray.py [ROUNDS]

*Overhead*: the same training (KRK on 8×8, no staleness, so the same games to the bit) in one process on one core, and by
learner, player and all of Ray's own processes on that core; with the recipe's own parts, and with parts four times as large
and as many games. *Nodes*: one and two nodes of one core each, a player on each,
pinned to its core. Other work on the machine disturbs the clock; so processor time is told as well, and which share of the
time the players played and did not wait for something to play.
"""

import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import ray
from ray.cluster_utils import Cluster

from lucena import _lucena
from lucena.ray import train

#: The recipe's own, and larger ones; with how many iterations of them are some ten seconds.
OWN, LARGE = ({"games": 256, "group": 32}, 30), ({"games": 1024, "group": 128}, 12)
MEMORY = "/dev/shm" if os.path.isdir("/dev/shm") else None

ALONE = """
import json, sys, time
from lucena import _lucena
seen = {}
def progress(done, of, text):
    if of is not None:
        seen.setdefault(done, (time.perf_counter(), time.process_time()))
_lucena.train(sys.argv[1], sys.argv[2], progress=progress)
first, last = min(seen), max(seen)
print(*((b - a) / (last - first) for a, b in zip(seen[first], seen[last])))
"""


def alone(iterations, settings):
    """Seconds an iteration by the clock and of the processor, in one process on core 0: from the end of the first
    iteration to the end of the last, as with Ray."""
    plan = _lucena.plan("alphazero", "KRK", 8, iterations, 1, texts(settings), checkpoint_every=iterations)
    with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
        command = ["taskset", "-c", "0", sys.executable, "-c", ALONE, f"{folder}/run", plan]
        environment = {**os.environ, "RAYON_NUM_THREADS": "1"}
        told = subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout
    clock, processor = map(float, told.split())
    return {"iteration": clock, "processor": processor}


def processor(pids):
    """Seconds of the processor that processes have had, threads that have ended included."""
    ticks = 0
    for pid in pids:
        try:
            fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def texts(settings):
    return [(name, str(value)) for name, value in settings.items()]


class Nodes:
    def __init__(self, count):
        room = {"num_cpus": 1, "object_store_memory": 200 << 20}
        self.cluster = Cluster(initialize_head=True, head_node_args={**room, "include_dashboard": False})
        for _ in range(count - 1):
            self.cluster.add_node(**room)
        ray.init(address=self.cluster.address, log_to_driver=False, logging_level="error")

    def close(self):
        ray.shutdown()
        self.cluster.shutdown()


def descendants():
    """All processes below this one."""
    below, todo = [], [os.getpid()]
    while todo:
        pid = todo.pop()
        for task in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
            try:
                children = [int(child) for child in task.read_text().split()]
            except OSError:
                continue
            below += children
            todo += children
    return below


def pin(pids, core):
    for pid in pids:
        for task in pathlib.Path(f"/proc/{pid}/task").glob("*"):
            try:
                os.sched_setaffinity(int(task.name), {core})
            except (OSError, ValueError):
                pass


def together(actors, iterations, settings, staleness, pinned):
    """Figures of a training by so many players; `pinned` is called with the first status that has them all."""
    seen = []

    def watch(status):
        players = [player["pid"] for player in status.get("players", [])]
        if len(players) == actors:
            if not seen:
                pinned(status["pid"], players)
            used = {
                "player": processor(players),
                "learner": processor([status["pid"]]),
                "all": processor([os.getpid(), *descendants()]),
            }
            seen.append((time.perf_counter(), status["figures"] | used))

    with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
        done = train(
            "alphazero", endgame="KRK", episodes=iterations, settings=settings, actors=actors, staleness=staleness,
            out=f"{folder}/run", learner_cpus=0, checkpoint_every=iterations, watch=watch,
        )  # fmt: skip
    figures = done["figures"]
    (begin, before), (end, after) = seen[0], seen[-1]
    between = lambda what: (after[what] - before[what]) / (end - begin)  # noqa: E731
    each = lambda what: (after[what] - before[what]) / max(after["pieces"] - before["pieces"], 1)  # noqa: E731
    parts = settings["games"] // settings["group"]
    return {
        "processor": parts * (each("player") + each("learner")),
        "everything": parts * each("all"),
        "player_seconds_a_part": each("player"),
        "iteration": figures["seconds"] / (figures["iterations"] - 1),
        "moves": settings["games"] * 16 * (figures["iterations"] - 1) / figures["seconds"],
        "playing": between("playing_seconds") / actors,
        "learner waiting": between("waiting_seconds"),
    }


def median(runs, what):
    return statistics.median(run[what] for run in runs)


def overhead(rounds, settings, iterations):
    single, ours = [], []
    for _ in range(rounds):
        single.append(alone(iterations, settings))
        ours.append(together(1, iterations, settings, 0, lambda learner, players: pin([*descendants()], 0)))
        print(f"{settings}: alone {single[-1]}, with Ray {ours[-1]}", file=sys.stderr)

    def over(a, b):
        return sorted(y[b] / x[a] - 1 for x, y in zip(single, ours))

    return {
        "settings": settings,
        "iterations": iterations,
        "alone_seconds_an_iteration": median(single, "iteration"),
        "ray_seconds_an_iteration": median(ours, "iteration"),
        "by_the_clock": over("iteration", "iteration"),
        "of_learner_and_player": over("processor", "processor"),
        "of_everything": over("processor", "everything"),
    }


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    os.environ["RAY_worker_niceness"] = "0"
    nodes = Nodes(1)
    pin(descendants(), 0)
    overheads = [overhead(rounds, *settings) for settings in (OWN, LARGE)]
    nodes.close()
    settings, iterations = LARGE
    # Little is learned, so that what is measured are the players.
    light = {**settings, "passes": 0.1}
    one, two = [], []

    def apart(learner, players):
        for core, player in enumerate(players):
            pin([player], core)

    for _ in range(rounds):
        for count, found in [(1, one), (2, two)]:
            nodes = Nodes(count)
            found.append(together(count, iterations, light, 1, apart))
            nodes.close()
            print(f"{count} nodes: {found[-1]}", file=sys.stderr)
    report = {
        "processors": os.cpu_count(),
        "load": os.getloadavg()[0],
        "rounds": rounds,
        "overheads": overheads,
        "nodes": {
            "settings": light,
            "iterations": iterations,
            "one_node_moves_per_second": median(one, "moves"),
            "two_nodes_moves_per_second": median(two, "moves"),
            "two_nodes_ratio": statistics.median(b["moves"] / a["moves"] for a, b in zip(one, two)),
            "player_seconds_a_part_one_node": median(one, "player_seconds_a_part"),
            "player_seconds_a_part_two_nodes": median(two, "player_seconds_a_part"),
            "players_playing_one_node": median(one, "playing"),
            "players_playing_two_nodes": median(two, "playing"),
        },
    }
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
