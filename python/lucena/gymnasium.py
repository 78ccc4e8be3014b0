"""Gymnasium: one agent against an opponent, one game or many at once.

Importing :mod:`lucena` registers ``lucena/Chess-v0`` and ``lucena/Endgame-v0``::

    import gymnasium, lucena

    env = gymnasium.make("lucena/Chess-v0", observation="wojcik", opponent="minimax:depth=2")
    envs = gymnasium.make_vec("lucena/Endgame-v0", num_envs=1024, endgame="KRK", board=5)

Observations, actions, opponents, rewards and all other settings are texts; :data:`lucena.SETTINGS`
says what there is. Illegal actions raise :class:`lucena.errors.IllegalActionError` and change nothing;
``info["action_mask"]`` and ``action_masks()`` tell the legal ones.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

import gymnasium
from gymnasium.spaces import Box, Discrete
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from lucena import _lucena, _settings, drawing
from lucena.errors import ClosedError, DtypeError, SettingsError

RENDER_MODES = ["ansi", "rgb_array", "human"]


class LegalActions(Discrete):
    """The numbers of all actions. A sample without a mask is a legal one in the position on the board.

    A copy is a plain :class:`gymnasium.spaces.Discrete`, because it belongs to no board.
    """

    def __init__(self, count: int, mask) -> None:
        super().__init__(count)
        self._mask = mask

    def sample(self, mask=None, probability=None):
        if mask is None and probability is None:
            mask = self._mask()
        return super().sample(mask=mask, probability=probability)

    def __reduce_ex__(self, protocol):
        return Discrete, (int(self.n),)


def observation_box(native, dtype: str | None) -> Box:
    """The space of an environment's observations."""
    low, high = native.observation_bounds
    kind = np.dtype(dtype or native.observation_dtype)
    if kind.kind in "iu":
        high = min(high, np.iinfo(kind).max)
    return Box(low, high, tuple(native.observation_shape), kind.type)


def checked_render_mode(render_mode: str | None) -> str | None:
    if render_mode is not None and render_mode not in RENDER_MODES:
        raise SettingsError(f"render_mode is {render_mode!r}, expected one of {RENDER_MODES} or None")
    return render_mode


class ChessEnv(gymnasium.Env[NDArray[Any], np.int64]):
    """Whole games of chess against an opponent.

    Parameters, all of them optional and by name:

    observation
        what is seen: ``planes`` (with parts such as ``planes:history=4,clock=off``), ``salisch-1``,
        ``salisch-2``, ``wojcik``, ``wojcik-squares``, ``pettingzoo``
    actions
        how moves are numbered: ``alphazero``, ``alphazero+claim``, ``wojcik``, ``pettingzoo``
    start
        where games begin: ``start``, ``fen:FEN``, ``endgame:KRK``, ``positions:FILE``, ``games:FILE``
    draws
        ``automatic``, ``claimed``, ``claimable`` or ``never``
    limit
        moves of each side after which a game is cut off
    opponent
        any player by its text, such as ``random`` or ``uci:stockfish,nodes=1000``; with ``none`` the
        caller moves for both sides, and every observation and reward is that of the side to move
    side
        the learner's colour: ``white``, ``black`` or ``either``
    rewards
        a text or a mapping, such as ``{"end": 1000, "book": 10}``
    book, syzygy
        the files behind the rewards for moves of a book and for shorter wins
    dtype
        the kind of number of observations: the smallest that holds them, or ``float32``
    tables
        the folder of exact tables

    >>> import gymnasium, lucena
    >>> env = gymnasium.make("lucena/Chess-v0", observation="wojcik", opponent="random")
    >>> observation, info = env.reset(seed=1)
    >>> observation.shape, int(info["action_mask"].sum())
    ((16, 8, 8), 20)
    """

    metadata = {"render_modes": RENDER_MODES, "render_fps": 2}

    def __init__(
        self,
        *,
        observation: str = "planes",
        actions: str = "alphazero",
        start: str = "start",
        draws: str = "automatic",
        limit: int | None = None,
        opponent: Any = "random",
        side: str | None = None,
        rewards: str | Mapping[str, float] | None = None,
        book: str | os.PathLike[str] | None = None,
        syzygy: str | os.PathLike[str] | None = None,
        dtype: str | None = None,
        tables: str | os.PathLike[str] | None = None,
        render_mode: str | None = None,
    ) -> None:
        settings = dict(
            observation=observation, actions=actions, start=start, draws=draws, limit=limit,
            opponent=opponent, side=side, rewards=rewards, book=book, syzygy=syzygy,
        )  # fmt: skip
        self.render_mode = checked_render_mode(render_mode)
        self._native: _lucena.Environment | None = _lucena.Environment(
            _settings.texts(settings), tables=tables
        )
        self._begun = False
        self.observation_space = observation_box(self._native, dtype)
        self.action_space = LegalActions(self._native.action_count, self._action_mask)

    @property
    def game(self) -> _lucena.Environment:
        """The game behind the numbers: its position, its moves, its outcome."""
        if self._native is None:
            raise ClosedError("the environment was closed: make a new one")
        return self._native

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Begins a new game. ``options={"fen": "…"}`` begins it from a position."""
        game = self.game
        super().reset(seed=seed)
        if seed is None and not self._begun:
            seed = int(self.np_random.integers(2**63))
        fen = (options or {}).get("fen")
        game.reset(seed, fen)
        self._begun = True
        if self.render_mode == "human":
            self.render()
        return self._observation(), {"action_mask": self._action_mask()}

    def step(self, action: Any) -> tuple[NDArray[Any], float, bool, bool, dict[str, Any]]:
        game = self.game
        reward, _, terminated, truncated = game.step(action)
        info: dict[str, Any] = {"action_mask": self._action_mask()}
        if terminated or truncated:
            info["winner"], info["reason"] = game.outcome or (None, "")
        if self.render_mode == "human":
            self.render()
        return self._observation(), reward, terminated, truncated, info

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions are legal, as sb3-contrib asks for it."""
        return self._action_mask().view(np.bool_)

    def render(self):
        game = self.game
        if self.render_mode == "ansi":
            return game.diagram()
        if self.render_mode == "rgb_array":
            return drawing.rgb(game.fen)
        if self.render_mode == "human":
            drawing.show(game.fen, game.diagram())
            return None
        gymnasium.logger.warn("render() was called, but no render_mode was given to make()")
        return None

    def close(self) -> None:
        self._native = None

    def _observation(self) -> NDArray[Any]:
        out = np.empty(self.observation_space.shape, self.observation_space.dtype)
        self.game.observe(out)
        return out

    def _action_mask(self) -> NDArray[np.int8]:
        out = np.empty(self.action_space.n, np.int8)
        self.game.mask(out)
        return out


class EndgameEnv(ChessEnv):
    """Random positions of an endgame, on boards of 4×4 to 8×8, against an opponent.

    endgame
        such as ``KRK``; white, the side that is named first, is the learner's unless ``side`` says so
    board
        the size of the board
    turn
        who is to move at the beginning: ``white``, ``black`` or ``either``
    won
        begin only from positions that white wins by exact play

    All other parameters are those of :class:`ChessEnv`.

    >>> import gymnasium, lucena
    >>> env = gymnasium.make("lucena/Endgame-v0", endgame="KRK", board=5, limit=50)
    >>> observation, info = env.reset(seed=1)
    """

    def __init__(
        self,
        *,
        endgame: str = "KRK",
        board: int = 8,
        turn: str = "white",
        won: bool = False,
        **settings: Any,
    ) -> None:
        super().__init__(start=_settings.endgame(endgame, board, turn, won), **settings)


_MODES = {
    AutoresetMode.NEXT_STEP: "next-step",
    AutoresetMode.SAME_STEP: "same-step",
    AutoresetMode.DISABLED: "disabled",
}


class ChessVectorEnv(VectorEnv[NDArray[Any], NDArray[np.int64], NDArray[Any]]):
    """Many games of chess at once, on all cores.

    It is what ``gymnasium.make_vec("lucena/Chess-v0", num_envs=1024, …)`` makes. The parameters are
    those of :class:`ChessEnv` and

    autoreset_mode
        what happens to a game that is over, in Gymnasium's words: ``NextStep``, ``SameStep`` or
        ``Disabled`` (then ``reset(options={"reset_mask": …})`` begins some anew)
    copy
        with ``False`` every step writes into the same arrays: faster, but what was returned before
        is lost

    Random numbers of environment *i* follow from the seed and *i* alone: the same on any number of
    cores and among any number of environments. An illegal action changes nothing in any of them.

    >>> import gymnasium, lucena
    >>> envs = gymnasium.make_vec("lucena/Chess-v0", num_envs=8, observation="salisch-2")
    >>> observations, infos = envs.reset(seed=1)
    >>> observations, rewards, terminated, truncated, infos = envs.step(envs.random_actions())
    >>> observations.shape, infos["action_mask"].shape
    ((8, 66), (8, 4672))
    """

    def __init__(
        self,
        num_envs: int = 1,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        render_mode: str | None = None,
        dtype: str | None = None,
        tables: str | os.PathLike[str] | None = None,
        opponent: Any = "random",
        **settings: Any,
    ) -> None:
        super().__init__()
        if isinstance(num_envs, bool) or not isinstance(num_envs, (int, np.integer)) or num_envs < 1:
            raise SettingsError(f"num_envs is {num_envs!r}, expected a whole number from 1")
        try:
            mode = AutoresetMode(autoreset_mode)
        except ValueError:
            known = [mode.value for mode in AutoresetMode]
            raise SettingsError(
                f"autoreset_mode is {autoreset_mode!r}, expected one of {known}"
            ) from None
        self.num_envs = int(num_envs)
        self.copy = copy
        self.render_mode = checked_render_mode(render_mode)
        self.metadata = {**ChessEnv.metadata, "autoreset_mode": mode}
        self.autoreset_mode = mode
        texts = _settings.texts({"opponent": opponent, **settings})
        self._native: _lucena.Environments | None = _lucena.Environments(
            texts, self.num_envs, autoreset=_MODES[mode], tables=tables
        )
        self.single_observation_space = observation_box(self._native, dtype)
        self.single_action_space = Discrete(self._native.action_count)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._begun = False
        self._seed = 0
        self._allocate()

    def _allocate(self) -> None:
        """New arrays for the next results."""
        self._observations = np.empty(self.observation_space.shape, self.observation_space.dtype)
        self._masks = np.empty((self.num_envs, int(self.single_action_space.n)), np.int8)
        self._rewards = np.empty(self.num_envs, np.float32)
        self._terminated = np.empty(self.num_envs, np.bool_)
        self._truncated = np.empty(self.num_envs, np.bool_)
        self._last = np.empty_like(self._observations) if self._same_step else None

    @property
    def _same_step(self) -> bool:
        return self.autoreset_mode == AutoresetMode.SAME_STEP

    @property
    def games(self) -> _lucena.Environments:
        """The games behind the numbers: their positions, who is to move, their outcomes."""
        if self._native is None:
            raise ClosedError("the environments were closed: make new ones")
        return self._native

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        games = self.games
        if seed is not None and not isinstance(seed, (int, np.integer)):
            raise SettingsError(
                f"seed is {seed!r}, expected one whole number: each environment derives its own from it"
            )
        super().reset(seed=None if seed is None else int(seed))
        if seed is None and not self._begun:
            seed = int(self.np_random.integers(2**63))
        which = (options or {}).get("reset_mask")
        if self.copy and which is None:
            self._allocate()
        elif self.copy:
            self._observations, self._masks = self._observations.copy(), self._masks.copy()
        if seed is not None:
            self._seed = int(seed)
        games.reset(None if seed is None else int(seed), self._observations, self._masks, which)
        self._begun = True
        return self._observations, self._infos()

    def step(
        self, actions: Any
    ) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        games = self.games
        actions = np.asarray(actions)
        if actions.dtype.kind not in "iu":
            raise DtypeError(f"actions is an array of {actions.dtype}, expected whole numbers")
        actions = np.ascontiguousarray(actions, np.int64)
        before = self._observations, self._masks
        if self.copy:
            self._allocate()
        try:
            games.step(
                actions, self._observations, self._masks, self._rewards, self._terminated,
                self._truncated, self._last,
            )  # fmt: skip
        except BaseException:
            # A refused step changes nothing: the new arrays were never written.
            self._observations, self._masks = before
            raise
        infos = self._infos()
        if self._last is not None:
            over = self._terminated | self._truncated
            if over.any():
                last = np.full(self.num_envs, None, dtype=object)
                for index in np.flatnonzero(over):
                    last[index] = self._last[index].copy()
                infos["final_obs"], infos["_final_obs"] = last, over
                infos["final_info"], infos["_final_info"] = {}, over.copy()
        return self._observations, self._rewards, self._terminated, self._truncated, infos

    def _infos(self) -> dict[str, Any]:
        return {"action_mask": self._masks, "_action_mask": np.ones(self.num_envs, np.bool_)}

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions are legal, a row for each environment."""
        self.games
        return self._masks.view(np.bool_)

    def random_actions(self) -> NDArray[np.int64]:
        """A random legal action for each environment; 0 where the game is over."""
        actions = np.empty(self.num_envs, np.int64)
        self.games.random_actions(self._seed, actions)
        return actions

    def render(self):
        if self.render_mode is None:
            gymnasium.logger.warn("render() was called, but no render_mode was given to make_vec()")
            return None
        if self.render_mode == "rgb_array":
            return tuple(drawing.rgb(fen) for fen in self.games.fens())
        diagrams = tuple(self.games.diagrams())
        if self.render_mode == "ansi":
            return diagrams
        for fen, diagram in zip(self.games.fens(), diagrams):
            drawing.show(fen, diagram)
        return None

    def close_extras(self, **kwargs: Any) -> None:
        self._native = None


class EndgameVectorEnv(ChessVectorEnv):
    """Many games of an endgame at once; the parameters are those of :class:`EndgameEnv` and
    :class:`ChessVectorEnv`."""

    def __init__(
        self,
        num_envs: int = 1,
        *,
        endgame: str = "KRK",
        board: int = 8,
        turn: str = "white",
        won: bool = False,
        **settings: Any,
    ) -> None:
        super().__init__(num_envs, start=_settings.endgame(endgame, board, turn, won), **settings)


def register() -> None:
    """Tells Gymnasium about our environments; importing :mod:`lucena` does so."""
    for name, kind in [("Chess", "Chess"), ("Endgame", "Endgame")]:
        if f"lucena/{name}-v0" in gymnasium.registry:
            continue
        gymnasium.register(
            id=f"lucena/{name}-v0",
            entry_point=f"lucena.gymnasium:{kind}Env",
            vector_entry_point=f"lucena.gymnasium:{kind}VectorEnv",
            # An opponent may be a foreign program with a clock. It also keeps Gymnasium's checker from
            # playing a move that it drew in one position in another.
            nondeterministic=True,
        )
