"""The environments of Gymnasium, one game and many."""

import pickle
import warnings

import gymnasium
import lucena
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode
from lucena import errors

OBSERVATIONS = {
    "salisch-1": ((69,), "int16"),
    "salisch-2": ((66,), "uint8"),
    "wojcik": ((16, 8, 8), "uint8"),
    "wojcik-squares": ((384,), "int8"),
    "planes": ((118, 8, 8), "float32"),
    "planes:history=1,repetitions=off": ((18, 8, 8), "float32"),
    "pettingzoo": ((8, 8, 111), "bool"),
}


def random_legal(rng, mask):
    return rng.choice(np.flatnonzero(mask))


@pytest.mark.parametrize("observation", OBSERVATIONS)
@pytest.mark.parametrize("opponent", ["none", "random"])
def test_gymnasium_finds_nothing_to_complain_about(observation, opponent):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for env in [
            gymnasium.make("lucena/Chess-v0", observation=observation, opponent=opponent),
            gymnasium.make(
                "lucena/Endgame-v0", endgame="KRK", board=5, observation=observation, opponent=opponent
            ),
        ]:
            check_env(env.unwrapped)
            env.close()


@pytest.mark.parametrize(("observation", "expected"), OBSERVATIONS.items())
def test_what_is_seen_lies_in_its_space(observation, expected):
    env = gymnasium.make("lucena/Chess-v0", observation=observation, opponent="none")
    seen, info = env.reset(seed=1)
    rng = np.random.default_rng(1)
    assert (env.observation_space.shape, env.observation_space.dtype) == expected
    for _ in range(300):
        assert seen in env.observation_space and seen.dtype == expected[1]
        seen, _, terminated, truncated, info = env.step(random_legal(rng, info["action_mask"]))
        if terminated or truncated:
            assert not info["action_mask"].any()
            assert info["reason"]
            seen, info = env.reset()


def test_other_kinds_of_numbers_hold_the_same():
    small = gymnasium.make("lucena/Chess-v0", observation="wojcik")
    wide = gymnasium.make("lucena/Chess-v0", observation="wojcik", dtype="float32")
    seen, _ = small.reset(seed=3)
    seen_wide, _ = wide.reset(seed=3)
    assert seen_wide.dtype == np.float32
    np.testing.assert_array_equal(seen, seen_wide)


def test_the_same_seed_and_actions_give_the_same_games():
    def games(seed):
        env = gymnasium.make("lucena/Endgame-v0", endgame="KQK", limit=30, opponent="random")
        rng = np.random.default_rng(5)
        rows = []
        observation, info = env.reset(seed=seed)
        for _ in range(200):
            step = env.step(random_legal(rng, info["action_mask"]))
            rows.append((env.unwrapped.game.fen, step[1:4]))
            info = step[4]
            if step[2] or step[3]:
                _, info = env.reset()
        return rows

    assert games(7) == games(7)
    assert games(7) != games(8)


def test_masks_for_sb3_are_the_masks_of_the_info():
    env = gymnasium.make("lucena/Chess-v0")
    _, info = env.reset(seed=1)
    masks = env.unwrapped.action_masks()
    assert masks.dtype == np.bool_ and masks.shape == (4672,)
    np.testing.assert_array_equal(masks, info["action_mask"].astype(bool))


def test_samples_are_legal():
    env = gymnasium.make("lucena/Chess-v0", opponent="random")
    env.reset(seed=1)
    env.action_space.seed(1)
    for _ in range(100):
        _, _, terminated, truncated, _ = env.step(env.action_space.sample())
        if terminated or truncated:
            env.reset()
    # A copy of the space belongs to no board.
    copy = pickle.loads(pickle.dumps(env.action_space))
    assert copy == env.action_space and type(copy) is gymnasium.spaces.Discrete


def test_pictures():
    ansi = gymnasium.make("lucena/Chess-v0", render_mode="ansi")
    ansi.reset(seed=1)
    assert ansi.render().count("\n") >= 7
    pixels = gymnasium.make("lucena/Endgame-v0", board=5, render_mode="rgb_array")
    pixels.reset(seed=1)
    picture = pixels.render()
    assert picture.shape == (240, 240, 3) and picture.dtype == np.uint8
    # Three men on light and dark squares: more than the two colours of an empty board.
    assert len(np.unique(picture.reshape(-1, 3), axis=0)) >= 5


def test_people_see_the_board(capsys):
    env = gymnasium.make("lucena/Chess-v0", render_mode="human", opponent="none")
    env.reset(seed=1)
    first = capsys.readouterr().out
    env.step(env.unwrapped.game.action("e2e4"))
    assert first and capsys.readouterr().out not in ("", first)


def test_the_picture_of_a_notebook():
    picture = lucena.drawing.svg("k4/5/1K3/5/4R w")
    assert picture.count("<rect") == 25 and picture.count("<g ") == 3


def test_rewards_and_sides_are_as_asked_for():
    mate_in_one = "fen:k7/8/1K6/8/8/8/8/7R w - - 0 1"
    env = gymnasium.make(
        "lucena/Chess-v0", start=mate_in_one, rewards={"end": 100, "move": -1}, side="white"
    )
    env.reset(seed=1)
    _, reward, terminated, truncated, info = env.step(env.unwrapped.game.action("h1h8"))
    assert (reward, terminated, truncated) == (99, True, False)
    assert (info["winner"], info["reason"]) == ("white", "checkmate")


def test_a_game_that_is_cut_off_is_truncated():
    env = gymnasium.make("lucena/Chess-v0", limit=1)
    _, info = env.reset(seed=1)
    _, _, terminated, truncated, info = env.step(info["action_mask"].argmax())
    assert (terminated, truncated, info["reason"]) == (False, True, "move_cap")


def test_a_position_can_be_asked_for():
    env = gymnasium.make("lucena/Chess-v0", opponent="none")
    fen = "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 3 20"
    env.reset(options={"fen": fen})
    assert env.unwrapped.game.fen == fen
    assert "e8g8" in env.unwrapped.game.legal_moves()


def test_foreign_engines_are_opponents(stockfish):
    env = gymnasium.make("lucena/Chess-v0", opponent=f"uci:{stockfish},nodes=100", side="white")
    _, info = env.reset(seed=1)
    for _ in range(5):
        _, _, terminated, _, info = env.step(info["action_mask"].argmax())
        if terminated:
            break
    assert env.unwrapped.game.plies >= 2


# Many at once


def make(num_envs=16, name="Endgame", **settings):
    settings = {"limit": 20, **settings} if name == "Endgame" else settings
    return gymnasium.make_vec(f"lucena/{name}-v0", num_envs=num_envs, **settings)


def play(envs, steps, seed=1):
    envs.reset(seed=seed)
    rows = []
    for _ in range(steps):
        observations, rewards, terminated, truncated, infos = envs.step(envs.random_actions())
        rows.append((observations.copy(), rewards.copy(), terminated.copy(), truncated.copy()))
    return rows


def test_it_is_our_own_vector_environment():
    envs = make(8, "Chess", observation="salisch-2")
    assert isinstance(envs, lucena.gymnasium.ChessVectorEnv)
    assert envs.metadata["autoreset_mode"] == AutoresetMode.NEXT_STEP
    observations, infos = envs.reset(seed=1)
    assert observations in envs.observation_space
    assert infos["action_mask"].shape == (8, 4672) and infos["_action_mask"].all()
    assert envs.action_masks().dtype == np.bool_
    assert envs.step(envs.random_actions())[0] in envs.observation_space


def test_each_environment_is_the_same_among_any_number():
    few, many = play(make(4), 100), play(make(32), 100)
    for one, other in zip(few, many):
        for part, rest in zip(one, other):
            np.testing.assert_array_equal(part, rest[:4])


def test_next_step_begins_a_new_game_with_the_next_step():
    envs = make(16)
    over = np.zeros(16, bool)
    seen = 0
    for _, rewards, terminated, truncated in play(envs, 200):
        # Whoever was over has just begun anew.
        assert not (terminated | truncated)[over].any() and not rewards[over].any()
        over = terminated | truncated
        seen += over.sum()
    assert seen > 20


def test_same_step_hands_out_the_last_observation():
    envs = make(16, autoreset_mode="SameStep", opponent="none", observation="salisch-2")
    envs.reset(seed=1)
    seen = 0
    for _ in range(200):
        observations, _, terminated, truncated, infos = envs.step(envs.random_actions())
        over = terminated | truncated
        assert infos["action_mask"].any(1).all()
        assert ("final_obs" in infos) == over.any()
        for index in np.flatnonzero(over):
            assert infos["_final_obs"][index]
            last = infos["final_obs"][index]
            assert last.shape == (66,) and not np.array_equal(last, observations[index])
            seen += 1
    assert seen > 20


def test_disabled_waits_for_the_caller():
    envs = make(4, autoreset_mode=AutoresetMode.DISABLED)
    envs.reset(seed=1)
    over = np.zeros(4, bool)
    while not over.any():
        _, _, terminated, truncated, _ = envs.step(envs.random_actions())
        over = terminated | truncated
    before, masks = envs.games.fens(), envs.action_masks().copy()
    with pytest.raises(errors.GameOverError, match="reset"):
        envs.step(envs.random_actions())
    assert envs.games.fens() == before
    assert np.array_equal(envs.action_masks(), masks)
    assert not masks[over].any() and masks[~over].any(1).all()
    _, infos = envs.reset(options={"reset_mask": over})
    after = envs.games.fens()
    assert [a != b for a, b in zip(before, after)] == over.tolist()
    assert infos["action_mask"].any(1).all()
    envs.step(envs.random_actions())


def test_arrays_are_new_unless_asked_otherwise():
    envs = make(4, "Chess")
    first, _ = envs.reset(seed=1)
    second = envs.step(envs.random_actions())[0]
    assert not np.shares_memory(first, second)
    envs = make(4, "Chess", copy=False)
    first, _ = envs.reset(seed=1)
    assert np.shares_memory(first, envs.step(envs.random_actions())[0])


def test_an_illegal_action_changes_nothing_in_any():
    envs = make(8, "Chess", opponent="none")
    envs.reset(seed=1)
    envs.step(envs.random_actions())
    actions, before = envs.random_actions(), envs.games.fens()
    actions[5] = 4671
    with pytest.raises(errors.IllegalActionError, match="environment 5: action 4671 is not legal in .* expected"):
        envs.step(actions)
    assert envs.games.fens() == before
    actions[5] = envs.random_actions()[5]
    envs.step(actions)
    assert all(a != b for a, b in zip(before, envs.games.fens()))


def test_pictures_of_many():
    for mode, kind in [("ansi", str), ("rgb_array", np.ndarray)]:
        envs = make(3, render_mode=mode)
        envs.reset(seed=1)
        pictures = envs.render()
        assert len(pictures) == 3 and all(isinstance(picture, kind) for picture in pictures)


# Legal moves, counted through the actions


def perft(game, fen, depth, wojcik=False):
    game.reset(None, fen)
    actions = game.legal_actions().tolist()
    if depth == 1:
        return len(actions)
    total = 0
    for action in actions:
        game.reset(None, fen)
        game.step(action)
        if game.outcome is None:
            total += perft(game, game.fen, depth - 1)
    return total


@pytest.mark.parametrize(
    ("fen", "depth", "expected"),
    [
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 4, 197_281),
        ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 3, 97_862),
        ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 4, 43_238),
        ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", 3, 9_467),
        ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", 3, 62_379),
        ("r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10", 3, 89_890),
    ],
)
def test_actions_lead_where_moves_lead(fen, depth, expected):
    for actions in ("alphazero", "pettingzoo"):
        env = gymnasium.make("lucena/Chess-v0", opponent="none", draws="never", actions=actions)
        assert perft(env.unwrapped.game, fen, depth) == expected
