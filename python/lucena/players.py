"""Players by their texts, matches between them, and what training runs have learned."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Sequence
from typing import Any, Union

import numpy as np
from numpy.typing import NDArray

from lucena import _files, _lucena
from lucena._progress import Progress, reporting
from lucena._settings import text as setting_text


@dataclasses.dataclass(frozen=True)
class Choice:
    """A move, and what the player thinks of it."""

    move: str
    """In UCI notation."""
    centipawns: int | None = None
    """How good the position is for the side to move, in hundredths of a pawn."""
    mate: int | None = None
    """Mate in so many moves; negative when the side to move is mated."""
    depth: int | None = None
    """Plies searched."""
    nodes: int | None = None
    """Positions visited."""
    line: tuple[str, ...] = ()
    """The expected line, the chosen move first."""
    wdl: tuple[int, int, int] | None = None
    """The chances of a win, a draw and a loss, in thousandths."""
    visits: dict[str, int] = dataclasses.field(default_factory=dict)
    """How often a tree search has tried each move."""
    unvisited: bool = False
    """Has a learned player never met the position?"""


class Player:
    """A player by its text: ``random``, ``minimax:depth=4``, ``uci:stockfish,nodes=1000``,
    ``run:runs/krk``, ``net:nets/kbnk.safetensors``. :func:`players` lists the kinds.

    >>> import lucena
    >>> lucena.Player("minimax:depth=3").choose("k7/8/1K6/8/8/8/8/7R w - - 0 1").move
    'h1h8'
    """

    def __init__(
        self, text: str, *, seed: int = 0, tables: str | os.PathLike[str] | None = None
    ) -> None:
        self._native = _lucena.Player(text, seed, tables)

    @property
    def text(self) -> str:
        """The text it was made from."""
        return self._native.text

    @property
    def nature(self) -> str:
        """What its move depends on: ``policy`` (the position alone; it can be certified), ``history``
        or ``chance``."""
        return self._native.nature

    def __repr__(self) -> str:
        return f"Player({self.text!r})"

    def choose(
        self,
        fen: str,
        moves: Sequence[str] = (),
        *,
        depth: int | None = None,
        nodes: int | None = None,
        movetime: float | None = None,
    ) -> Choice:
        """Chooses a move in the position after ``moves`` (UCI) were played from ``fen``, within the
        limits of its own settings and of plies, positions and seconds. Ctrl-C interrupts it."""
        found = self._native.choose(fen, list(moves), depth, nodes, movetime)
        return Choice(**{**found, "line": tuple(found["line"])})

    def new_game(self) -> None:
        """Says that the next choice belongs to another game."""
        self._native.new_game()


def players() -> dict[str, dict[str, Any]]:
    """Every kind of player: what it is, and its settings with their meanings."""
    return {
        name: {"summary": summary, "settings": dict(keys)}
        for name, summary, keys in _lucena.players()
    }


@dataclasses.dataclass(frozen=True)
class MatchResult:
    """The games of a match, and what they add up to, from the first player's side."""

    first: str
    second: str
    games: int
    wins: int
    draws: int
    losses: int
    points: float
    """Wins and half the draws."""
    reasons: dict[str, dict[str, int]]
    """How games were won, drawn and lost."""
    shares: dict[str, dict[str, float]]
    """Shares of wins, draws and losses with their 95 % intervals."""
    elo: dict[str, float] | None
    """The difference and its error; none where one side has all points."""
    moves_to_mate: dict[str, float] | None
    excess_moves: dict[str, float] | None
    """Moves beyond the optimal number, where that is known."""
    pentanomial: tuple[int, ...] | None
    """Pairs of games by the first player's half points."""
    records: list[dict[str, Any]] = dataclasses.field(repr=False)
    """Each game: players, first position, moves, winner, reason."""
    pgn: str = dataclasses.field(repr=False)
    """All games."""

    def write_pgn(self, path: str | os.PathLike[str]) -> None:
        """Writes all games to a file."""
        _files.write(path, self.pgn.encode())


def match(
    first: Union[str, Player],
    second: Union[str, Player],
    *,
    games: int = 100,
    endgame: str | None = None,
    board: int = 8,
    won: bool = False,
    positions: Sequence[str] | None = None,
    paired: bool = False,
    rules: str | None = None,
    depth: int | None = None,
    nodes: int | None = None,
    movetime: float | None = None,
    seed: int = 1,
    threads: int = 0,
    tables: str | os.PathLike[str] | None = None,
    progress: Progress = None,
) -> MatchResult:
    """Plays games between two players, many at once; the same games whatever the number of threads.

    Games begin from random positions of an ``endgame`` (only won ones with ``won=True``), from a list
    of ``positions`` (FEN), or from the start position. The first player has white, unless games are
    ``paired``: then every opening is played twice with colours exchanged.

    >>> import lucena
    >>> result = lucena.match("perfect", "random", endgame="KRK", won=True, games=10)
    >>> result.wins
    10
    """
    with reporting(progress, f"{first} – {second}") as step:
        found = json.loads(
            _lucena.play_match(
                setting_text("first", first),
                setting_text("second", second),
                games,
                endgame,
                board,
                None if positions is None else list(positions),
                won,
                paired,
                rules,
                depth,
                nodes,
                movetime,
                seed,
                threads,
                tables,
                step,
            )
        )
    kinds = ("wins", "draws", "losses")
    return MatchResult(
        first=found["first"],
        second=found["second"],
        games=found["games"],
        **{kind: found[kind]["games"] for kind in kinds},
        points=found["points"],
        reasons={kind: found[kind]["reasons"] for kind in kinds},
        shares={kind: found[kind]["share"] for kind in kinds},
        elo=found["elo"],
        moves_to_mate=found["moves_to_mate"],
        excess_moves=found["excess_moves"],
        pentanomial=None if found["pentanomial"] is None else tuple(found["pentanomial"]),
        records=found["records"],
        pgn=found["pgn"],
    )


class Run:
    """A training run in a folder, as ``lucena train`` leaves it: its plan, its curves, its player.

    >>> import lucena
    >>> run = lucena.Run("runs/krk")                       # doctest: +SKIP
    >>> run.curve["training/win_rate"][-1]                 # doctest: +SKIP
    >>> lucena.certify(run.endgame, run.player())          # doctest: +SKIP
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self._read(json.loads(_lucena.run_info(folder)))

    def _read(self, found: dict[str, Any]) -> None:
        self.folder: str = found["folder"]
        self.plan: dict[str, Any] = found["plan"]
        """What it was to do: recipe, endgame, board, episodes, seed, settings."""
        self.episodes: int | None = found["episodes"]
        """Episodes so far, by its last sound checkpoint; none where there is no checkpoint."""
        self.finished: bool = found["finished"]
        """Has the learner said that there is nothing left to learn?"""
        self.curve: dict[str, NDArray[np.float64]] = {
            name: np.array(series, np.float64).reshape(-1, 2)
            for name, series in found["curve"].items()
        }
        """By name of the scalar: rows of episodes and value."""

    @property
    def endgame(self) -> str | None:
        """The men; none for the whole game."""
        return self.plan.get("endgame")

    @property
    def board(self) -> int:
        """The size of the board."""
        return self.plan["board"]

    def player(self, **settings: Any) -> Player:
        """What it has learned, as a player; settings such as ``checkpoint="newest"``."""
        parts = [f"{key}={setting_text(key, value)}" for key, value in settings.items()]
        return Player(",".join([f"run:{self.folder}", *parts]))

    def __repr__(self) -> str:
        return f"<run {self.folder}: {self.plan['recipe']}, {self.episodes} episodes>"


def runs(folder: str | os.PathLike[str] = "runs") -> list[Run]:
    """The runs in the folders directly below one, by name."""
    found = []
    for info in json.loads(_lucena.runs(folder)):
        run = Run.__new__(Run)
        run._read(info)
        found.append(run)
    return found
