"""Games between agents: one (:func:`run`), or many to see what an agent is worth (:func:`evaluate`).

An agent is a player (:class:`lucena.Player` or its text) or any function from a batch of observations
(n, …) and masks (n, actions) to actions (n,)::

    def first_legal(observations, masks):
        return masks.argmax(1)

    print(lucena.evaluate(first_legal, "random", games=1000))
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, Union

import numpy as np
from numpy.typing import NDArray

from lucena import _lucena, _settings
from lucena._progress import Progress, reporting
from lucena.errors import DtypeError, SettingsError, ShapeError
from lucena.players import Player

#: From observations (n, …) and masks (n, actions) to actions (n,).
Function = Callable[[NDArray[Any], NDArray[np.int8]], Any]
Agent = Union[Function, Player, str]

SIDES = ("white", "black")


@dataclasses.dataclass(frozen=True)
class Played:
    """A game that was played."""

    winner: str | None
    """``white``, ``black`` or nobody."""
    reason: str
    """Why it ended: ``checkmate``, ``stalemate``, …"""
    rewards: dict[str, float]
    """What each side was given, all moves together."""
    start: str
    """The first position."""
    moves: tuple[str, ...]
    """In UCI notation."""
    pgn: str = dataclasses.field(repr=False)


@dataclasses.dataclass(frozen=True)
class Evaluation:
    """What an agent achieved."""

    wins: int
    draws: int
    losses: int
    as_white: tuple[int, int, int]
    """Wins, draws and losses as white."""
    as_black: tuple[int, int, int]

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> int:
        """Wins less losses."""
        return self.wins - self.losses


def _settled(settings: dict[str, Any]) -> tuple[dict[str, Any], str | None, Any]:
    """The settings of an environment, the kind of numbers, and the folder of tables."""
    settings = dict(settings)
    for name in ("opponent", "side"):
        if name in settings:
            raise SettingsError(f"'{name}' is settled by who plays whom")
    if "endgame" in settings:
        named = {key: settings.pop(key) for key in ("board", "turn", "won") if key in settings}
        settings["start"] = _settings.endgame(settings.pop("endgame"), **named)
    return settings, settings.pop("dtype", None), settings.pop("tables", None)


def _answer(agent: Function, observations: NDArray[Any], masks: NDArray[np.int8]) -> NDArray[np.int64]:
    actions = np.asarray(agent(observations, masks))
    if actions.dtype.kind not in "iu":
        raise DtypeError(f"the agent answered an array of {actions.dtype}, expected whole numbers")
    if actions.shape != masks.shape[:1]:
        raise ShapeError(
            f"the agent answered an array of the shape {actions.shape}, expected {masks.shape[:1]}"
        )
    return actions.astype(np.int64)


def run(white: Agent, black: Agent, *, seed: int = 0, **settings: Any) -> Played:
    """Plays one game between two agents.

    Settings are those of an environment: ``observation``, ``actions``, ``start`` or ``endgame`` and
    ``board``, ``draws``, ``limit``, ``rewards``.

    >>> import lucena
    >>> game = lucena.run("minimax:depth=2", "random", endgame="KRK", seed=1)
    >>> game.winner in ("white", None)
    True
    """
    settings, dtype, tables = _settled(settings)
    game = _lucena.Environment(_settings.texts(settings), seed, tables)
    game.reset(seed, None)
    agents: dict[str, Any] = {}
    for index, (side, agent) in enumerate(zip(SIDES, (white, black))):
        text = agent.text if isinstance(agent, Player) else agent
        if isinstance(text, str):
            agent = _lucena.Player(text, 2 * seed + index, tables)
        agents[side] = agent
    observation = np.empty((1, *game.observation_shape), dtype or game.observation_dtype)
    mask = np.empty((1, game.action_count), np.int8)
    rewards = dict.fromkeys(SIDES, 0.0)
    while game.outcome is None:
        side = game.turn
        other = SIDES[1 - SIDES.index(side)]
        agent = agents[side]
        if isinstance(agent, _lucena.Player):
            action = game.action(agent.choose_in(game)["move"])
        else:
            game.observe(observation[0])
            game.mask(mask[0])
            action = int(_answer(agent, observation, mask)[0])
        reward, other_reward, _, _ = game.step(action)
        rewards[side] += reward
        rewards[other] += other_reward
    winner, reason = game.outcome
    start, moves = game.line()
    return Played(winner, reason, rewards, start, tuple(moves), game.pgn(_name(white), _name(black)))


def _name(agent: Agent) -> str:
    if isinstance(agent, str):
        return agent
    return getattr(agent, "text", None) or getattr(agent, "__name__", type(agent).__name__)


def evaluate(
    agent: Agent,
    opponent: Agent = "random",
    *,
    games: int = 1000,
    seed: int = 0,
    num_envs: int = 64,
    progress: Progress = None,
    **settings: Any,
) -> Evaluation:
    """Plays games against an opponent, half of them as white, and counts.

    Functions are asked in batches of up to ``num_envs`` positions. Settings are those of :func:`run`.

    >>> import lucena
    >>> def first_legal(observations, masks):
    ...     return masks.argmax(1)
    >>> lucena.evaluate(first_legal, "random", games=20, limit=40).games
    20
    """
    if games < 1 or num_envs < 1:
        raise SettingsError(f"games={games} and num_envs={num_envs}, expected numbers from 1")
    functions = [not isinstance(who, (str, Player)) for who in (agent, opponent)]
    results: dict[str, list[str | None]] = {}
    shares = {"white": games - games // 2, "black": games // 2}
    with reporting(progress, f"{_name(agent)} – {_name(opponent)}") as step:

        def told(side: str, done: int) -> None:
            if step is not None:
                before = shares["white"] if side == "black" else 0
                step(before + done, games, f"as {side}")

        for side in SIDES:
            count = shares[side]
            if count == 0:
                results[side] = []
            elif functions == [False, False]:
                seats = {side: agent, SIDES[1 - SIDES.index(side)]: opponent}
                results[side] = []
                for index in range(count):
                    number = 2 * (seed + index) + SIDES.index(side)
                    results[side].append(run(**seats, seed=number, **settings).winner)
                    told(side, index + 1)
            else:
                many = _Many(side, seed, min(num_envs, count), settings)
                results[side] = many.play(agent, opponent, count, told)
    counts = {
        side: (
            sum(winner == side for winner in won),
            sum(winner is None for winner in won),
            sum(winner not in (side, None) for winner in won),
        )
        for side, won in results.items()
    }
    wins, draws, losses = (sum(pair) for pair in zip(counts["white"], counts["black"]))
    return Evaluation(wins, draws, losses, counts["white"], counts["black"])


class _Many:
    """Games of which at least one side is played by a function, many at once."""

    def __init__(self, side: str, seed: int, slots: int, settings: dict[str, Any]) -> None:
        self.side, self.seed, self.slots = side, seed, slots
        self.settings, self.dtype, self.tables = _settled(settings)

    def play(self, agent: Agent, opponent: Agent, games: int, told) -> list[str | None]:
        functions: dict[str, Function] = {}
        settings = self.settings
        other = SIDES[1 - SIDES.index(self.side)]
        # Players move in Rust, as the opponent of the side that a function plays.
        if isinstance(agent, (str, Player)):
            functions[other] = opponent  # type: ignore[assignment]
            settings = {**settings, "opponent": agent, "side": other}
        elif isinstance(opponent, (str, Player)):
            functions[self.side] = agent
            settings = {**settings, "opponent": opponent, "side": self.side}
        else:
            functions = {self.side: agent, other: opponent}
        seed = 2 * self.seed + SIDES.index(self.side)
        envs = _lucena.Environments(
            _settings.texts(settings), self.slots, seed, "next-step", self.tables
        )
        kind = self.dtype or envs.observation_dtype
        observations = np.empty((self.slots, *envs.observation_shape), kind)
        masks = np.empty((self.slots, envs.action_count), np.int8)
        rewards = np.empty(self.slots, np.float32)
        terminated, truncated = np.zeros((2, self.slots), np.bool_)
        # Each plays its share of the games: to take those that end first would favour short ones.
        left = np.full(self.slots, games // self.slots)
        left[: games % self.slots] += 1
        winners: list[str | None] = []
        envs.reset(seed, observations, masks)
        over = np.zeros(self.slots, np.bool_)
        while left.any():
            actions = np.zeros(self.slots, np.int64)
            turns = np.array(envs.turns())
            for side, function in functions.items():
                rows = ~over & (turns == side)
                if rows.any():
                    actions[rows] = _answer(function, observations[rows], masks[rows])
            envs.step(actions, observations, masks, rewards, terminated, truncated)
            over = terminated | truncated
            if over.any():
                outcomes = envs.outcomes()
                for index in np.flatnonzero(over & (left > 0)):
                    left[index] -= 1
                    outcome = outcomes[index]
                    winners.append(None if outcome is None else outcome[0])
                told(self.side, len(winners))
        return winners
