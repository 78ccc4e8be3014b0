#!/usr/bin/env python3
"""Drives the engine with python-chess, an independent reading of the protocol.

    pip install chess
    python python/checks/check_uci.py target/release/lucena

A whole game of chess against Stockfish (or, without Stockfish, against itself), analysis with
several lines, stop, ponder, and rubbish on its input. python-chess logs every complaint about the
protocol: there must be none.
"""

import logging
import os
import shutil
import subprocess
import sys
import tempfile
import time

import chess
import chess.engine


class Complaints(logging.Handler):
    def __init__(self):
        super().__init__(logging.WARNING)
        self.heard = []

    def emit(self, record):
        self.heard.append(record.getMessage())


def main():
    lucena = os.path.abspath(sys.argv[1])
    complaints = Complaints()
    logging.getLogger("chess.engine").addHandler(complaints)
    with tempfile.TemporaryDirectory() as tables:
        command = [lucena, "uci", "--tables", tables]
        game(command)
        analysis(command)
        ponder(command)
        rubbish(command)
        endgame(command)
    assert not complaints.heard, complaints.heard
    print("check_uci: python-chess has no complaint")


def game(command):
    stockfish = shutil.which("stockfish") or shutil.which("/usr/games/stockfish")
    ours = chess.engine.SimpleEngine.popen_uci(command)
    theirs = chess.engine.SimpleEngine.popen_uci([stockfish] if stockfish else command)
    board = chess.Board()
    while not board.is_game_over(claim_draw=True) and board.ply() < 600:
        engine = ours if board.turn else theirs
        limit = chess.engine.Limit(nodes=20_000) if board.turn else chess.engine.Limit(nodes=500)
        result = engine.play(board, limit, game=1, info=chess.engine.INFO_ALL)
        assert result.move in board.legal_moves, (board.fen(), result)
        board.push(result.move)
    outcome = board.outcome(claim_draw=True)
    assert outcome, "the game has no end"
    print(f"check_uci: a game of {board.fullmove_number} moves, {outcome.result()}, {outcome.termination.name}")
    # With clocks as well.
    clock = chess.engine.Limit(white_clock=2, black_clock=2, white_inc=0.05, black_inc=0.05)
    for fen in [chess.STARTING_FEN, "8/8/8/3k4/8/8/8/KBN5 w - - 0 1"]:
        begun = time.monotonic()
        ours.play(chess.Board(fen), clock)
        assert time.monotonic() - begun < 2, "the clock has run out"
    ours.quit()
    theirs.quit()


def analysis(command):
    with chess.engine.SimpleEngine.popen_uci(command) as engine:
        board = chess.Board("r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq - 2 3")
        lines = engine.analyse(board, chess.engine.Limit(depth=3), multipv=5)
        assert len(lines) == 5 and len({line["pv"][0] for line in lines}) == 5, lines
        assert lines[0]["pv"][0] == board.parse_san("Qxf7#"), lines[0]
        assert lines[0]["score"].relative == chess.engine.Mate(1), lines[0]
        # An endless analysis that is stopped.
        with engine.analysis(chess.Board(), multipv=2) as analysis:
            for info in analysis:
                if info.get("depth", 0) >= 3:
                    break
        engine.ping()
        root = [chess.Move.from_uci("a2a4")]
        result = engine.play(chess.Board(), chess.engine.Limit(depth=2), root_moves=root)
        assert result.move == root[0], result


def ponder(command):
    with chess.engine.SimpleEngine.popen_uci(command) as engine:
        board = chess.Board()
        limit = chess.engine.Limit(white_clock=5, black_clock=5)
        result = engine.play(board, limit, ponder=True)
        board.push(result.move)
        # Once the expected move, once another one.
        expected = result.ponder or next(iter(board.legal_moves))
        board.push(expected)
        result = engine.play(board, limit, ponder=True)
        board.push(result.move)
        other = next(m for m in board.legal_moves if m != result.ponder)
        board.push(other)
        result = engine.play(board, limit, ponder=True)
        assert result.move in board.legal_moves
        engine.ping()


def rubbish(command):
    noise = bytes(range(1, 10)) + b"\xff\xfe\n" + b"go go go\nposition fen ?\nstop\n" + b"x" * 100_000
    noise += b"\nposition startpos moves e2e4 e2e4\ngo depth 1\n"
    done = subprocess.run(command, input=noise, capture_output=True, timeout=60)
    assert done.returncode == 0 and b"panicked" not in done.stderr, done
    assert b"bestmove" in done.stdout, done


def endgame(command):
    with chess.engine.SimpleEngine.popen_uci(command) as engine:
        engine.configure({"Player": "perfect", "Hash": 32, "Threads": 2})
        board = chess.Board("8/8/8/3k4/8/8/8/KR6 w - - 0 1")
        moves = 0
        while not board.is_game_over():
            result = engine.play(board, chess.engine.Limit(time=5), info=chess.engine.INFO_SCORE)
            score = result.info["score"].relative
            assert score.is_mate(), result
            board.push(result.move)
            moves += 1
        assert board.is_checkmate()
        print(f"check_uci: perfect mates itself in {moves} plies")


main()
