"""What the package is made of in Rust. Use :mod:`lucena`, :mod:`lucena.gymnasium` and
:mod:`lucena.pettingzoo` instead; :class:`Positions` is also ``lucena.Positions``."""

import os
from collections.abc import Callable, Sequence
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import NDArray

__version__: str
SETTINGS: list[tuple[str, str]]

_Path = str | os.PathLike[str]
_Progress = Callable[[int, int | None, str], object] | None
_Settings = Sequence[tuple[str, str]]

class Environment:
    """One game after another, seen and played through numbers."""

    def __init__(self, settings: _Settings, seed: int = 0, tables: _Path | None = None) -> None: ...
    @property
    def observation_shape(self) -> list[int]: ...
    @property
    def observation_dtype(self) -> str: ...
    @property
    def observation_bounds(self) -> tuple[float, float]: ...
    @property
    def action_count(self) -> int: ...
    @property
    def sees_exact_answers(self) -> bool: ...
    def reset(self, seed: int | None = None, fen: str | None = None) -> None: ...
    def step(self, action: SupportsIndex) -> tuple[float, float, bool, bool]:
        """The rewards of the side that acted and of the other, whether the game is over, and whether
        it was cut off."""
    def observe(self, out: NDArray[Any], viewer: str | None = None) -> None: ...
    def mask(self, out: NDArray[np.int8]) -> None: ...
    def legal_actions(self) -> NDArray[np.int64]: ...
    def legal_moves(self) -> list[str]: ...
    def action(self, uci: str) -> int:
        """The number of a legal move in UCI notation."""
    def uci(self, action: SupportsIndex) -> str:
        """The move that a legal action stands for; ``claim`` for the claim of a draw."""
    @property
    def fen(self) -> str: ...
    @property
    def board(self) -> int: ...
    @property
    def turn(self) -> str: ...
    @property
    def learner(self) -> str | None: ...
    @property
    def plies(self) -> int: ...
    @property
    def outcome(self) -> tuple[str | None, str] | None:
        """The winner, if there is one, and the reason; none while the game goes on."""
    def line(self) -> tuple[str, list[str]]:
        """The first position and the moves since, in UCI notation."""
    def pgn(self, white: str = "?", black: str = "?") -> str: ...
    def diagram(self) -> str: ...

class Environments:
    """Many environments of one setup, stepped together on all cores."""

    def __init__(
        self,
        settings: _Settings,
        count: int,
        seed: int = 0,
        autoreset: str = "next-step",
        tables: _Path | None = None,
    ) -> None: ...
    def __len__(self) -> int: ...
    @property
    def observation_shape(self) -> list[int]: ...
    @property
    def observation_dtype(self) -> str: ...
    @property
    def observation_bounds(self) -> tuple[float, float]: ...
    @property
    def action_count(self) -> int: ...
    @property
    def sees_exact_answers(self) -> bool: ...
    def reset(
        self,
        seed: int | None,
        observations: NDArray[Any],
        masks: NDArray[np.int8],
        which: NDArray[np.bool_] | None = None,
    ) -> None: ...
    def step(
        self,
        actions: NDArray[np.int64],
        observations: NDArray[Any],
        masks: NDArray[np.int8],
        rewards: NDArray[np.float32],
        terminated: NDArray[np.bool_],
        truncated: NDArray[np.bool_],
        last_observations: NDArray[Any] | None = None,
    ) -> None: ...
    def random_actions(self, seed: int, actions: NDArray[np.int64]) -> None: ...
    def fens(self) -> list[str]: ...
    def diagrams(self) -> list[str]: ...
    def turns(self) -> list[str]: ...
    def outcomes(self) -> list[tuple[str | None, str] | None]: ...
    def learners(self) -> list[str | None]: ...
    def plies(self) -> list[int]: ...

class Positions:
    """Many positions at once, as arrays or FENs, with everything about them that a policy may want.

    >>> from lucena import Positions
    >>> positions = Positions(["k4/5/1K3/5/4R w", "k4/5/1K3/5/3R1 w"])
    >>> positions.pieces.shape, positions.board, positions.legal_moves()[0][0]
    ((2, 64), 5, 'e1e2')
    """

    def __init__(self, fens: Sequence[str]) -> None: ...
    @staticmethod
    def from_arrays(
        pieces: NDArray[np.uint8], turn: NDArray[np.uint8], board: int = 8
    ) -> Positions:
        """Positions from men and sides to move, as :attr:`pieces` and :attr:`turn` show them."""
    def __len__(self) -> int: ...
    def __getitem__(self, index: int) -> str: ...
    def fens(self) -> list[str]: ...
    @property
    def board(self) -> int: ...
    @property
    def pieces(self) -> NDArray[np.uint8]:
        """The men, (n, 64): a1 first, rank by rank; 0 is empty, 1 to 6 are white's pawn, knight,
        bishop, rook, queen and king, 7 to 12 black's. A small board is the lower left corner."""
    @property
    def turn(self) -> NDArray[np.uint8]:
        """The sides to move, (n,): 0 for white, 1 for black."""
    def legal_moves(self) -> list[list[str]]: ...
    def observations(self, observation: str = "planes", dtype: str | None = None) -> NDArray[Any]:
        """What a learner sees of them, (n, …), as an environment shows it at the beginning of a game."""
    def masks(self, actions: str = "alphazero") -> NDArray[np.int8]:
        """Which actions are legal, (n, actions)."""
    def actions(self, moves: Any, actions: str = "alphazero") -> NDArray[np.int64]:
        """The numbers of legal moves, one for each position."""
    def ucis(self, chosen: Any, actions: str = "alphazero") -> list[str]:
        """The moves in UCI notation that actions, one for each position, stand for."""

class Table:
    @property
    def endgame(self) -> str: ...
    @property
    def board(self) -> int: ...
    @property
    def folder(self) -> os.PathLike[str]: ...
    def statistics(self) -> str: ...
    def probe(self, fen: str) -> tuple[int, int]: ...
    def probe_many(self, positions: Positions) -> tuple[NDArray[np.int8], NDArray[np.int16]]: ...
    def moves(self, fen: str) -> list[tuple[str, tuple[int, int] | None]]: ...
    def line(self, fen: str) -> list[str]: ...
    def positions(
        self, turn: str = "white"
    ) -> tuple[Positions, tuple[NDArray[np.int8], NDArray[np.int16]]]: ...

class Certificate:
    def json(self) -> str: ...
    def policy(self) -> str: ...
    def refutations(self, player: str) -> list[str]: ...

class Player:
    def __init__(self, text: str, seed: int = 0, tables: _Path | None = None) -> None: ...
    @property
    def text(self) -> str: ...
    @property
    def nature(self) -> str: ...
    def new_game(self) -> None: ...
    def choose(
        self,
        fen: str,
        moves: Sequence[str] | None = None,
        depth: int | None = None,
        nodes: int | None = None,
        movetime: float | None = None,
    ) -> dict[str, Any]: ...
    def choose_in(self, environment: Environment) -> dict[str, Any]: ...

class SelfPlay:
    """Someone who plays the games of a run, part by part."""

    def __init__(self, plan: str, tables: _Path | None = None) -> None: ...
    @property
    def parts(self) -> int: ...
    @property
    def is_synchronous(self) -> bool: ...
    @property
    def room(self) -> int:
        """So many parts may travel together."""

    def take_weights(self, weights: bytes) -> None: ...
    def new_games(self, part: int, life: int) -> bytes: ...
    def play(self, part: int, games: bytes) -> tuple[bytes, bytes]:
        """What there is to learn from, and how the games stand now."""

def plan(
    recipe: str,
    endgame: str | None = None,
    board: int = 8,
    episodes: int = 30_000,
    seed: int = 1,
    settings: _Settings = (),
    evaluate: Sequence[str] = (),
    evaluate_every: int | None = None,
    evaluation_games: int = 200,
    stop_at: float | None = None,
    stop_after: int = 3,
    checkpoint_every: int | None = None,
    keep: int = 3,
    searched_by: str | None = None,
) -> str:
    """What a run is to do, as the text of ``run.toml``."""
def plan_of(folder: _Path, episodes: int | None = None) -> str: ...
def recipe_settings(recipe: str) -> str: ...
def train(
    folder: _Path,
    plan: str | None = None,
    elsewhere: Any = None,
    until: int | None = None,
    tables: _Path | None = None,
    progress: _Progress = None,
) -> str:
    """Carries a plan out in a folder, or goes on with the run there; what came of it, as JSON."""
def solve(
    endgame: str, board: int = 8, tables: _Path | None = None, progress: _Progress = None
) -> Table: ...
def certify_function(
    endgame: str,
    policy: Callable[[Positions], Any],
    actions: str = "alphazero",
    board: int = 8,
    side: str = "white",
    symmetric: bool = False,
    convert: str = "player",
    tables: _Path | None = None,
    progress: _Progress = None,
) -> Certificate: ...
def certify_player(
    endgame: str,
    player: str,
    board: int = 8,
    side: str = "white",
    convert: str = "player",
    tables: _Path | None = None,
    progress: _Progress = None,
) -> Certificate: ...
def play_match(
    first: str,
    second: str,
    games: int,
    endgame: str | None = None,
    board: int = 8,
    positions: Sequence[str] | None = None,
    won: bool = False,
    paired: bool = False,
    rules: str | None = None,
    depth: int | None = None,
    nodes: int | None = None,
    movetime: float | None = None,
    seed: int = 1,
    threads: int = 0,
    tables: _Path | None = None,
    progress: _Progress = None,
) -> str: ...
def players() -> list[tuple[str, str, list[tuple[str, str]]]]: ...
def run_info(folder: _Path) -> str: ...
def runs(folder: _Path) -> str: ...
def tables_folder() -> os.PathLike[str]:
    """Where tables are kept unless another folder is named: where the command line keeps them."""
def _panic(why: str) -> None: ...
