"""What limits a cluster: a simulation of players, learner and the wires between them.

:func:`measure` plays and learns a few iterations on this machine and takes the time; :func:`simulate` lets so many
players of that speed work for one learner, with the same rules as :mod:`lucena.ray._field`: a part is due when the
weights it may be played by are there, whoever is free takes it, what comes back goes through the learner's one
connection, and the learner learns when an iteration is whole. Nothing here needs Ray.
"""

from __future__ import annotations

import dataclasses
import heapq
import json
import random
import tempfile
import time
from collections.abc import Iterable, Mapping
from typing import Any

from lucena import _lucena
from lucena._settings import text as setting_text


@dataclasses.dataclass(frozen=True)
class Costs:
    """What a part costs, in seconds and bytes."""

    positions: int
    """Positions that a part brings in an iteration."""
    play_seconds: float
    """To play them, by one player."""
    learn_seconds: float
    """To learn from them."""
    harvest_bytes: int
    games_bytes: int
    weights_bytes: int
    dispatch_seconds: float = 0.001
    """What the learner's process spends on handing a part out and taking it back, in Python and Ray: an assumption,
    unless it was measured."""


class _Here:
    """Plays in this process and takes the time."""

    def __init__(self, plan: str) -> None:
        self.player = _lucena.SelfPlay(plan)
        self.play: list[float] = []
        self.learn: list[float] = []
        self.harvest: list[int] = []
        self.left: float | None = None

    def begin(self, iteration: int, games: list[bytes]) -> None:
        self.now = games

    def harvests(self, iteration: int, weights: bytes) -> list[bytes]:
        begun = time.process_time()
        if self.left is not None:
            self.learn.append(begun - self.left)
        self.weights = len(weights)
        self.player.take_weights(weights)
        pieces = [self.player.play(part, games) for part, games in enumerate(self.now)]
        self.now = [games for _, games in pieces]
        self.play.append(time.process_time() - begun)
        self.harvest.append(sum(len(harvest) for harvest, _ in pieces))
        self.left = time.process_time()
        return [harvest for harvest, _ in pieces]

    def games(self, iterations: int) -> list[bytes]:
        return self.now


def measure(
    endgame: str | None, board: int = 8, settings: Mapping[str, Any] | None = None, iterations: int = 12
) -> Costs:
    """The costs of one part of ``alphazero``, in processor time of this machine, the mean of the later half of some
    iterations with a single part."""
    changes = {name: setting_text(name, value) for name, value in (settings or {}).items()}
    defaults = json.loads(_lucena.recipe_settings("alphazero"))
    group = int(changes.get("group", defaults["group"]))
    plies = int(changes.get("plies", defaults["plies"]))
    # Learning begins when a little has been played.
    changes |= {"games": str(group), "window_least": str(min(int(changes.get("window_least", 1000)), 1000))}
    plan = _lucena.plan("alphazero", endgame, board, iterations, 1, list(changes.items()))
    here = _Here(plan)
    with tempfile.TemporaryDirectory() as folder:
        _lucena.train(f"{folder}/run", plan, here)
    later = iterations // 2
    mean = lambda numbers: sum(numbers[later:]) / len(numbers[later:])  # noqa: E731
    return Costs(
        positions=group * plies,
        play_seconds=mean(here.play),
        learn_seconds=mean(here.learn),
        harvest_bytes=int(mean(here.harvest)),
        games_bytes=sum(map(len, here.now)),
        weights_bytes=here.weights,
    )


def simulate(
    costs: Costs,
    actors: int,
    *,
    gigabits: float = 10,
    actors_per_node: int = 16,
    staleness: int = 1,
    parts_per_actor: int = 2,
    iterations: int = 6,
    seed: int = 1,
) -> dict[str, float | int | str]:
    """How a cluster of so many players keeps busy. Weights go to every node once, by the learner's connection."""
    drawn = random.Random(seed)
    parts = actors * parts_per_actor
    nodes = -(-actors // actors_per_node)
    bytes_a_second = gigabits * 1e9 / 8
    events: list[tuple[float, int, str, int]] = []
    number = 0

    def later(when: float, what: str, which: int) -> None:
        nonlocal number
        number += 1
        heapq.heappush(events, (when, number, what, which))

    lasting: dict[int, float] = {}
    next_iteration = [0] * parts
    waiting: list[tuple[int, int]] = [(0, part) for part in range(parts)]
    heapq.heapify(waiting)
    free = actors
    arrived = [0] * (iterations + staleness + 2)
    version, learned = 0, 0
    learning = False
    wire_in = wire_out = dispatcher = 0.0
    busy = learn_busy = in_busy = out_busy = dispatch_busy = 0.0
    send = nodes * costs.weights_bytes / bytes_a_second
    now = out_busy = wire_out = send
    later(now, "weights", 0)
    while learned < iterations:
        now, _, what, which = heapq.heappop(events)
        if what == "weights":
            version = which
        elif what == "played":
            free += 1
            busy += lasting.pop(which)
            begin = max(now, wire_in)
            wire_in = begin + costs.harvest_bytes / bytes_a_second
            in_busy += wire_in - begin
            later(wire_in, "arrived", which)
        elif what == "arrived":
            arrived[next_iteration[which]] += 1
            next_iteration[which] += 1
            heapq.heappush(waiting, (next_iteration[which], which))
        elif what == "learned":
            learning, learned = False, which
            learn_busy += parts * costs.learn_seconds
            begin = max(now, wire_out)
            wire_out = begin + send
            out_busy += send
            later(wire_out, "weights", which)
        if not learning and arrived[learned] == parts:
            learning = True
            later(now + parts * costs.learn_seconds, "learned", learned + 1)
        while free and waiting and waiting[0][0] <= version + staleness:
            _, part = heapq.heappop(waiting)
            free -= 1
            dispatcher = max(now, dispatcher) + costs.dispatch_seconds
            dispatch_busy += costs.dispatch_seconds
            seconds = costs.play_seconds * drawn.lognormvariate(0, 0.1)
            lasting[part] = seconds
            later(dispatcher + seconds, "played", part)
    rates = {
        "players": busy / (now * actors),
        "learner": learn_busy / now,
        "link in": in_busy / now,
        "link out": out_busy / now,
        "handing out": dispatch_busy / now,
    }
    limit = max(rates, key=lambda name: rates[name])
    return {
        "actors": actors,
        "positions_per_second": iterations * parts * costs.positions / now,
        "megabytes_per_second_in": iterations * parts * costs.harvest_bytes / now / 1e6,
        "weights_per_second": iterations / now,
        "megabytes_per_second_out": iterations * nodes * costs.weights_bytes / now / 1e6,
        **{f"{name} busy": rate for name, rate in rates.items()},
        "limit": limit,
    }


def report(
    endgame: str | None = None,
    board: int = 8,
    settings: Mapping[str, Any] | None = None,
    actors: Iterable[int] | None = None,
    gigabits: float = 10,
) -> dict[str, Any]:
    """Measures, and simulates clusters of several sizes."""
    costs = measure(endgame, board, settings)
    sizes = [simulate(costs, count, gigabits=gigabits) for count in actors or (10, 100, 10_000)]
    return {"endgame": endgame, "board": board, "costs": dataclasses.asdict(costs), "clusters": sizes}


def text(found: Mapping[str, Any]) -> str:
    """The same as a table."""
    costs = Costs(**found["costs"])
    lines = [
        f"{found['endgame'] or 'chess'} on {found['board']}×{found['board']}: a part is {costs.positions} positions, "
        f"played in {costs.play_seconds:.3f} s ({costs.positions / costs.play_seconds:,.0f} positions/s a player) and learned in "
        f"{costs.learn_seconds:.3f} s ({costs.positions / max(costs.learn_seconds, 1e-9):,.0f} positions/s); "
        f"{costs.harvest_bytes / costs.positions:.0f} bytes a position come back, games under way are {costs.games_bytes / 1e3:,.0f} kB, "
        f"weights {costs.weights_bytes / 1e6:.2f} MB.",
        "",
        "| actors | positions/s | MB/s in | weights/s | MB/s out | players busy | learner | link in | link out | handing out | limit |",
        "|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|",
    ]
    for row in found["clusters"]:
        busy = " | ".join(f"{row[f'{name} busy']:.0%}" for name in ["players", "learner", "link in", "link out", "handing out"])
        lines.append(
            f"| {row['actors']:,} | {row['positions_per_second']:,.0f} | {row['megabytes_per_second_in']:,.1f} | "
            f"{row['weights_per_second']:.3g} | {row['megabytes_per_second_out']:,.1f} | {busy} | {row['limit']} |"
        )
    return "\n".join(lines)
