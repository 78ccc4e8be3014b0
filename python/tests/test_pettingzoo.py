"""The environments of PettingZoo, by its own tests, and beside its own chess."""

import warnings

import numpy as np
import pytest
from lucena import errors
from lucena.pettingzoo import chess_v0, endgame_v0

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # its tests import its games in a way that it deprecates
    from pettingzoo.classic import chess_v6
    from pettingzoo.test import api_test, performance_benchmark, render_test, seed_test
    from pettingzoo.test import test_save_obs as save_obs

MAKERS = {
    "chess": chess_v0.env,
    "chess, P's version 1": lambda **kw: chess_v0.env(
        observation="salisch-1", actions="alphazero+claim", draws="claimed", limit=400, **kw
    ),
    "chess, W": lambda **kw: chess_v0.env(observation="wojcik", actions="wojcik", **kw),
    "endgame": lambda **kw: endgame_v0.env(endgame="KRK", board=5, turn="either", limit=50, **kw),
}

makers = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)


@pytest.fixture(autouse=True)
def no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@makers
def test_api(make):
    api_test(make(), num_cycles=500)


@makers
def test_seeds(make):
    seed_test(make, num_cycles=200)


@makers
def test_pictures(make, capsys):
    render_test(make)


def test_observations_that_are_no_pictures_are_not_saved(capsys):
    save_obs(chess_v0.env())
    assert "did not save" in capsys.readouterr().out


def test_performance(capsys):
    performance_benchmark(endgame_v0.env())
    assert "turns per second" in capsys.readouterr().out


def games(env, count, seed):
    rng = np.random.default_rng(seed)
    for game in range(count):
        env.reset(seed=game)
        for agent in env.agent_iter():
            observation, reward, terminated, truncated, info = env.last()
            yield game, agent, observation, reward, terminated, truncated
            if terminated or truncated:
                env.step(None)
            else:
                env.step(int(rng.choice(np.flatnonzero(observation["action_mask"]))))


def test_two_hundred_games_as_pettingzoo_plays_them():
    ours, theirs = chess_v0.env(**chess_v0.LIKE_CHESS_V6), chess_v6.env()
    plies = 0
    for one, other in zip(games(ours, 200, 1), games(theirs, 200, 1), strict=True):
        seen, expected = one[2], other[2]
        # After the end nothing is legal; theirs goes on to show the moves of the drawn position.
        ended = one[4] or one[5]
        np.testing.assert_array_equal(seen["action_mask"], 0 if ended else expected["action_mask"])
        np.testing.assert_array_equal(seen["observation"], expected["observation"])
        assert seen["observation"].dtype == expected["observation"].dtype
        assert one[:2] + one[3:] == other[:2] + other[3:]
        plies += 1
    assert plies > 20_000
    agent = "player_0"
    assert ours.observation_space(agent) == theirs.observation_space(agent)
    assert ours.action_space(agent) == theirs.action_space(agent)


def test_illegal_actions_change_nothing():
    env = chess_v0.env()
    env.reset(seed=1)
    before = env.unwrapped.game.fen
    with pytest.raises(errors.IllegalActionError, match="not legal"):
        env.step(4671)
    assert env.unwrapped.game.fen == before and env.agent_selection == "player_0"
    env.step(env.unwrapped.game.action("g1f3"))
    assert env.agent_selection == "player_1"


def test_black_begins_where_the_position_says_so():
    env = endgame_v0.env(endgame="KRK", turn="black")
    env.reset(seed=1)
    assert env.agent_selection == "player_1"


def test_both_are_told_how_it_ended():
    env = chess_v0.env(start="fen:k7/8/1K6/8/8/8/8/7R w - - 0 1")
    env.reset(seed=1)
    env.step(env.unwrapped.game.action("h1h8"))
    found = []
    for agent in env.agent_iter():
        _, reward, terminated, truncated, _ = env.last()
        found.append((agent, reward, terminated, truncated))
        env.step(None)
    assert found == [("player_1", -1, True, False), ("player_0", 1, True, False)]


def test_a_claimed_draw_ends_the_game_for_both():
    env = chess_v0.env(actions="alphazero+claim", draws="claimed")
    env.reset(seed=1)
    for move in ["g1f3", "g8f6", "f3g1", "f6g8"] * 2:
        env.step(env.unwrapped.game.action(move))
    _, _, _, _, info = env.last()
    assert info["action_mask"][4672] == 1
    env.step(4672)
    assert env.terminations == {"player_0": True, "player_1": True}
    assert env.unwrapped.game.outcome == (None, "threefold_repetition")
