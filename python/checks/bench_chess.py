"""Random games of full chess in what others would use: plies a second of processor time on one core, with the mask of
legal actions and, where the library has one, the observation before every ply. Prints one JSON object; a library that
is not installed has null.

    .venv/bin/python python/checks/bench_chess.py [SECONDS]        (python/requirements-bench.txt)
"""

import importlib.metadata
import json
import os
import random
import sys
import time

# Before anything that brings threads of its own.
for name in ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"]:
    os.environ[name] = "1"
os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"


def rate(game, seconds):
    """Plies a second of processor time; `game` plays one game with a generator of random numbers."""
    rng, plies, begun = random.Random(1), 0, time.process_time()
    while time.process_time() - begun < seconds:
        plies += game(rng)
    return plies / (time.process_time() - begun)


def python_chess(seconds):
    """Legal moves, a mask of 4,672 and the end of the game; no observation, and draws that need no claim only, because
    looking for claims takes python-chess five times as long."""
    import chess
    import numpy

    directions = [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)]
    jumps = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)]
    ways = {}
    for origin in chess.SQUARES:
        for index, (x, y) in enumerate(directions):
            for distance in range(1, 8):
                ways[origin, x * distance, y * distance] = origin * 73 + index * 7 + distance - 1
        for index, (x, y) in enumerate(jumps):
            ways[origin, x, y] = origin * 73 + 56 + index
    numbers = {}
    for origin in chess.SQUARES:
        for target in chess.SQUARES:
            x = chess.square_file(target) - chess.square_file(origin)
            y = chess.square_rank(target) - chess.square_rank(origin)
            number = ways.get((origin, x, y))
            if number is not None:
                numbers[origin, target, None] = numbers[origin, target, chess.QUEEN] = number
            if abs(x) <= 1:
                for index, piece in enumerate([chess.KNIGHT, chess.BISHOP, chess.ROOK]):
                    numbers[origin, target, piece] = origin * 73 + 64 + 3 * (x + 1) + index

    def game(rng):
        board, plies = chess.Board(), 0
        while not board.is_game_over():
            moves = list(board.legal_moves)
            mask = numpy.zeros(4672, dtype=numpy.int8)
            mask[[numbers[m.from_square, m.to_square, m.promotion] for m in moves]] = 1
            board.push(rng.choice(moves))
            plies += 1
        return plies

    return rate(game, seconds)


def open_spiel(seconds):
    import pyspiel

    chess = pyspiel.load_game("chess")

    def game(rng):
        state, plies = chess.new_initial_state(), 0
        while not state.is_terminal():
            actions = state.legal_actions()
            state.legal_actions_mask()
            state.observation_tensor()
            state.apply_action(rng.choice(actions))
            plies += 1
        return plies

    return rate(game, seconds)


def pettingzoo(seconds):
    import numpy
    from pettingzoo.classic import chess_v6

    env = chess_v6.env()

    def game(rng):
        env.reset()
        plies = 0
        for _ in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.step(None)
            else:
                legal = numpy.flatnonzero(observation["action_mask"])
                env.step(int(rng.choice(legal)))
                plies += 1
        return plies

    return rate(game, seconds)


def pgx(seconds, batch=64, steps=50):
    """A compiled loop over a batch, one thread; compiling is not counted."""
    import jax
    import pgx
    from pgx.experimental.wrappers import auto_reset

    env = pgx.make("chess")
    step = jax.vmap(auto_reset(env.step, env.init))

    @jax.jit
    def play(state, key):
        def body(carry, _):
            state, key = carry
            key, choice, chance = jax.random.split(key, 3)
            logits = jax.numpy.where(state.legal_action_mask, 0.0, -1e9)
            action = jax.random.categorical(choice, logits, axis=-1)
            return (step(state, action, jax.random.split(chance, batch)), key), None

        return jax.lax.scan(body, (state, key), None, length=steps)[0]

    carry = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.PRNGKey(0), batch)), jax.random.PRNGKey(1)
    carry = jax.block_until_ready(play(*carry))

    def game(_):
        nonlocal carry
        carry = jax.block_until_ready(play(*carry))
        return batch * steps

    return rate(game, seconds)


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 3.0
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])
    report = {}
    libraries = [
        ("python-chess", "chess", python_chess),
        ("OpenSpiel", "open_spiel", open_spiel),
        ("PettingZoo", "pettingzoo", pettingzoo),
        ("Pgx", "pgx", pgx),
    ]
    for name, package, measure in libraries:
        try:
            report[name] = {"version": importlib.metadata.version(package), "plies_per_second": measure(seconds)}
        except ImportError:
            report[name] = None
    print(json.dumps(report))


if __name__ == "__main__":
    main()
