"""Bad input raises an exception that says what was expected, and nothing changes."""

import gymnasium
import lucena
import numpy as np
import pytest
from lucena import _lucena, errors
from lucena.pettingzoo import chess_v0, endgame_v0


@pytest.fixture
def env():
    env = gymnasium.make("lucena/Chess-v0", opponent="none").unwrapped
    env.reset(seed=1)
    return env


def refused(kind, expected, work):
    with pytest.raises(kind, match=expected) as caught:
        work()
    assert isinstance(caught.value, errors.Error)


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"observation": "pixels"}, "no observation 'pixels'; known are salisch-1"),
        ({"observation": "planes:history=0"}, "history"),
        ({"actions": "moves"}, "no actions 'moves'; known are alphazero"),
        ({"opponent": "nobody"}, "nobody.*random"),
        ({"opponent": "minimax:deep=3"}, "deep"),
        ({"draws": "claimed"}, "alphazero\\+claim"),
        ({"draws": "sometimes"}, "automatic"),
        ({"limit": 0}, "a number of moves from 1"),
        ({"side": "green"}, "white, black or either"),
        ({"rewards": "win=much"}, "win"),
        ({"rewards": {"victory": 1}}, "victory"),
        ({"rewards": "book=10"}, "Polyglot"),
        ({"start": "fen:8/8/8/8 w"}, "rank 4"),
        ({"start": "middle"}, "fen:FEN"),
        ({"render_mode": "film"}, "ansi"),
        ({"opponent": 3.5j}, "expected a text"),
        ({"start": "positions:no-such-file"}, "no-such-file"),
    ],
)
@pytest.mark.filterwarnings("ignore:.*render_mode='film'")  # Gymnasium has its own word about it first
def test_settings_that_make_no_sense(settings, expected):
    refused(ValueError, expected, lambda: gymnasium.make("lucena/Chess-v0", **settings))
    refused(ValueError, expected, lambda: lucena.gymnasium.ChessVectorEnv(2, **settings))


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"endgame": "KXK"}, "KXK"),
        ({"endgame": ""}, "such as KRK"),
        ({"endgame": "KRK", "board": 3}, "4"),
        ({"endgame": "KPK", "board": 5}, "pawns"),
        ({"endgame": "KRK", "turn": "green"}, "white"),
    ],
)
def test_endgames_that_do_not_exist(settings, expected):
    refused(ValueError, expected, lambda: gymnasium.make("lucena/Endgame-v0", **settings))
    refused(ValueError, expected, lambda: endgame_v0.env(**settings))


def test_a_book_that_is_not_one(tmp_path):
    path = tmp_path / "book.bin"
    path.write_bytes(b"not a book")
    refused(ValueError, "book.bin", lambda: gymnasium.make("lucena/Chess-v0", rewards="book=1", book=path))
    gone = tmp_path / "gone.bin"
    refused(ValueError, "gone.bin", lambda: gymnasium.make("lucena/Chess-v0", rewards="book=1", book=gone))


def test_a_setting_that_does_not_exist():
    with pytest.raises(TypeError, match="colour"):
        gymnasium.make("lucena/Chess-v0", colour="white")
    refused(ValueError, "no setting 'colour'; known are observation", lambda: _lucena.Environment([("colour", "x")]))


@pytest.mark.parametrize("action", [-1, 4671, 4672, 10**12])
def test_illegal_actions(env, action):
    before = env.game.fen
    refused(ValueError, f"action {action} is not legal in .* expected one of the 20", lambda: env.step(action))
    assert env.game.fen == before and env.game.plies == 0
    env.step(env.game.action("e2e4"))


@pytest.mark.parametrize("action", [1.5, "e2e4", None, np.array([1, 2])])
def test_actions_that_are_no_numbers(env, action):
    with pytest.raises(TypeError, match="expected a whole number"):
        env.step(action)
    assert env.game.plies == 0


def test_a_game_that_is_over(env):
    env.reset(options={"fen": "k7/8/1K6/8/8/8/8/7R w - - 0 1"})
    env.step(env.game.action("h1h8"))
    refused(RuntimeError, "over.*reset", lambda: env.step(0))


def test_positions_that_are_none(env):
    before = env.game.fen
    refused(ValueError, "0 kings", lambda: env.reset(options={"fen": "8/8/8/8/8/8/8/8 w - - 0 1"}))
    refused(ValueError, "over", lambda: env.reset(options={"fen": "k6R/8/1K6/8/8/8/8/8 b - - 0 1"}))
    assert env.game.fen == before


def test_a_closed_environment(env):
    env.close()
    env.close()
    for work in (env.reset, lambda: env.step(0), env.render, env.action_masks):
        refused(RuntimeError, "closed", work)
    envs = gymnasium.make_vec("lucena/Chess-v0", num_envs=2)
    envs.close()
    refused(RuntimeError, "closed", lambda: envs.step(np.zeros(2, int)))
    aec = chess_v0.raw_env()
    aec.reset()
    aec.close()
    refused(RuntimeError, "closed", lambda: aec.step(0))


def test_actions_of_many_with_other_shapes_and_numbers():
    envs = gymnasium.make_vec("lucena/Chess-v0", num_envs=4)
    envs.reset(seed=1)
    before = envs.games.fens()
    refused(ValueError, r"actions has the shape \[3\], expected \[4\]", lambda: envs.step(np.zeros(3, int)))
    refused(ValueError, r"expected \[4\]", lambda: envs.step(np.zeros((4, 1), int)))
    refused(TypeError, "float64, expected whole numbers", lambda: envs.step(np.zeros(4)))
    assert envs.games.fens() == before
    refused(ValueError, "whole number", lambda: envs.reset(seed=[1, 2, 3, 4]))
    refused(TypeError, "bool", lambda: envs.reset(options={"reset_mask": np.zeros(4, int)}))
    for count in (0, -1, 1.5, True):
        refused(ValueError, "num_envs", lambda: lucena.gymnasium.ChessVectorEnv(count))
    refused(ValueError, "NextStep", lambda: lucena.gymnasium.ChessVectorEnv(2, autoreset_mode="never"))


def test_arrays_of_other_shapes_and_numbers():
    game = _lucena.Environment([("observation", "salisch-2")])
    refused(ValueError, r"shape \[65\], expected \[66\]", lambda: game.observe(np.zeros(65, np.uint8)))
    refused(TypeError, "complex128, expected bool, int8", lambda: game.observe(np.zeros(66, complex)))
    refused(TypeError, "is a list, expected a NumPy array", lambda: game.observe([0] * 66))
    refused(TypeError, "array of float32, expected int8", lambda: game.mask(np.zeros(4672, np.float32)))
    refused(ValueError, "contiguous", lambda: game.mask(np.zeros(9344, np.int8)[::2]))
    fixed = np.zeros(4672, np.int8)
    fixed.flags.writeable = False
    refused(ValueError, "cannot be written", lambda: game.mask(fixed))


def test_endgames_and_policies_that_are_none(tables):
    refused(ValueError, "no endgame 'KXK'", lambda: lucena.solve("KXK", tables=tables))
    refused(ValueError, "3 to 5 men", lambda: lucena.solve("KQRRKQ", tables=tables))
    refused(ValueError, "pawns", lambda: lucena.solve("KPK", board=5, tables=tables))
    refused(ValueError, "expected a function", lambda: lucena.certify("KRK", 3, tables=tables))
    refused(ValueError, "player or truth", lambda: lucena.certify("KRK", len, convert="no", tables=tables))
    refused(ValueError, "white or black", lambda: lucena.certify("KRK", len, side="no", tables=tables))
    refused(RuntimeError, "depends on chance", lambda: lucena.certify("KRK", "random", tables=tables))
    refused(ValueError, "random", lambda: lucena.Player("nobody"))
    refused(RuntimeError, "holds no run", lambda: lucena.Run(tables / "nothing"))


def test_a_panic_is_an_exception_like_any_other():
    # Nothing in the package panics that we know of; the way from a panic to an exception is tested alone.
    with pytest.raises(errors.InternalError, match="planted"):
        _lucena._panic("planted")
