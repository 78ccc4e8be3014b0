"""Trainings whose games are played all over a cluster."""

from __future__ import annotations

import contextlib
import os
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from lucena import _lucena
from lucena._settings import text as setting_text
from lucena.errors import RunError
from lucena.ray._actors import Learner, Player
from lucena.ray._cluster import connected
from lucena.ray._field import together
from lucena.ray._folder import Folder

#: Told a status about once a second: episodes, of how many, and the figures of the field.
Watch = Callable[[dict[str, Any]], object]
#: A learner that dies so often without getting further dies of something that stays.
DEATHS = 5
#: Seconds to wait for a place for the learner.
PATIENCE = 300


def train(
    recipe: str | None = None,
    *,
    out: str | os.PathLike[str],
    actors: int,
    endgame: str | None = None,
    board: int = 8,
    episodes: int | None = None,
    seed: int = 1,
    settings: Mapping[str, Any] | None = None,
    evaluate: Sequence[str] = (),
    evaluate_every: int | None = None,
    evaluation_games: int = 200,
    stop_at: float | None = None,
    stop_after: int = 3,
    checkpoint_every: int | None = None,
    keep: int = 3,
    resume: bool = False,
    address: str | None = None,
    staleness: int | None = None,
    cpus_per_actor: float = 1,
    gpus_per_actor: float = 0,
    learner_cpus: float = 1,
    learner_gpus: float = 0,
    learner_on: str | None = None,
    tables: str | os.PathLike[str] | None = None,
    watch: Watch | None = None,
) -> dict[str, Any]:
    """Trains ``alphazero``, ``ppo`` or ``salisch-ppo`` with its games played by ``actors`` on a Ray cluster.

    ``out`` is a folder that the learner's machine has, or a URL of fsspec's (``s3://…``). ``staleness`` says how many
    iterations the weights of a game may be behind (default 1; with 0 the run is that of one machine, bit for bit;
    PPO knows only 0). More actors may be asked for than the cluster has room for: the others begin when a node
    joins. ``learner_on`` is ``here`` (on this node, the default for a folder) or ``any``. With ``resume=True`` a run
    goes on; ``episodes`` may then make it longer. All other arguments are those of ``lucena train``.

    Ctrl-C ends the run with a checkpoint. What came of it is told as a dictionary: ``stopped``, ``episodes``,
    ``plies``, ``seconds``, and the ``figures`` of what was sent around.
    """
    if not 1 <= actors <= 100_000:
        raise RunError(f"actors is {actors}, expected 1 to 100,000")
    if staleness is not None and not 0 <= staleness <= 100:
        raise RunError(f"staleness is {staleness}, expected 0 to 100")
    changes = [(name, setting_text(name, value)) for name, value in (settings or {}).items()]
    with Folder(out) as folder:
        folder.pull()
        where = folder.where if folder.is_remote(out) else folder.path
        if resume:
            plan = _lucena.plan_of(folder.path, episodes)
            folder.push()
        elif folder.holds_run():
            raise RunError(f"{os.fspath(out)} already holds a run: resume it, or choose another folder")
        elif recipe is None:
            raise RunError("name a recipe: alphazero, ppo or salisch-ppo")
        else:
            plan = _lucena.plan(
                recipe,
                endgame,
                board,
                30_000 if episodes is None else episodes,
                seed,
                changes,
                list(evaluate),
                evaluate_every,
                evaluation_games,
                stop_at,
                stop_after,
                checkpoint_every,
                keep,
            )
    tables = None if tables is None else os.path.abspath(tables)
    # What cannot be played elsewhere is refused before anything is started.
    games = _lucena.SelfPlay(plan, tables)
    synchronous = games.is_synchronous
    if synchronous and staleness:
        raise RunError("the games of this recipe are played by the newest weights: staleness is 0")
    stale = 0 if synchronous else 1 if staleness is None else staleness
    parcel = together(games.parts, actors, games.room, stale)
    with connected(address) as ray:
        here = (learner_on or ("any" if Folder.is_remote(out) else "here")) == "here"
        with _place(ray, learner_cpus, learner_gpus, here) as strategy:
            learner = (
                ray.remote(Learner)
                .options(
                    num_cpus=learner_cpus,
                    num_gpus=learner_gpus,
                    max_restarts=-1,
                    max_task_retries=0,
                    max_concurrency=4,
                    scheduling_strategy=strategy,
                )
                .remote(where, plan, stale, parcel, int(learner_cpus), tables)
            )
            players = [
                ray.remote(Player)
                .options(num_cpus=cpus_per_actor, num_gpus=gpus_per_actor, max_restarts=-1, max_task_retries=0)
                .remote(plan, int(cpus_per_actor), tables)
                for _ in range(actors)
            ]
            try:
                return _attend(ray, learner, players, watch)
            finally:
                for actor in [learner, *players]:
                    ray.kill(actor)


@contextlib.contextmanager
def _place(ray: Any, cpus: float, gpus: float, here: bool) -> Iterator[Any]:
    """A place for the learner that nobody takes while another one is started: players who wait for room would."""
    node = ray.get_runtime_context().get_node_id()
    strategies = ray.util.scheduling_strategies
    if not cpus and not gpus:
        yield strategies.NodeAffinitySchedulingStrategy(node, soft=False) if here else "DEFAULT"
        return
    bundle = {name: amount for name, amount in {"CPU": cpus, "GPU": gpus}.items() if amount}
    if here:
        [mine] = [found for found in ray.nodes() if found["NodeID"] == node]
        bundle |= {name: 0.001 for name in mine["Resources"] if re.fullmatch(r"node:[\d.]+", name)}
    group = ray.util.placement_group([bundle])
    try:
        if not group.wait(PATIENCE):
            raise RunError(f"after {PATIENCE} s there is no room for the learner in the cluster: {bundle}")
        yield strategies.PlacementGroupSchedulingStrategy(group)
    finally:
        ray.util.remove_placement_group(group)


def _attend(ray: Any, learner: Any, players: list[Any], watch: Watch | None) -> dict[str, Any]:
    """Waits for the end, and has a learner that died go on."""
    deaths, furthest, stopping = 0, -1, False
    running = learner.run.remote(players)
    while True:
        try:
            done, _ = ray.wait([running], timeout=1)
            if done:
                return ray.get(running)
            status = ray.get(learner.status.remote(), timeout=30)
            if status["episodes"] > furthest:
                furthest, deaths = status["episodes"], 0
            if watch is not None:
                watch(status)
        except KeyboardInterrupt:
            if stopping:
                raise
            stopping = True
            learner.stop.remote()
        except ray.exceptions.GetTimeoutError:
            continue
        except ray.exceptions.RayActorError as error:
            deaths += 1
            if deaths > DEATHS or stopping:
                raise RunError(f"the learner died {deaths} times without getting further: {error}") from error
            if watch is not None:
                watch({"notices": ["the learner died; another goes on from the last checkpoint"]})
            time.sleep(0.5)
            running = learner.run.remote(players)
        except ray.exceptions.RayTaskError as error:
            raise RunError(str(error.cause)) from error
