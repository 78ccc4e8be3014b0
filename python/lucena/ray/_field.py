"""The field: parts of a run's games, and the players all over the cluster who play them.

A run asks for the parts of one iteration after the other (:func:`lucena._lucena.train`). A part is due for
iteration *k* when the weights of iteration *k* − ``staleness`` are known; whoever is free plays it. What there is
to learn from comes back at once, how the games stand stays in the object store where they were played, as a
reference, until somebody plays on. Small parts travel several together, as a *parcel*, always the same ones: what
a call costs does not grow with what is in it.

Who plays a parcel does not matter, so a player that dies costs what it was just playing: that parcel is played
again, from where it stood. Only when the games themselves are lost with a node do new ones begin.
"""

from __future__ import annotations

import collections
import dataclasses
import queue
import threading
import time
from typing import Any

from lucena import _lucena
from lucena.ray._cluster import the_ray

#: Parcels that a player has before it: one that it plays, and one so that it never waits for the next.
AHEAD = 2
#: More parts than this are not put together: a player that dies should not cost much.
MOST_TOGETHER = 8
#: A parcel that fails so often for no reason of the cluster's fails for a reason of its own.
ATTEMPTS = 3


def together(parts: int, players: int, room: int, staleness: int) -> int:
    """How many parts make a parcel, so that there is enough for everybody: no more than ``room``. Without
    staleness everybody waits for the last parcel anyway, so one for each player is enough."""
    ahead = AHEAD if staleness else 1
    return max(1, min(parts // (ahead * players), MOST_TOGETHER, room))


@dataclasses.dataclass
class Figures:
    """What has been sent around."""

    pieces: int = 0
    """Parts that came back …"""
    parcels: int = 0
    """… in so many parcels."""
    bytes: int = 0
    largest_piece: int = 0
    """Of a parcel, as what follows: it is one object."""
    largest_games: int = 0
    largest_weights: int = 0
    oldest_weights: int = 0
    """How many iterations the weights were behind, at most."""
    played_again: int = 0
    """Parcels that were."""
    lost_games: int = 0
    """Parts whose games were lost with a node, and began anew."""
    players: int = 0
    """Players that are there now."""
    playing_seconds: float = 0.0
    """How long the players have played, all of them together."""
    waiting_seconds: float = 0.0
    """How long the learner has waited for the players."""
    iterations: int = 0
    """Iterations whose parts have all come back …"""
    seconds: float = 0.0
    """… and the time from the first of them to the last."""


@dataclasses.dataclass
class _Task:
    parcel: int
    iteration: int
    version: int
    player: int
    games: Any
    """How they will stand afterwards, by reference."""


class Field:
    """Has the parts of a run's games played by ``players``, which are handles of actors, so many parts ``together``."""

    def __init__(self, plan: str, staleness: int, together: int, tables: str | None = None) -> None:
        self._ray = the_ray()
        self._plan, self._tables = plan, tables
        self.players: list[Any] = []
        self._staleness = staleness
        self._together = together
        self._events: queue.SimpleQueue[tuple[Any, ...]] = queue.SimpleQueue()
        self._changed = threading.Condition()
        self._closed = False
        self._error: BaseException | None = None
        self._version = -1
        self._weights: Any = None
        # Which parts are in a parcel, and how their games stand after so many iterations.
        self._parcels: list[range] = []
        self._games: list[dict[int, Any]] = []
        self._harvests: dict[tuple[int, int], list[bytes]] = {}
        # Players that are there, and where.
        self._present: dict[int, dict[str, Any]] = {}
        self._thread: threading.Thread | None = None
        self._first: float | None = None
        self.stop = threading.Event()
        self.figures = Figures()

    # What the run asks.

    def begin(self, iteration: int, games: list[bytes]) -> None:
        """The games as they stand after so many iterations."""
        starts = range(0, len(games), self._together)
        self._parcels = [range(start, min(start + self._together, len(games))) for start in starts]
        self._games = [{iteration: self._ray.put([games[part] for part in parcel])} for parcel in self._parcels]
        self._next = [iteration] * len(self._parcels)
        self._out: dict[int, _Task] = {}
        self._busy = collections.Counter[int]()
        self._failures = collections.Counter[tuple[int, int]]()
        for player in range(len(self.players)):
            self._greet(player)
        self._thread = threading.Thread(target=self._work, name="lucena-field", daemon=True)
        self._thread.start()

    def harvests(self, iteration: int, weights: bytes) -> list[bytes] | None:
        """What came of an iteration, part by part; nothing when the run is to stop."""
        self.figures.largest_weights = max(self.figures.largest_weights, len(weights))
        # In a list, so that a player fetches them once and not with every parcel.
        self._events.put(("weights", iteration, [self._ray.put(weights)]))
        del weights
        keys = [(parcel, iteration) for parcel in range(len(self._parcels))]
        begun = time.perf_counter()
        with self._changed:
            while not all(key in self._harvests for key in keys):
                self._raise()
                if self.stop.is_set():
                    return None
                self._changed.wait(0.2)
            now = time.perf_counter()
            self.figures.waiting_seconds += now - begun
            self._first = self._first or now
            self.figures.seconds = now - self._first
            self.figures.iterations += 1
            return [harvest for key in keys for harvest in self._harvests.pop(key)]

    def games(self, iterations: int) -> list[bytes]:
        """How the games stood after so many iterations."""
        found: list[bytes] = []
        for parcel, games in enumerate(self._games):
            with self._changed:
                ref = games.get(iterations)
            try:
                stand = self._ray.get(ref)
                self.figures.largest_games = max(self.figures.largest_games, sum(map(len, stand)))
            except self._lost():
                stand = self._new_games(parcel, iterations)
            found += stand
        return found

    def present(self) -> list[dict[str, Any]]:
        """The players that are there, by node and process."""
        return list(self._present.values())

    def close(self) -> None:
        """Nothing more is played."""
        self._events.put(("close",))
        if self._thread is not None:
            self._thread.join()

    # What goes on meanwhile, all of it in one thread.

    def _work(self) -> None:
        try:
            while True:
                kind, *event = self._events.get()
                if kind == "close":
                    return
                getattr(self, f"_{kind}_came")(*event)
                self._hand_out()
        except BaseException as error:  # noqa: BLE001 — it is raised again where the run waits
            with self._changed:
                self._error = error
                self._changed.notify_all()

    def _raise(self) -> None:
        if self._error is not None:
            raise self._error

    def _when_done(self, ref: Any, *event: Any) -> None:
        ref.future().add_done_callback(lambda future: self._events.put((*event, future)))

    def _greet(self, player: int) -> None:
        """A player answers when Ray has found a place for it, perhaps on a node that is yet to come."""
        self._present.pop(player, None)
        self._when_done(self.players[player].ready.remote(), "player", player)

    def _player_came(self, player: int, future: Any) -> None:
        if (error := future.exception()) is not None:
            if isinstance(error, self._ray.exceptions.RayTaskError):
                raise error
            # It will be restarted; asking at once again and again would help nobody.
            threading.Timer(0.5, self._events.put, [("again", player)]).start()
            return
        self._present[player] = future.result()
        self.figures.players = len(self._present)

    def _again_came(self, player: int) -> None:
        self._greet(player)

    def _weights_came(self, iteration: int, weights: list[Any]) -> None:
        self._version, self._weights = iteration, weights
        with self._changed:
            for games in self._games:
                for old in [k for k in games if k < iteration]:
                    del games[old]

    def _hand_out(self) -> None:
        if self._weights is None:
            return
        last = self._version + self._staleness
        due = [parcel for parcel, k in enumerate(self._next) if k <= last and parcel not in self._out]
        due.sort(key=lambda parcel: (self._next[parcel], parcel), reverse=True)
        while due and self._present:
            player = min(self._present, key=lambda player: (self._busy[player], player))
            if self._busy[player] >= AHEAD:
                return
            parcel = due.pop()
            iteration = self._next[parcel]
            harvests, games = (
                self.players[player]
                .play.options(num_returns=2)
                .remote(
                    self._parcels[parcel], self._games[parcel][iteration], self._version, self._weights
                )
            )
            self._out[parcel] = _Task(parcel, iteration, self._version, player, games)
            self._busy[player] += 1
            self._when_done(harvests, "harvests", parcel)

    def _harvests_came(self, parcel: int, future: Any) -> None:
        task = self._out.pop(parcel)
        self._busy[task.player] -= 1
        if (error := future.exception()) is not None:
            self._failed(task, error)
            return
        harvests, seconds = future.result()
        figures = self.figures
        figures.playing_seconds += seconds
        figures.pieces += len(harvests)
        figures.parcels += 1
        size = sum(map(len, harvests))
        figures.bytes += size
        figures.largest_piece = max(figures.largest_piece, size)
        figures.oldest_weights = max(figures.oldest_weights, task.iteration - task.version)
        self._next[parcel] = task.iteration + 1
        self._failures.pop((parcel, task.iteration), None)
        with self._changed:
            self._games[parcel][task.iteration + 1] = task.games
            self._harvests[parcel, task.iteration] = harvests
            self._changed.notify_all()

    def _failed(self, task: _Task, error: BaseException) -> None:
        self.figures.played_again += 1
        exceptions = self._ray.exceptions
        if isinstance(error, self._lost()):
            # The games went with their node.
            new = self._ray.put(self._new_games(task.parcel, task.iteration))
            with self._changed:
                self._games[task.parcel][task.iteration] = new
        elif isinstance(error, exceptions.RayTaskError):
            self._failures[task.parcel, task.iteration] += 1
            if self._failures[task.parcel, task.iteration] >= ATTEMPTS:
                raise error
        elif task.player in self._present:
            self._greet(task.player)
            self.figures.players = len(self._present)

    def _lost(self) -> tuple[type[BaseException], ...]:
        """How Ray says that an object is nowhere any more."""
        exceptions = self._ray.exceptions
        return exceptions.ObjectLostError, exceptions.ObjectFetchTimedOutError

    def _new_games(self, parcel: int, iteration: int) -> list[bytes]:
        parts = self._parcels[parcel]
        self.figures.lost_games += len(parts)
        player = _lucena.SelfPlay(self._plan, self._tables)
        return [player.new_games(part, iteration + 1) for part in parts]
