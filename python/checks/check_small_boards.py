#!/usr/bin/env python3
"""Counts legal moves on boards of 4x4 to 7x7 with Fairy-Stockfish, which shares no code with us.

    pip install pyffish
    python python/checks/check_small_boards.py              # compare the data file with a fresh count
    python python/checks/check_small_boards.py --depth 3    # all of it: some minutes
    python python/checks/check_small_boards.py --write      # make the data file again: some minutes

The data file is EPD. D1 to D3 are the lines of play of that length; `check`, and `end` when the
side to move has no move. `cargo test -p lucena-rules --test small_boards` reads it.
"""

import argparse
import pathlib
import random
import sys

import pyffish

DATA = pathlib.Path(__file__).parents[2] / "crates/rules/tests/data/small_boards.epd"
SIZES = range(4, 8)
MATERIALS = ["KQK", "KRK", "KBNK", "KBBK", "KQKR", "KRKN", "KBKN", "KRRKQ", "KNNKQ", "KQQKRB"]
POSITIONS = 12  # of each material on each board
DEPTH = 3  # in the data file


def variant(size):
    return f"lucena{size}"


def load_variants():
    """Chess without pawns, castling and promotion on each small board."""
    for size in SIZES:
        empty = "/".join([str(size)] * (size - 2))
        pyffish.load_variant_config(
            f"""
[{variant(size)}:chess]
maxRank = {size}
maxFile = {"abcdefgh"[size - 1]}
pawn = -
castling = false
doubleStep = false
promotionPieceTypes = -
startFen = k{size - 1}/{empty}/{size - 1}K w - - 0 1
"""
        )


def fen(size, men, turn):
    ranks = []
    for rank in reversed(range(size)):
        row = ""
        for file in range(size):
            man = men.get((file, rank))
            if man:
                row += man
            elif row and row[-1].isdigit():
                row = row[:-1] + str(int(row[-1]) + 1)
            else:
                row += "1"
        ranks.append(row)
    return f"{'/'.join(ranks)} {turn} - -"


def random_position(size, material, rng):
    """A position in which the side that has just moved is not in check."""
    black_king = material.rindex("K")
    pieces = material[:black_king] + material[black_king:].lower()
    squares = [(file, rank) for file in range(size) for rank in range(size)]
    while True:
        men = dict(zip(rng.sample(squares, len(pieces)), pieces))
        turn = rng.choice("wb")
        other = "b" if turn == "w" else "w"
        if not pyffish.gives_check(variant(size), fen(size, men, other) + " 0 1", []):
            return fen(size, men, turn)


def perft(size, position, moves, depth):
    legal = pyffish.legal_moves(variant(size), position, moves)
    if depth == 1:
        return len(legal)
    return sum(perft(size, position, moves + [move], depth - 1) for move in legal)


def operations(position, depth):
    """Everything there is to say about a position."""
    size = position.split()[0].count("/") + 1
    full = position + " 0 1"
    found = [f"D{n} {perft(size, full, [], n)}" for n in range(1, depth + 1)]
    check = pyffish.gives_check(variant(size), full, [])
    if check:
        found.append("check")
    if not pyffish.legal_moves(variant(size), full, []):
        found.append(f"end {'checkmate' if check else 'stalemate'}")
    return found


def line(position):
    return position + "".join(f" {operation};" for operation in operations(position, DEPTH))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="make the data file again")
    parser.add_argument("--seed", type=int, default=1, help="with --write (default: 1)")
    parser.add_argument("--depth", type=int, default=2, help="compare up to here (default: 2)")
    arguments = parser.parse_args()
    load_variants()
    if arguments.write:
        rng = random.Random(arguments.seed)
        positions = [
            random_position(size, material, rng)
            for size in SIZES
            for material in MATERIALS
            for _ in range(POSITIONS)
        ]
        DATA.write_text("".join(line(position) + "\n" for position in positions))
        print(f"{len(positions)} positions written to {DATA.name}")
        return
    wrong = 0
    lines = DATA.read_text().splitlines()
    for number, text in enumerate(lines, 1):
        fields = text.rstrip(";").split(" ", 4)
        depths = [f"D{n} " for n in range(arguments.depth + 1, DEPTH + 1)]
        stated = [o for o in fields[4].split("; ") if not o.startswith(tuple(depths))]
        counted = operations(" ".join(fields[:4]), min(arguments.depth, DEPTH))
        if stated != counted:
            wrong += 1
            print(f"line {number}: {stated}\n  instead of {counted}")
    print(f"{len(lines) - wrong} of {len(lines)} lines agree with Fairy-Stockfish")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
