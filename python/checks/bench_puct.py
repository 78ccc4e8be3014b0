"""A plain AlphaZero search with PyTorch and python-chess, to hold ours against: seven residual blocks of 64
filters, a policy of 73 moves from each square, PUCT that asks the network about one position at a time. Ten moves of
a hundred simulations each from the start position, no subtree kept. On one thread and on as many as there are
cores; by the clock and by the time on the processor. Prints one JSON object; ours is the example `puct_speed`.

    .venv/bin/python python/checks/bench_puct.py [SECONDS]        (needs torch and chess)
"""

import json
import math
import os
import sys
import time

import chess
import torch
from torch import nn

DIRECTIONS = [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)]
LEAPS = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)]


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.first = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.first_norm = nn.BatchNorm2d(width)
        self.second = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.second_norm = nn.BatchNorm2d(width)

    def forward(self, x):
        y = self.first_norm(self.first(x)).relu()
        return (x + self.second_norm(self.second(y))).relu()


class Network(nn.Module):
    def __init__(self, width=64, blocks=7):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(18, width, 3, padding=1, bias=False),
            nn.BatchNorm2d(width),
            nn.ReLU(),
            *(Block(width) for _ in range(blocks)),
        )
        self.policy = nn.Sequential(nn.Conv2d(width, width, 3, padding=1), nn.ReLU(), nn.Conv2d(width, 73, 1))
        self.value = nn.Sequential(
            nn.Conv2d(width, 1, 1), nn.ReLU(), nn.Flatten(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1), nn.Tanh()
        )

    def forward(self, seen):
        x = self.body(seen)
        return self.policy(x).flatten(1), self.value(x)


def seen(board):
    planes = torch.zeros(1, 18, 64)
    for square, piece in board.piece_map().items():
        planes[0, piece.piece_type - 1 + 6 * (piece.color != board.turn), square] = 1
    for place, right in enumerate([chess.BB_H1, chess.BB_A1, chess.BB_H8, chess.BB_A8]):
        planes[0, 12 + place] = float(bool(board.castling_rights & right))
    planes[0, 16] = board.halfmove_clock / 100
    planes[0, 17] = float(board.turn)
    return planes.view(1, 18, 8, 8)


def number(move):
    """The place of a move among 73 for each of 64 squares."""
    files = chess.square_file(move.to_square) - chess.square_file(move.from_square)
    ranks = chess.square_rank(move.to_square) - chess.square_rank(move.from_square)
    if move.promotion not in (None, chess.QUEEN):
        plane = 64 + 3 * (move.promotion - chess.KNIGHT) + files + 1
    elif (files, ranks) in LEAPS:
        plane = 56 + LEAPS.index((files, ranks))
    else:
        far = max(abs(files), abs(ranks))
        plane = 7 * DIRECTIONS.index((files // far, ranks // far)) + far - 1
    return 64 * plane + move.from_square


class Node:
    __slots__ = ("prior", "visits", "total", "children")

    def __init__(self, prior):
        self.prior, self.visits, self.total, self.children = prior, 0, 0.0, None


def expand(network, node, board):
    """The value for the side to move."""
    if board.is_game_over():
        node.children = {}
        return -1.0 if board.is_checkmate() else 0.0
    with torch.no_grad():
        scores, value = network(seen(board))
    moves = list(board.legal_moves)
    priors = scores[0, [number(move) for move in moves]].softmax(0).tolist()
    node.children = {move: Node(prior) for move, prior in zip(moves, priors)}
    return value.item()


def search(network, board, simulations):
    root = Node(1.0)
    expand(network, root, board)
    for _ in range(simulations):
        at, node, path = board.copy(), root, [root]
        while node.children:
            weight = 1.5 * math.sqrt(node.visits + 1)

            def score(child):
                q = -child.total / child.visits if child.visits else 0.0
                return q + weight * child.prior / (1 + child.visits)

            move, node = max(node.children.items(), key=lambda entry: score(entry[1]))
            at.push(move)
            path.append(node)
        value = expand(network, node, at)
        for node in reversed(path):
            node.visits += 1
            node.total += value
            value = -value
    return max(root.children.items(), key=lambda entry: entry[1].visits)[0]


def simulations_per_second(seconds, threads):
    torch.set_num_threads(threads)
    network = Network().eval()
    search(network, chess.Board(), 20)
    done, start, processor = 0, time.perf_counter(), time.process_time()
    while time.perf_counter() - start < seconds:
        board = chess.Board()
        for _ in range(10):
            board.push(search(network, board, 100))
            done += 100
    return {"clock": done / (time.perf_counter() - start), "processor": done / (time.process_time() - processor)}


if __name__ == "__main__":
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 2.0
    torch.manual_seed(1)
    rates = {threads: simulations_per_second(seconds, threads) for threads in sorted({1, os.cpu_count() or 1})}
    print(json.dumps({"torch": torch.__version__, "simulations_per_second": rates}))
