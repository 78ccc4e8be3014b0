"""The environment behind ``chess_v0`` and ``endgame_v0``."""

from __future__ import annotations

import functools
import os
from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium.spaces import Box, Dict
from gymnasium.utils import EzPickle
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from lucena import _lucena, _settings, drawing
from lucena.errors import ClosedError, SettingsError
from lucena.gymnasium import RENDER_MODES, LegalActions, checked_render_mode, observation_box

AGENTS = ["player_0", "player_1"]
SIDES = dict(zip(AGENTS, ["white", "black"]))
AGENT_OF = {side: agent for agent, side in SIDES.items()}


class TwoSides(AECEnv, EzPickle):
    """Chess between two agents.

    The parameters are those of :class:`lucena.gymnasium.ChessEnv`, less the opponent and its side, and

    masks
        where the legal actions are shown: ``info`` (``info["action_mask"]``, so that an observation is
        a plain array) or ``observation`` (then it is a dictionary of ``observation`` and
        ``action_mask``, as in PettingZoo's own games)

    An illegal action raises :class:`lucena.errors.IllegalActionError` and changes nothing; whoever
    prefers to lose by it puts PettingZoo's ``TerminateIllegalWrapper`` around the environment.
    """

    metadata: dict[str, Any] = {
        "render_modes": RENDER_MODES,
        "name": "chess_v0",
        "is_parallelizable": False,
        "render_fps": 2,
    }

    def __init__(
        self,
        *,
        observation: str = "planes",
        actions: str = "alphazero",
        start: str = "start",
        draws: str = "automatic",
        limit: int | None = None,
        rewards: str | Mapping[str, float] | None = None,
        book: str | os.PathLike[str] | None = None,
        syzygy: str | os.PathLike[str] | None = None,
        masks: str = "info",
        dtype: str | None = None,
        tables: str | os.PathLike[str] | None = None,
        render_mode: str | None = None,
    ) -> None:
        settings = dict(
            observation=observation, actions=actions, start=start, draws=draws, limit=limit,
            rewards=rewards, book=book, syzygy=syzygy,
        )  # fmt: skip
        EzPickle.__init__(
            self, **settings, masks=masks, dtype=dtype, tables=tables, render_mode=render_mode
        )
        super().__init__()
        if masks not in ("info", "observation"):
            raise SettingsError(f"masks is {masks!r}, expected 'info' or 'observation'")
        self.render_mode = checked_render_mode(render_mode)
        self._in_observation = masks == "observation"
        native = _lucena.Environment(_settings.texts(settings), tables=tables)
        self._native: _lucena.Environment | None = native
        self._begun = False
        box = observation_box(native, dtype)
        self._shape, self._dtype, self._actions = box.shape, box.dtype, native.action_count
        self.possible_agents = AGENTS[:]
        self.agents: list[str] = []
        self.action_spaces = {
            agent: LegalActions(self._actions, functools.partial(self._mask, agent))
            for agent in AGENTS
        }
        if self._in_observation:
            mask = Box(0, 1, (self._actions,), np.int8)
            spaces = [Dict({"observation": box, "action_mask": mask}) for _ in AGENTS]
        else:
            spaces = [observation_box(native, dtype) for _ in AGENTS]
        self.observation_spaces = dict(zip(AGENTS, spaces))

    @property
    def game(self) -> _lucena.Environment:
        """The game behind the numbers: its position, its moves, its outcome."""
        if self._native is None:
            raise ClosedError("the environment was closed: make a new one")
        return self._native

    def observation_space(self, agent: str):
        return self.observation_spaces[agent]

    def action_space(self, agent: str):
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begins a new game. ``options={"fen": "…"}`` begins it from a position."""
        game = self.game
        if seed is None and not self._begun:
            seed = int(np.random.default_rng().integers(2**63))
        game.reset(seed, (options or {}).get("fen"))
        self._begun = True
        self.agents = AGENTS[:]
        self.agent_selection = AGENT_OF[game.turn]
        self.rewards = dict.fromkeys(AGENTS, 0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self._inform()
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str):
        """What an agent sees, whoever is to move."""
        out = np.empty(self._shape, self._dtype)
        self.game.observe(out, SIDES[agent])
        if self._in_observation:
            return {"observation": out, "action_mask": self._mask(agent)}
        return out

    def step(self, action: Any) -> None:
        game = self.game
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        reward, other_reward, terminated, truncated = game.step(action)
        other = AGENTS[1] if agent == AGENTS[0] else AGENTS[0]
        self._cumulative_rewards[agent] = 0
        self.rewards[agent], self.rewards[other] = reward, other_reward
        if terminated or truncated:
            self.terminations = dict.fromkeys(AGENTS, terminated)
            self.truncations = dict.fromkeys(AGENTS, truncated)
        # A draw that is claimed leaves the turn where it is, but the other one is told first.
        self.agent_selection = other
        self._accumulate_rewards()
        self._inform()
        if self.render_mode == "human":
            self.render()

    def render(self):
        game = self.game
        if self.render_mode == "ansi":
            return game.diagram()
        if self.render_mode == "rgb_array":
            return drawing.rgb(game.fen)
        if self.render_mode == "human":
            drawing.show(game.fen, game.diagram())
        return None

    def close(self) -> None:
        self._native = None

    def _mask(self, agent: str) -> NDArray[np.int8]:
        if agent != self.agent_selection:
            return np.zeros(self._actions, np.int8)
        mask = np.empty(self._actions, np.int8)
        self.game.mask(mask)
        return mask

    def _inform(self) -> None:
        if self._in_observation:
            self.infos = {agent: {} for agent in self.agents}
        else:
            self.infos = {agent: {"action_mask": self._mask(agent)} for agent in self.agents}


def wrapped(environment: AECEnv) -> AECEnv:
    """What PettingZoo puts around an environment, so that calls in the wrong order are told."""
    return OrderEnforcingWrapper(environment)
