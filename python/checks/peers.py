"""What plain Python on python-chess does in the same terms as our players: random KRK games,
alpha-beta nodes, UCT rollouts, and the papers' two tabular learners. One core, processor time.
Prints one JSON object.

    .venv/bin/python python/checks/peers.py [NAME …]
"""

import json
import math
import random
import sys
import time

import chess


def random_krk(rng):
    """A uniform random legal KRK position, white to move."""
    return random_endgame(rng, chess.ROOK)


def random_endgame(rng, piece):
    while True:
        board = chess.Board(None)
        squares = rng.sample(range(64), 3)
        pieces = [(chess.KING, True), (piece, True), (chess.KING, False)]
        for square, (kind, color) in zip(squares, pieces):
            board.set_piece_at(square, chess.Piece(kind, color))
        board.turn = True
        if board.is_valid():
            return board


def rate(work, seconds=3.0):
    """Units of work per second of processor time."""
    units, start = 0, time.process_time()
    while time.process_time() - start < seconds:
        units += work()
    return units / (time.process_time() - start)


def random_game(rng):
    board = random_krk(rng)
    while True:
        moves = list(board.legal_moves)
        if not moves or board.is_insufficient_material() or board.halfmove_clock >= 100:
            return 1
        board.push(rng.choice(moves))


def manhattan(a, b):
    return abs((a & 7) - (b & 7)) + abs((a >> 3) - (b >> 3))


class AlphaBeta:
    """Depth 3, no table, no move ordering, as a student writes it."""

    def __init__(self):
        self.nodes = 0

    def value(self, board):
        if not board.rooks:
            return 0
        white, black = board.king(True), board.king(False)
        file, rank = black & 7, black >> 3
        return 500 + 10 * (max(3 - file, file - 4) + max(3 - rank, rank - 4)) - 4 * manhattan(white, black)

    def search(self, board, depth, alpha, beta):
        self.nodes += 1
        moves = list(board.legal_moves)
        if not moves:
            return -10_000 - depth if board.is_check() else 0
        if board.is_insufficient_material() or board.halfmove_clock >= 100:
            return 0
        if depth == 0:
            return self.value(board) if board.turn else -self.value(board)
        best = -99_999
        for move in moves:
            board.push(move)
            best = max(best, -self.search(board, depth - 1, -beta, -alpha))
            board.pop()
            alpha = max(alpha, best)
            if alpha >= beta:
                break
        return best

    def nodes_of_a_move(self, rng):
        self.nodes = 0
        self.search(random_krk(rng), 3, -99_999, 99_999)
        return self.nodes


class Node:
    __slots__ = ("children", "move", "parent", "turn", "untried", "visits", "wins")

    def __init__(self, board, parent=None, move=None):
        self.parent, self.move, self.children = parent, move, []
        self.visits, self.wins, self.turn = 0, 0.0, board.turn
        self.untried = list(board.legal_moves)


def rollout(board, rng):
    for _ in range(40):
        moves = list(board.legal_moves)
        if not moves:
            return (0.0 if board.turn else 1.0) if board.is_check() else 0.5
        if board.is_insufficient_material():
            return 0.5
        board.push(rng.choice(moves))
    return 0.5


def uct(rng, rollouts=200):
    start = random_krk(rng)
    root = Node(start)
    for _ in range(rollouts):
        node, board = root, start.copy(stack=False)
        while not node.untried and node.children:
            log = math.log(node.visits)
            node = max(node.children, key=lambda c: c.wins / c.visits + 1.414 * math.sqrt(log / c.visits))
            board.push(node.move)
        if node.untried:
            move = node.untried.pop(rng.randrange(len(node.untried)))
            board.push(move)
            node.children.append(Node(board, node, move))
            node = node.children[-1]
        value = rollout(board, rng)
        while node:
            node.visits += 1
            node.wins += 1 - value if node.turn else value
            node = node.parent
    return rollouts


def q_learning(rng, games=2000):
    """Document Y's two agents in KQK: a dictionary each, by position and move. Without the look one
    reply ahead on a copy of the board, and without repetitions: both would cost Python more."""
    tables = {True: {}, False: {}}
    first_value = {True: 0.0, False: 50.0}
    for game in range(games):
        epsilon = 0.9 - 0.85 * game / games
        board = random_endgame(rng, chess.QUEEN)
        taken = {True: None, False: None}
        for ply in range(101):
            side = board.turn
            moves = list(board.legal_moves)
            mated = not moves and board.is_check()
            if mated or not moves or ply == 100 or board.is_insufficient_material():
                reward = 50.0 if mated else -50.0  # white's; a bare king mates nobody
                for color, sign in ((True, 1.0), (False, -1.0)):
                    if taken[color]:
                        row, move, value = taken[color]
                        row[move] = value + 0.01 * (sign * reward - value)
                break
            start = first_value[side]
            row = tables[side].setdefault((board.king(True), board.queens, board.king(False)), {})
            best, greedy = max((row.get(move, start), -i) for i, move in enumerate(moves))
            if taken[side]:
                old_row, old_move, value = taken[side]
                step = -1.0 if side else 1.0
                old_row[old_move] = value + 0.01 * (step + 0.99 * best - value)
            move = rng.choice(moves) if rng.random() < epsilon else moves[-greedy]
            taken[side] = (row, move, row.get(move, start))
            board.push(move)
    return games


def q_lambda(rng, games=2000):
    """Document D's Q(λ) in KRK, its board folded four-fold, against its black."""
    alpha, gamma, fade = 0.3, 0.9, 0.9 * 0.9
    table = {}
    for game in range(games):
        epsilon = 0.7 - 0.45 * game / games
        board, trace, over = random_krk(rng), [], False
        while not over and board.fullmove_number <= 250:
            flip = (7 if board.king(True) & 4 else 0) | (56 if board.king(True) & 32 else 0)
            state = tuple(square ^ flip for square in (board.king(True), board.rooks.bit_length() - 1, board.king(False)))
            moves = list(board.legal_moves)
            keys = [(state, move.from_square ^ flip, move.to_square ^ flip) for move in moves]
            values = [table.get(key, 0.0) for key in keys]
            best = max(values)
            if trace:
                spread(table, trace, alpha * (gamma * best - table.get(trace[-1], 0.0)), fade)
            choice = rng.randrange(len(moves)) if rng.random() < epsilon else values.index(best)
            if values[choice] < best:
                trace.clear()
            if keys[choice] in trace:
                trace.remove(keys[choice])
            trace.append(keys[choice])
            board.push(moves[choice])
            replies = list(board.legal_moves)
            drawing = [reply for reply in replies if board.is_capture(reply)]
            over = not replies or bool(drawing)
            if not over:
                board.push(rng.choice(replies))
        reward = 50.0 if over and not replies and board.is_check() else -20.0
        if trace:
            spread(table, trace, alpha * (reward - table.get(trace[-1], 0.0)), fade)
    return games


def spread(table, trace, error, fade):
    eligible = 1.0
    for key in reversed(trace):
        table[key] = table.get(key, 0.0) + error * eligible
        eligible *= fade
        if eligible < 1e-3:
            return


if __name__ == "__main__":
    rng = random.Random(1)
    search = AlphaBeta()
    work = {
        "random_games": lambda: random_game(rng),
        "alpha_beta_nodes": lambda: search.nodes_of_a_move(rng),
        "rollouts": lambda: uct(rng),
        "q_learning_games": lambda: q_learning(rng),
        "q_lambda_games": lambda: q_lambda(rng),
    }
    rates = {name: rate(work[name]) for name in sys.argv[1:] or work}
    print(json.dumps(rates | {"chess": chess.__version__}))
