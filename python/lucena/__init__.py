"""Chess and its endgames for learners, and proofs of what they have learned.

- ``gymnasium.make("lucena/Chess-v0")``, ``"lucena/Endgame-v0"`` and ``gymnasium.make_vec``:
  :mod:`lucena.gymnasium`
- ``lucena.pettingzoo.chess_v0`` and ``endgame_v0``: :mod:`lucena.pettingzoo`
- :func:`solve` an endgame exactly, :func:`certify` a policy against every defence
- :class:`Player`, :func:`match`, :func:`run`, :func:`evaluate`, :class:`Run`
"""

from __future__ import annotations

import importlib.util

from lucena import errors
from lucena._lucena import SETTINGS as _SETTINGS
from lucena._lucena import Positions, __version__, tables_folder
from lucena.agents import Evaluation, Played, evaluate, run
from lucena.errors import Error
from lucena.players import Choice, MatchResult, Player, Run, match, players, runs
from lucena.truth import Certificate, Table, Verdict, Verdicts, certify, solve

SETTINGS: dict[str, str] = dict(_SETTINGS)
"""Every setting of an environment, and what it means."""

if importlib.util.find_spec("gymnasium") is not None:
    from lucena import gymnasium as _gymnasium

    _gymnasium.register()

__all__ = [
    "SETTINGS",
    "Certificate",
    "Choice",
    "Error",
    "Evaluation",
    "MatchResult",
    "Played",
    "Player",
    "Positions",
    "Run",
    "Table",
    "Verdict",
    "Verdicts",
    "__version__",
    "certify",
    "errors",
    "evaluate",
    "match",
    "players",
    "run",
    "runs",
    "solve",
    "tables_folder",
]
