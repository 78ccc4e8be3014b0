"""Exact values and certificates."""

import csv
import json
import re
import subprocess
import time

import lucena
import numpy as np
import pytest
from lucena import Positions, errors


@pytest.fixture(scope="module")
def krk(tables):
    return lucena.solve("KRK", tables=tables)


def test_tables_hold_what_is_known(krk):
    assert krk.statistics["white_to_move"]["won"] == 175_168
    assert krk.statistics["white_to_move"]["longest_moves"] == 16
    assert (krk.endgame, krk.board) == ("KRK", 8)


def test_one_position(krk):
    assert krk.probe("k7/8/1K6/8/8/8/8/7R w - - 0 1") == (1, 1)
    assert krk.probe("k7/8/1K6/8/8/8/8/7R w - - 0 1").moves == 1
    assert krk.probe("k7/7R/1K6/8/8/8/8/8 b - - 0 1").wdl == -1
    assert krk.probe("k7/1R6/8/8/8/8/8/7K b - - 0 1") == (0, None)
    # Colours exchanged.
    assert krk.probe("K7/8/1k6/8/8/8/8/7r b - - 0 1") == (1, 1)
    with pytest.raises(errors.TableError, match="KNNK.*KRK"):
        krk.probe("k7/8/1K6/8/8/8/8/5NN1 w - - 0 1")  # which no test solves
    with pytest.raises(errors.PositionError):
        krk.probe("nonsense")


def test_many_positions_in_every_form(krk):
    positions, values = krk.positions("white")
    assert len(positions) > 20_000
    assert values.wdl.dtype == np.int8 and values.plies.dtype == np.int16
    assert set(np.unique(values.wdl)) == {1} and values.plies.max() == 31
    of_black = krk.positions("black")[1]
    assert set(np.unique(of_black.wdl)) == {-1, 0} and (of_black.plies[of_black.wdl == 0] == -1).all()
    for form in [
        krk.probe(positions),
        krk.probe(positions.fens()),
        krk.probe(positions.pieces, positions.turn),
        krk.probe(positions.pieces, 0),
    ]:
        np.testing.assert_array_equal(form.wdl, values.wdl)
        np.testing.assert_array_equal(form.plies, values.plies)
    one = krk.probe(positions[1])
    assert (one.wdl, one.plies if one.plies is not None else -1) == (values.wdl[1], values.plies[1])


def test_moves_and_lines(krk):
    fen = "8/8/8/8/8/2k5/8/K6R w - - 0 1"
    moves = krk.moves(fen)
    verdict = krk.probe(fen)
    assert moves[0][1] == verdict
    assert len(krk.line(fen)) == verdict.plies
    assert {move for move, _ in moves} == set(Positions([fen]).legal_moves()[0])


def test_arrays_of_positions():
    fens = ["k4/5/1K3/5/4R w", "4k/5/2K2/5/r4 b"]
    positions = Positions(fens)
    assert positions.board == 5 and len(positions) == 2 and positions[-1].startswith("4k/")
    men = positions.pieces
    assert men.shape == (2, 64) and men.dtype == np.uint8
    # a1 is square 0; the black king on a5 is square 32, white's on b3 17, the rook on e1 4.
    assert {(square, men[0, square]) for square in np.flatnonzero(men[0])} == {(32, 12), (17, 6), (4, 4)}
    assert positions.turn.tolist() == [0, 1]
    again = Positions.from_arrays(men, positions.turn, 5)
    assert again.fens() == positions.fens()
    with pytest.raises(errors.PositionError, match="position 1: .*kings"):
        without = men.copy()
        without[1][without[1] == 12] = 0
        Positions.from_arrays(without, positions.turn, 5)
    with pytest.raises(errors.ShapeError, match=r"\[n, 64\]"):
        Positions.from_arrays(men[:, :25].copy(), positions.turn, 5)


def test_positions_look_as_environments_show_them():
    import gymnasium

    env = gymnasium.make("lucena/Endgame-v0", endgame="KQKR", opponent="none", turn="either").unwrapped
    for observation, actions in [("wojcik", "wojcik"), ("planes", "alphazero"), ("salisch-2", "pettingzoo")]:
        env = gymnasium.make(
            "lucena/Endgame-v0", endgame="KQKR", opponent="none", turn="either",
            observation=observation, actions=actions,
        ).unwrapped  # fmt: skip
        for seed in range(20):
            seen, info = env.reset(seed=seed)
            positions = Positions([env.game.fen])
            np.testing.assert_array_equal(positions.observations(observation)[0], seen)
            np.testing.assert_array_equal(positions.masks(actions)[0], info["action_mask"])
            numbers = env.game.legal_actions()
            ucis = [positions.ucis(numbers[i : i + 1], actions)[0] for i in range(len(numbers))]
            assert set(ucis) <= set(env.game.legal_moves())
            assert positions.actions([ucis[0]], actions)[0] == numbers[0]


# Certificates


def perfect(krk, form):
    """A policy that plays the best move by the tables, in every form an answer can have."""

    def policy(positions):
        moves = [krk.moves(fen)[0][0] for fen in positions.fens()]
        if form == "uci":
            return moves
        if form == "actions":
            return positions.actions(moves)
        square = lambda text: ord(text[0]) - 97 + 8 * (int(text[1]) - 1)  # noqa: E731
        return np.array([[square(m[:2]), square(m[2:4]), 0] for m in moves], np.int32)

    return policy


@pytest.mark.parametrize("form", ["uci", "actions", "squares"])
def test_perfect_play_is_proved(tables, form):
    small = lucena.solve("KRK", board=5, tables=tables)
    certificate = lucena.certify("KRK", perfect(small, form), board=5, tables=tables, name="best")
    assert certificate.share == 1.0 and certificate.optimal_share == 1.0
    assert certificate.mean_excess_moves == 0 and certificate.failures == []
    assert certificate.refutations == [] and certificate.full_board
    assert "best" in repr(certificate)


def policy_of(text):
    """The policy of a file that ``lucena certify --policy`` has written."""
    table = dict(csv.reader(text.splitlines()))
    clocks = re.compile(r" \d+ \d+$")
    table = {clocks.sub("", fen): move for fen, move in table.items()}

    def answer(fen):
        # Of two images by the diagonal, both of which are asked for, the file holds one.
        fen = clocks.sub("", fen)
        return table[fen] if fen in table else flipped_move(table[flipped(fen)])

    def policy(positions):
        return [answer(fen) for fen in positions.fens()]

    return policy


def flipped(fen):
    """The image of a position without pawns by the diagonal from a1 to h8."""
    men, rest = fen.split(" ", 1)
    rows = [re.sub(r"\d", lambda empty: "." * int(empty[0]), row) for row in men.split("/")]
    columns = ["".join(row[7 - rank] for row in reversed(rows)) for rank in range(8)]
    return "/".join(re.sub(r"\.+", lambda empty: str(len(empty[0])), row) for row in columns) + " " + rest


def flipped_move(uci):
    square = lambda text: "abcdefgh"[int(text[1]) - 1] + str("abcdefgh".index(text[0]) + 1)  # noqa: E731
    return square(uci[:2]) + square(uci[2:4]) + uci[4:]


@pytest.mark.parametrize("player", ["minimax:depth=2,history=off", "perfect:ties=first"])
@pytest.mark.parametrize("endgame", ["KRK", "KPK"])
def test_certificates_equal_the_command_line_s(binary, tables, tmp_path, player, endgame):
    path = tmp_path / "policy.csv"
    command = [binary, "certify", player, endgame, "--policy", path, "--games", "0", "--json"]
    if endgame == "KPK":
        command += ["--convert", "truth"]
    command += ["--tables", tables]
    expected = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    convert = expected["convert"]
    ours = lucena.certify(
        endgame, policy_of(path.read_text()), symmetric=not expected["full_board"], convert=convert, tables=tables
    )
    for figure, value in ours.to_dict().items():
        assert value == expected[figure], figure
    assert ours.policy() == path.read_text()
    again = lucena.certify(endgame, player, convert=convert, tables=tables)
    assert {**again.to_dict(), "player": player} == {
        name: expected[name] for name in [*ours.to_dict(), "player", "fingerprint"]
    }


def test_failures_come_as_games(tables, tmp_path):
    def first(positions):
        return [moves[0] for moves in positions.legal_moves()]

    certificate = lucena.certify("KQK", first, board=4, tables=tables)
    assert certificate.share < 1 and certificate.failures
    games = certificate.refutations
    assert games and all('[White "first"]' in game and '[Variant ' in game for game in games)
    certificate.write_refutations(tmp_path / "refutations.pgn")
    assert (tmp_path / "refutations.pgn").read_text().count("[Event ") == len(games)
    certificate.write_policy(tmp_path / "policy.csv")
    again = lucena.certify(
        "KQK", policy_of((tmp_path / "policy.csv").read_text()), board=4, convert="truth", tables=tables
    )
    assert again.forced_mates == certificate.forced_mates


def test_defences_are_proved_too(tables):
    def first(positions):
        assert (positions.turn == 1).all()
        return [moves[0] for moves in positions.legal_moves()]

    defence = lucena.certify("KRK", first, board=4, side="black", tables=tables)
    assert 0 < defence.kept_share < 1 and defence.held_positions > 0
    assert all('[Black "first"]' in game for game in defence.refutations)
    with pytest.raises(AttributeError):
        defence.forced_mates


def test_batches_are_large_and_whole(tables):
    sizes = []

    def vectorised(positions):
        sizes.append(len(positions))
        return positions.masks("alphazero").argmax(1)

    spent = time.perf_counter()
    certificate = lucena.certify("KRK", vectorised, tables=tables)
    spent = time.perf_counter() - spent
    assert sum(sizes) == certificate.won_positions == 175_168
    assert max(sizes) <= 65_536 and len(sizes) <= 8
    print(f"{spent:.2f} s")


def test_what_a_policy_raises_comes_back(tables):
    class Mine(Exception):
        pass

    def broken(positions):
        raise Mine("my own")

    with pytest.raises(Mine, match="my own"):
        lucena.certify("KRK", broken, board=4, tables=tables)


@pytest.mark.parametrize(
    ("answer", "kind", "expected"),
    [
        (lambda p: ["a1a1"] * len(p), errors.IllegalActionError, "a1a1 is not legal in"),
        (lambda p: np.full(len(p), 9), errors.IllegalActionError, "action 9 .alphazero. is not legal in"),
        (lambda p: np.zeros((len(p), 3), int), errors.IllegalActionError, "from 0 to 0"),
        (lambda p: np.zeros(3, int), errors.ShapeError, r"shape \[3\], expected"),
        (lambda p: ["a1a2"], errors.ShapeError, "1 moves, expected"),
        (lambda p: np.zeros(len(p)), TypeError, "expected an array of whole numbers"),
        (lambda p: None, TypeError, "expected an array of whole numbers"),
    ],
)
def test_answers_that_are_no_moves(tables, answer, kind, expected):
    with pytest.raises(kind, match=expected):
        lucena.certify("KRK", answer, board=4, tables=tables)


def test_progress_is_told(tables):
    told = []
    lucena.solve("KQKR", board=4, tables=tables, progress=lambda *step: told.append(step))
    assert told and all(text.startswith("K") for _, _, text in told)
    told.clear()
    lucena.certify("KRK", "perfect", board=5, tables=tables, progress=lambda *step: told.append(step))
    assert any(total is not None and done == total for done, total, _ in told)


def test_a_bar_of_tqdm(tables, capsys):
    pytest.importorskip("tqdm")
    lucena.certify("KRK", "perfect", board=5, tables=tables, progress=True)
    assert "perfect in KRK" in capsys.readouterr().err
