"""How fast python-chess reads games, playing every move. One core, processor time. Prints one JSON object.

    .venv/bin/python python/checks/bench_games.py FILE.pgn [GAMES]
"""

import io
import json
import sys
import time

import chess
import chess.pgn


class Playing(chess.pgn.BaseVisitor):
    """The least that a reader has to do: play every move."""

    def begin_game(self):
        self.plies = 0

    def begin_variation(self):
        return chess.pgn.SKIP

    def visit_move(self, board, move):
        self.plies += 1

    def result(self):
        return self.plies


path = sys.argv[1]
wanted = int(sys.argv[2]) if len(sys.argv) > 2 else 2000
with open(path, encoding="latin-1") as file:
    text = io.StringIO(file.read())
games = plies = 0
start = time.process_time()
while games < wanted and (read := chess.pgn.read_game(text, Visitor=Playing)) is not None:
    games += 1
    plies += read
seconds = time.process_time() - start
print(json.dumps({"games": games, "plies": plies, "games_per_second": games / seconds, "chess": chess.__version__}))
