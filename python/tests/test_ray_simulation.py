"""The simulation behind docs/cluster.md: its limits are those that can be worked out by hand."""

import pytest
from lucena.ray.simulation import Costs, measure, simulate, text

COSTS = Costs(
    positions=500, play_seconds=1.0, learn_seconds=0.001, harvest_bytes=50_000, games_bytes=1, weights_bytes=1_000_000
)


def changed(**costs):
    return Costs(**{**COSTS.__dict__, **costs})


def test_players_who_are_never_waited_for_are_the_limit():
    found = simulate(COSTS, 10, iterations=20)
    assert found["limit"] == "players"
    # Ten players, 500 positions a second each, and a little for the ends of iterations.
    assert 4500 < found["positions_per_second"] <= 5000
    assert simulate(COSTS, 20, iterations=20)["positions_per_second"] > 1.9 * found["positions_per_second"]


@pytest.mark.parametrize(
    ("costs", "limit", "most"),
    [
        ({"learn_seconds": 1.0}, "learner", 500 / 1.0),
        ({"harvest_bytes": 125_000_000}, "link in", 500 / 0.1),
        ({"dispatch_seconds": 0.1}, "handing out", 500 / 0.1),
        ({"weights_bytes": 100_000_000_000}, "link out", 100 * 2 * 500 / (7 * 80)),
    ],
)
def test_other_limits(costs, limit, most):
    found = simulate(changed(**costs), 100, iterations=20)
    assert found["limit"] == limit
    assert 0.8 * most < found["positions_per_second"] < 1.1 * most


def test_what_is_measured():
    settings = {"group": 4, "plies": 4, "simulations": 4, "width": 8, "batch": 16, "max_moves": 5}
    costs = measure("KRK", 4, settings, iterations=30)
    assert costs.positions == 16 and costs.play_seconds > 0 and costs.learn_seconds > 0
    assert 50 < costs.harvest_bytes / costs.positions < 500 and costs.weights_bytes > 1000
    found = {"endgame": "KRK", "board": 4, "costs": costs.__dict__, "clusters": [simulate(costs, 10)]}
    assert text(found).count("\n") == 4
