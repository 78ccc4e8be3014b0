"""Random positions of an endgame, on boards of 4×4 to 8×8, between two agents.

>>> from lucena.pettingzoo import endgame_v0
>>> env = endgame_v0.env(endgame="KRK", board=5, limit=50)
"""

from __future__ import annotations

from typing import Any

from gymnasium.utils import EzPickle

from lucena import _settings
from lucena.pettingzoo._aec import TwoSides, wrapped


class raw_env(TwoSides):
    """An endgame without wrappers. ``endgame``, ``board``, ``turn`` and ``won`` are those of
    :class:`lucena.gymnasium.EndgameEnv`; see :class:`lucena.pettingzoo._aec.TwoSides` for the rest."""

    metadata = {**TwoSides.metadata, "name": "endgame_v0"}

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
        EzPickle.__init__(self, endgame=endgame, board=board, turn=turn, won=won, **settings)


def env(**settings: Any):
    """An endgame; the parameters are those of :class:`raw_env`."""
    return wrapped(raw_env(**settings))


__all__ = ["env", "raw_env"]
