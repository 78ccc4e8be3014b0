"""Exact truth, and proofs: solve an endgame, look positions up, certify a policy.

A certificate is the exact share of won positions from which a policy forces mate against *every*
defence. The policy can be any function of Python's::

    def policy(positions):                      # a lucena.Positions: up to 65,536 of them
        scores = network(positions.observations("wojcik"))
        scores[positions.masks() == 0] = -numpy.inf
        return scores.argmax(1)                 # numbers of actions

    certificate = lucena.certify("KRK", policy)
    print(certificate)
    certificate.write_refutations("refutations.pgn")
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Union, overload

import numpy as np
from numpy.typing import NDArray

from lucena import _files, _lucena
from lucena._lucena import Positions
from lucena._progress import Progress, reporting
from lucena.errors import SettingsError
from lucena.players import Player

#: From positions to moves: actions (n,), rows of from, to and promotion (n, 3), or texts in UCI.
Policy = Callable[[Positions], Any]


class Verdict(NamedTuple):
    """The exact value of a position for the side to move."""

    wdl: int
    """1 for a win, 0 for a draw, −1 for a loss."""
    plies: int | None
    """Plies to mate under perfect play; ``None`` for a draw."""

    @property
    def moves(self) -> int | None:
        """Moves of the winning side to mate."""
        return None if self.plies is None else (self.plies + 1) // 2


class Verdicts(NamedTuple):
    """The exact values of many positions."""

    wdl: NDArray[np.int8]
    """1 for a win of the side to move, 0 for a draw, −1 for a loss."""
    plies: NDArray[np.int16]
    """Plies to mate; −1 for a draw."""


class Table:
    """An endgame solved exactly, with everything it can turn into. Made by :func:`solve`."""

    def __init__(self, native: _lucena.Table) -> None:
        self._native = native

    @property
    def endgame(self) -> str:
        """The men, such as ``KBNK``."""
        return self._native.endgame

    @property
    def board(self) -> int:
        """The size of the board."""
        return self._native.board

    @property
    def folder(self) -> str:
        """Where the table is kept."""
        return os.fspath(self._native.folder)

    @property
    def statistics(self) -> dict[str, dict[str, int]]:
        """How many positions of the full board are won, drawn and lost, with each side to move."""
        return json.loads(self._native.statistics())

    def __repr__(self) -> str:
        return f"<table of {self.endgame} on {self.board}×{self.board}>"

    @overload
    def probe(self, positions: str) -> Verdict: ...
    @overload
    def probe(self, positions: Positions | Sequence[str]) -> Verdicts: ...
    @overload
    def probe(self, positions: NDArray[np.uint8], turn: Any) -> Verdicts: ...
    def probe(self, positions, turn=None):
        """The exact value of a position (FEN) or of many: FENs, :class:`Positions`, or an array
        (n, 64) of men as in :attr:`Positions.pieces` with the sides to move.

        >>> import lucena
        >>> table = lucena.solve("KRK")
        >>> table.probe("8/8/8/8/8/2k5/1R6/K7 w - - 0 1")
        Verdict(wdl=1, plies=31)
        """
        if isinstance(positions, str):
            wdl, plies = self._native.probe(positions)
            return Verdict(wdl, None if plies < 0 else plies)
        if isinstance(positions, np.ndarray):
            if turn is None:
                raise SettingsError("an array of men needs the sides to move as well: probe(men, turn)")
            men = np.ascontiguousarray(positions, np.uint8)
            turn = np.ascontiguousarray(np.broadcast_to(np.asarray(turn), men.shape[:1]), np.uint8)
            positions = Positions.from_arrays(men, turn, self.board)
        elif not isinstance(positions, Positions):
            positions = Positions(list(positions))
        return Verdicts(*self._native.probe_many(positions))

    def moves(self, fen: str) -> list[tuple[str, Verdict | None]]:
        """Every legal move (UCI) with its value for the side that plays it, best first."""
        found = []
        for move, value in self._native.moves(fen):
            if value is not None:
                value = Verdict(value[0], None if value[1] < 0 else value[1])
            found.append((move, value))
        return found

    def line(self, fen: str) -> list[str]:
        """Perfect play to the mate (UCI); empty when the position is drawn."""
        return self._native.line(fen)

    def positions(self, turn: str = "white") -> tuple[Positions, Verdicts]:
        """Every legal position with one side to move, up to symmetry, and its value: what a network
        can be taught from. A few positions occur twice (those on a diagonal)."""
        positions, values = self._native.positions(turn)
        return positions, Verdicts(*values)


def solve(
    endgame: str,
    *,
    board: int = 8,
    tables: str | os.PathLike[str] | None = None,
    progress: Progress = None,
) -> Table:
    """Solves an endgame of three to five men, and all it can turn into, unless it was solved before.

    Tables are kept in the folder ``tables``, or where the command line keeps them.

    >>> import lucena
    >>> lucena.solve("KRK").statistics["white_to_move"]["won"]
    175168
    """
    with reporting(progress, f"{endgame}") as step:
        return Table(_lucena.solve(endgame, board, tables, step))


class Certificate:
    """What is proved of a policy. Figures are attributes, named as the command line's ``--json`` names
    them: ``share``, ``won_positions``, ``forced_mates``, ``longest_moves``, ``mean_excess_moves``,
    ``optimal_share``, ``failures``; of a defence ``kept_share``, ``held_positions``, ``kept``."""

    def __init__(self, native: _lucena.Certificate, player: str) -> None:
        self._native = native
        self._figures: dict[str, Any] = json.loads(native.json())
        self.player = player
        """Whose certificate it is."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["_figures"][name]
        except KeyError:
            raise AttributeError(f"a certificate has no '{name}'") from None

    def __dir__(self):
        return [*super().__dir__(), *self._figures]

    def to_dict(self) -> dict[str, Any]:
        """All figures."""
        return json.loads(self._native.json())

    def policy(self) -> str:
        """The policy's moves as they were proved: one ``FEN,uci`` a line, as ``lucena certify --policy``
        writes them. Empty for a defence."""
        return self._native.policy()

    def write_policy(self, path: str | os.PathLike[str]) -> None:
        """Writes :meth:`policy` to a file."""
        _files.write(path, self.policy().encode())

    @property
    def refutations(self) -> list[str]:
        """Games that show where the policy fails and how, each as PGN."""
        return self._native.refutations(self.player)

    def write_refutations(self, path: str | os.PathLike[str]) -> None:
        """Writes the refutations to a PGN file."""
        _files.write(path, "".join(f"{game}\n" for game in self.refutations).encode())

    def __repr__(self) -> str:
        if self.side == "white":
            what = f"mate forced from {self.forced_mates:,} of {self.won_positions:,} won positions"
        else:
            what = f"{self.kept:,} of {self.held_positions:,} positions held"
        return f"<certificate of {self.player} in {self.material} on {self.board}×{self.board}: {what}>"


def certify(
    endgame: str,
    policy: Union[Policy, Player, str],
    *,
    board: int = 8,
    side: str = "white",
    symmetric: bool = False,
    convert: str = "player",
    actions: str = "alphazero",
    name: str | None = None,
    tables: str | os.PathLike[str] | None = None,
    progress: Progress = None,
) -> Certificate:
    """Proves what a policy is worth against every opponent.

    policy
        any function from :class:`Positions` to moves: an array (n,) of actions in the numbering
        ``actions``, an array (n, 3) of from, to (a1 is 0, b1 is 1, h8 is 63) and promotion (0, or 2 to
        5 for knight to queen), or a list of texts in UCI notation. It must answer the same position
        with the same move. A :class:`lucena.Player` or its text is certified as on the command line.
    side
        ``white``, the side that is named first, attacks; ``black`` defends
    symmetric
        the function plays mirrored positions alike, so that one of them needs to be asked
    convert
        what counts after a capture or promotion: the ``player``'s own play, or the exact ``truth``

    >>> import lucena
    >>> def first_move(positions):
    ...     return [moves[0] for moves in positions.legal_moves()]
    >>> certificate = lucena.certify("KQK", first_move, board=4)
    >>> 0 <= certificate.share < 1
    True
    """
    if isinstance(policy, str):
        policy = Player(policy, tables=tables)
    if isinstance(policy, Player):
        with reporting(progress, f"{policy.text} in {endgame}") as step:
            native = _lucena.certify_player(
                endgame, policy.text, board, side, convert, tables, step
            )
        return Certificate(native, name or policy.text)
    if not callable(policy):
        raise SettingsError(
            f"policy is {policy!r}, expected a function from positions to moves, or a player"
        )
    if name is None:
        name = getattr(policy, "__name__", None) or type(policy).__name__
    with reporting(progress, f"{name} in {endgame}") as step:
        native = _lucena.certify_function(
            endgame, _answering(policy), actions, board, side, symmetric, convert, tables, step
        )
    return Certificate(native, name)


def _answering(policy: Policy) -> Callable[[Positions], Any]:
    """A policy whose answer is a list of texts or an array of int64."""

    def answer(positions: Positions) -> Any:
        found = policy(positions)
        if isinstance(found, (list, tuple)) and all(isinstance(move, str) for move in found):
            return list(found)
        array = np.asarray(found)
        if array.dtype.kind in "US":
            return [str(move) for move in array.tolist()]
        if array.dtype.kind in "iu":
            return np.ascontiguousarray(array, np.int64)
        return found

    return answer
