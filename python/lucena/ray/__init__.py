"""Beyond one machine: self-play, searches for settings and certificates on a Ray cluster.

``python -m lucena.ray train alphazero --endgame KRK --actors 16 --address auto --out runs/krk``, or from Python::

    from lucena.ray import train

    train("alphazero", endgame="KRK", episodes=200, actors=16, out="runs/krk", address="auto")

A run is a folder as ``lucena train`` makes it, whoever played its games: it is shown, certified and resumed
by the same commands, with Ray or without. ``docs/cluster.md`` of the project tells the rest. Needs Ray
(``pip install "lucena[ray]"``); importing this module does not.
"""

from __future__ import annotations

from lucena.ray.certifying import certify
from lucena.ray.training import train
from lucena.ray.tuning import tune

__all__ = ["certify", "train", "tune"]
