#!/usr/bin/env python3
"""Ratings of a ladder against an independent computation.

    python python/checks/check_ratings.py target/release/lucena

Plays a small ladder and works its ratings out again from the games' results in the PGN file, by
Ordo's formula: the expected points of every player, 1 / (1 + 10^(-d/400)) a game, are the points it
has. Plain fixed-point steps instead of Newton's, so that the two share nothing but the formula.
"""

import json
import os
import re
import subprocess
import sys
import tempfile

PLAYERS = ["random", "minimax:depth=1", "minimax:depth=2", "heuristic"]


def main():
    lucena = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "ladder")
        command = [lucena, "ladder", *PLAYERS, "--endgame", "KQK", "--board", "6", "--games", "60", "--prior", "0"]
        command += ["--out", out, "--json", "--tables", os.path.join(folder, "tables")]
        table = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        with open(os.path.join(out, "games.pgn"), encoding="utf-8") as file:
            games = results(file.read())
    ours = {player["player"]: player["elo"] for player in table["players"]}
    theirs = fit(games)
    worst = max(abs(ours[name] - theirs[name]) for name in PLAYERS)
    print(f"check_ratings: {len(games)} games, {len(PLAYERS)} players, largest difference {worst:.4f} Elo")
    if worst > 0.05:
        sys.exit(f"ours {ours}, Ordo's formula {theirs}")


def results(pgn):
    """Pairs of players and the points of the first, one a game."""
    points = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}
    tag = lambda name: re.findall(rf'^\[{name} "(.*)"\]$', pgn, re.M)
    return [(white, black, points[result]) for white, black, result in zip(tag("White"), tag("Black"), tag("Result"))]


def fit(games):
    rating = dict.fromkeys(PLAYERS, 0.0)
    for step in range(200_000):
        surplus = dict.fromkeys(PLAYERS, 0.0)
        for white, black, score in games:
            more = score - 1 / (1 + 10 ** ((rating[black] - rating[white]) / 400))
            surplus[white] += more
            surplus[black] -= more
        if max(abs(more) for more in surplus.values()) < 1e-6:
            break
        for name, more in surplus.items():
            rating[name] += 2 * more
    mean = sum(rating.values()) / len(rating)
    return {name: elo - mean for name, elo in rating.items()}


if __name__ == "__main__":
    main()
