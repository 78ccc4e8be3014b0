"""Players, matches, agents, runs."""

import subprocess

import lucena
import numpy as np
import pytest
from lucena import errors


def first_legal(observations, masks):
    assert observations.ndim > 1 and masks.ndim == 2
    return masks.argmax(1)


def random_agent(seed):
    rng = np.random.default_rng(seed)

    def agent(observations, masks):
        return np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])

    return agent


def test_a_player_chooses():
    player = lucena.Player("minimax:depth=3")
    choice = player.choose("k7/8/1K6/8/8/8/8/7R w - - 0 1")
    assert choice.move == "h1h8" and choice.mate == 1 and choice.line[0] == "h1h8"
    assert player.text == "minimax:depth=3" and player.nature == "history"
    assert player.choose("k7/8/2K5/8/8/8/8/7R w - - 0 1", ["c6b6", "a8b8"]).move == "h1h8"
    with pytest.raises(errors.PositionError, match="a1a2 is not legal"):
        player.choose("k7/8/1K6/8/8/8/8/7R w - - 0 1", ["a1a2"])
    with pytest.raises(errors.PlayerError, match="no legal move"):
        player.choose("k6R/8/1K6/8/8/8/8/8 b - - 0 1")


def test_limits_are_kept():
    start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
    assert lucena.Player("minimax:depth=6").choose(start, depth=1).depth == 1


def test_every_kind_is_listed():
    kinds = lucena.players()
    assert {"random", "perfect", "minimax", "mcts", "uci", "run", "net"} <= set(kinds)
    assert "depth" in kinds["minimax"]["settings"]


def test_a_match_is_the_same_on_any_number_of_threads(tables):
    settings = dict(endgame="KRK", won=True, games=20, seed=3, tables=tables)
    one = lucena.match("minimax:depth=2", "random", threads=1, **settings)
    two = lucena.match("minimax:depth=2", "random", threads=2, **settings)
    assert one == two and one.games == 20
    assert one.wins + one.draws + one.losses == 20
    assert len(one.records) == 20 and one.pgn.count("[Event ") == 20
    assert sum(sum(part.values()) for part in one.reasons.values()) == 20


def test_matches_from_positions_in_pairs():
    told = []
    fens = ["8/8/8/8/8/2k5/8/K6R w - - 0 1", "8/8/8/8/8/2k5/8/K6Q w - - 0 1"]
    result = lucena.match(
        "minimax:depth=2", "random", positions=fens, games=8, paired=True, progress=lambda *s: told.append(s)
    )
    assert sum(result.pentanomial) == 4 and [step[0] for step in told] == list(range(1, 9))
    with pytest.raises(errors.SettingsError, match="not from both"):
        lucena.match("random", "random", endgame="KRK", positions=fens)


def test_one_game_between_agents():
    game = lucena.run("minimax:depth=2", first_legal, endgame="KQK", observation="salisch-2", seed=1, limit=100)
    assert game.winner in ("white", None) and game.moves and '[White "minimax:depth=2"]' in game.pgn
    assert game == lucena.run("minimax:depth=2", first_legal, endgame="KQK", observation="salisch-2", seed=1, limit=100)
    mate = lucena.run(
        lucena.Player("minimax:depth=1"), "random", start="fen:k7/8/1K6/8/8/8/8/7R w - - 0 1", rewards={"end": 100}
    )
    assert (mate.winner, mate.reason, mate.moves) == ("white", "checkmate", ("h1h8",))
    assert mate.rewards == {"white": 100, "black": -100}


@pytest.mark.parametrize("opponent", ["random", random_agent(1)], ids=["player", "function"])
def test_many_games_half_as_white(opponent):
    told = []
    result = lucena.evaluate(
        first_legal, opponent, games=51, num_envs=8, limit=60, observation="salisch-2",
        progress=lambda *step: told.append(step),
    )  # fmt: skip
    assert result.games == 51 and sum(result.as_white) == 26 and sum(result.as_black) == 25
    assert result.score == result.wins - result.losses
    assert told[-1][:2] == (51, 51)


def test_strength_is_seen_from_either_chair():
    settings = dict(games=10, endgame="KQK", won=True, limit=60, observation="salisch-2")
    # White has the queen, so the strong side wins as white and never loses as black.
    strong = lucena.evaluate("minimax:depth=3", first_legal, **settings)
    weak = lucena.evaluate(first_legal, "minimax:depth=3", **settings)
    both = lucena.evaluate("minimax:depth=3", "random", **settings)
    assert strong.as_white[0] >= 4 and strong.as_black[0] == 0
    assert weak.as_black[2] >= 4 and both.as_white[0] >= 4


def test_agents_that_answer_nonsense():
    with pytest.raises(errors.ShapeError, match="answered an array of the shape"):
        lucena.evaluate(lambda seen, masks: np.zeros(1, int), games=10)
    with pytest.raises(errors.DtypeError, match="expected whole numbers"):
        lucena.evaluate(lambda seen, masks: masks.argmax(1) * 1.0, games=10)
    with pytest.raises(errors.IllegalActionError, match="not legal"):
        lucena.evaluate(lambda seen, masks: np.full(len(masks), 4671), games=10)
    with pytest.raises(errors.SettingsError, match="settled by who plays whom"):
        lucena.evaluate(first_legal, side="white")


def test_runs_are_loaded(binary, tmp_path, tables):
    folder = tmp_path / "krk"
    subprocess.run(
        [binary, "train", "two-bounds", "--endgame", "KRK", "--board", "4", "--episodes", "2000", "--out", folder]
        + ["--tables", tables],
        check=True,
        capture_output=True,
    )
    run = lucena.Run(folder)
    assert (run.endgame, run.board) == ("KRK", 4) and run.episodes and run.plan["recipe"] == "two-bounds"
    curve = run.curve["training/win_rate"]
    assert curve.ndim == 2 and curve.shape[1] == 2
    player = run.player(checkpoint="newest")
    assert player.choose("k3/4/1K2/3R w").move
    certificate = lucena.certify(run.endgame, run.player(), board=run.board, tables=tables)
    assert 0 <= certificate.share <= 1 and certificate.fingerprint
    assert [found.folder for found in lucena.runs(tmp_path)] == [str(folder)]
    with pytest.raises(errors.RunError):
        lucena.runs(tmp_path / "nowhere")
