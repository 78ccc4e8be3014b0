"""Whole games of chess between two agents.

>>> from lucena.pettingzoo import chess_v0
>>> env = chess_v0.env(**chess_v0.LIKE_CHESS_V6)
"""

from __future__ import annotations

from typing import Any

from lucena.pettingzoo._aec import TwoSides, wrapped

LIKE_CHESS_V6: dict[str, str] = {
    "observation": "pettingzoo",
    "actions": "pettingzoo",
    "draws": "claimable",
    "masks": "observation",
}
"""The settings that show what PettingZoo's own ``chess_v6`` shows, number by number; only after the end no action is
legal here, where theirs still shows the moves of a drawn position."""


class raw_env(TwoSides):
    """Chess without wrappers; see :class:`lucena.pettingzoo._aec.TwoSides` for its parameters."""


def env(**settings: Any):
    """Chess; the parameters are those of :class:`raw_env`."""
    return wrapped(raw_env(**settings))


__all__ = ["LIKE_CHESS_V6", "env", "raw_env"]
