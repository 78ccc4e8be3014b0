"""Those who work: players who hold the network and play, and the one who learns."""

from __future__ import annotations

import dataclasses
import json
import os
import time
from collections.abc import Sequence
from typing import Any

from lucena import _lucena
from lucena.ray._cluster import the_ray
from lucena.ray._field import Field
from lucena.ray._folder import Folder


class Player:
    """Plays parts of a run's games by the weights it was given last, on as many threads as it has processors."""

    def __init__(self, plan: str, threads: int, tables: str | None) -> None:
        # Before Rust looks at it, when the first part is played.
        os.environ["RAYON_NUM_THREADS"] = str(max(1, threads))
        self._play = _lucena.SelfPlay(plan, tables)
        self._version: int | None = None
        self._ray = the_ray()

    def ready(self) -> dict[str, Any]:
        """Answers, and says where it is."""
        return {"node": self._ray.get_runtime_context().get_node_id(), "pid": os.getpid()}

    def play(
        self, parts: Sequence[int], games: list[bytes], version: int, weights: list[Any]
    ) -> tuple[tuple[list[bytes], float], list[bytes]]:
        """What there is to learn from and how long it took, and how the games stand now, part by part."""
        begun = time.perf_counter()
        if version != self._version:
            self._version = None
            self._play.take_weights(self._ray.get(weights[0]))
            self._version = version
        pieces = [self._play.play(part, stand) for part, stand in zip(parts, games, strict=True)]
        seconds = time.perf_counter() - begun
        return ([harvest for harvest, _ in pieces], seconds), [stand for _, stand in pieces]


class Learner:
    """Learns, and keeps the run in its folder. One that died goes on from the last checkpoint there."""

    def __init__(
        self, where: str, plan: str, staleness: int, together: int, threads: int, tables: str | None
    ) -> None:
        os.environ["RAYON_NUM_THREADS"] = str(max(1, threads))
        self._where, self._plan = where, plan
        self._tables = tables
        self._field = Field(plan, staleness, together, tables)
        self._done: dict[str, Any] = {"episodes": 0, "of": None, "text": ""}
        self._notices: list[str] = []

    def run(self, players: list[Any]) -> dict[str, Any]:
        """Trains to the end, or until :meth:`stop`, with games that these actors play."""
        self._field.players = players
        with Folder(self._where) as folder:
            folder.pull()
            return self._train(folder)

    def _train(self, folder: Folder) -> dict[str, Any]:
        pushed = 0.0

        def progress(done: int, of: int | None, text: str) -> None:
            nonlocal pushed
            if of is None:
                self._notices.append(text)
                return
            self._done = {"episodes": done, "of": of, "text": text}
            if time.monotonic() - pushed > 5:
                folder.push()
                pushed = time.monotonic()

        plan = None if folder.holds_run() else self._plan
        try:
            summary = _lucena.train(folder.path, plan, self._field, None, self._tables, progress)
        finally:
            self._field.close()
            folder.push()
        return {**json.loads(summary), "figures": dataclasses.asdict(self._field.figures)}

    def stop(self) -> None:
        """Ends the run with a checkpoint."""
        self._field.stop.set()

    def status(self) -> dict[str, Any]:
        """How far it is."""
        notices, self._notices = self._notices, []
        figures = dataclasses.asdict(self._field.figures)
        players = self._field.present()
        return {**self._done, "figures": figures, "notices": notices, "players": players, "pid": os.getpid()}
