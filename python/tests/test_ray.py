"""Trainings, searches and certificates on a Ray cluster of three nodes; players, nodes and learners die."""

import csv
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

import lucena
import pytest

pytest.importorskip(
    "ray", reason="Ray is not installed (it has no wheel for every Python): lucena.ray is not tested"
)

from lucena.ray import certify, train, tune  # noqa: E402
from lucena.ray._field import together  # noqa: E402
from ray_cluster import MOST, PPO, ZERO, Nodes, Training, alone, learned, quick  # noqa: E402, F401

# Ray's own warnings are not ours.
pytestmark = pytest.mark.filterwarnings("default")


@pytest.fixture(scope="session")
def nodes():
    nodes = Nodes(3)
    yield nodes
    nodes.close()


def krk(recipe="alphazero", **arguments):
    return {"recipe": recipe, "endgame": "KRK", "board": 5, "actors": 2, "settings": ZERO, **arguments}


COMMAND = [sys.executable, "-m", "lucena.ray"]


def bounded(figures):
    assert 0 < figures["largest_piece"] < MOST and figures["largest_weights"] < MOST
    assert 0 < figures["largest_games"] < MOST


def test_a_training_that_ends_certified(nodes, quick, tables, binary):
    run = quick / "krk"
    command = [*COMMAND, "train", "alphazero", "--endgame", "KRK", "--board", "5", "--episodes", "60", "--actors", "2"]
    for setting in ("games=64", "group=16", "simulations=16", "width=64"):
        command += ["--set", setting]
    command += ["--out", run, "--address", nodes.cluster.address, "--json"]
    done = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    assert (done["stopped"], done["episodes"]) == ("episodes", 60)
    assert done["figures"]["oldest_weights"] <= 1 and done["figures"]["lost_games"] == 0
    bounded(done["figures"])
    command = [*COMMAND, "certify", str(quick), "--tables", str(tables)]
    command += ["--address", nodes.cluster.address, "--json"]
    found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    assert found[str(run)]["share"] > 0.9
    command.remove("--json")
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert f"mate forced from {found[str(run)]['share']:.3%} of {found[str(run)]['won_positions']:,} won" in told, told
    # It is a run like every other: shown, with its certificate, and gone on with, all without Ray.
    shown = json.loads(subprocess.run([binary, "show", run, "--json"], check=True, capture_output=True).stdout)
    assert shown["certificate"]["current"] and shown["certificate"]["share"] == found[str(run)]["share"]
    resume = [binary, "train", "--resume", "--episodes", "61", "--out", run, "--tables", tables]
    subprocess.run(resume, check=True, capture_output=True)
    assert lucena.Run(run).episodes == 61
    player = f"run:{run},search=puct,simulations=16,history=off"
    assert lucena.certify("KRK", player, board=5, tables=tables).share > 0.95


# Sixteen small parts, which travel several together.
SMALL = {**ZERO, "group": 2}


def test_a_player_that_dies_changes_nothing(nodes, quick):
    training = Training(
        **krk(episodes=200, settings=SMALL, staleness=0, out=quick / "run", checkpoint_every=50)
    )
    status = training.until(lambda status: status["episodes"] >= 3)
    os.kill(status["players"][0]["pid"], signal.SIGKILL)
    figures = training.done()["figures"]
    assert figures["played_again"] >= 1 and figures["lost_games"] == 0
    assert figures["pieces"] == 200 * 16 and figures["parcels"] == 200 * 2
    assert learned(quick / "run") == learned(alone(quick / "alone", "alphazero", 200, SMALL, checkpoint_every=50))


def test_ppo_is_that_of_one_machine(nodes, quick):
    done = train(**krk("ppo", episodes=6, settings=PPO, out=quick / "run"))
    assert done["figures"]["pieces"] == 6 * 5 and done["figures"]["oldest_weights"] == 0
    assert learned(quick / "run") == learned(alone(quick / "alone", "ppo", 6, PPO))
    with pytest.raises(lucena.errors.RunError, match="newest weights"):
        train(**krk("ppo", episodes=6, settings=PPO, out=quick / "stale", staleness=1))


def test_a_learner_that_dies_goes_on_from_its_checkpoint(nodes, quick):
    training = Training(**krk(episodes=200, out=quick / "run", checkpoint_every=4))
    status = training.until(lambda status: status["episodes"] >= 6)
    os.kill(status["pid"], signal.SIGKILL)
    assert training.done()["episodes"] == 200
    assert any("another goes on" in notice for notice in training.notices)
    with open(quick / "run/metrics.csv") as file:
        rows = list(csv.DictReader(file))
    assert [int(row["episodes"]) for row in rows] == list(range(2, 201, 2))


def test_a_node_that_joins_is_used_and_one_that_dies_is_not_missed(nodes, quick):
    # Long enough that a quick machine is not done before the node has come and gone.
    episodes = 900
    training = Training(
        **krk(episodes=episodes, settings=SMALL, actors=4, out=quick / "run", checkpoint_every=100)
    )
    training.until(lambda status: status["figures"]["players"] == 2)
    begun = time.monotonic()
    node = nodes.add()
    training.until(lambda status: status["figures"]["players"] == 3)
    joined = time.monotonic() - begun
    assert joined < 30, "seconds until a new node plays"
    before = training.statuses[-1]["figures"]["pieces"]
    training.until(lambda status: status["figures"]["pieces"] > before + 10)
    nodes.remove(node)
    training.until(lambda status: status["figures"]["players"] == 2)
    # What was under way there is played again, and the run goes on.
    before = training.statuses[-1]["episodes"]
    training.until(lambda status: status["episodes"] > before + 3)
    done = training.done()
    assert done["episodes"] == episodes and done["figures"]["played_again"] >= 1
    assert lucena.Run(quick / "run").episodes == episodes


def test_ctrl_c_leaves_a_checkpoint(nodes, quick):
    command = [*COMMAND, "train", "ppo", "--endgame", "KRK", "--board", "5", "--actors", "2", "--episodes", "100000"]
    command += ["--set", "width=16", "--out", str(quick / "run"), "--address", nodes.cluster.address]
    # A shell lets what it starts in the background ignore Ctrl-C, and Python leaves it at that.
    heed = lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, preexec_fn=heed
    ) as process:
        while not re.match(r"iteration [1-9]", process.stderr.readline()):
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        told, errors = process.communicate(timeout=60)
    assert process.returncode == 130 and "cancelled" in told and "--resume" in errors, errors
    assert lucena.Run(quick / "run").episodes >= 1


def test_a_search_for_settings(nodes, quick, tables):
    report = tune(
        "ypma-q",
        endgame="KQK",
        board=4,
        episodes=400,
        space={"alpha": "0.01,0.5", "gamma": "0.9"},
        method="grid",
        seeds=2,
        score="certificate",
        out=quick / "search",
        tables=tables,
    )
    rows = report["trials"]
    assert len(rows) == 2 and rows[0]["score"] >= rows[1]["score"] > 0
    assert {row["settings"]["alpha"] for row in rows} == {"0.01", "0.5"}
    runs = lucena.runs(quick / "search")
    assert len(runs) == 4 and {run.plan["searched_by"] for run in runs} == {"certificate"}
    assert json.loads((quick / "search/report.json").read_text()) == report


def test_a_run_behind_a_url(nodes, quick, tables):
    url = f"file://{quick}/store/run"
    train(**krk(episodes=4, out=url, checkpoint_every=2))
    assert lucena.Run(quick / "store/run").episodes == 4
    with pytest.raises(lucena.errors.RunError, match="already holds a run"):
        train(**krk(episodes=4, out=url))
    train(out=url, actors=1, resume=True, episodes=6)
    assert lucena.Run(quick / "store/run").episodes == 6
    found = certify([url, f"file://{quick}/nothing"], tables=tables)
    assert found[url]["share"] is not None and "holds no run" in found[f"file://{quick}/nothing"]["error"]
    assert json.loads((quick / "store/run/certificate.json").read_text())["share"] == found[url]["share"]


def test_parts_travel_together_as_far_as_there_is_enough_for_everybody():
    assert together(parts=8, players=1, room=99, staleness=1) == 4
    assert together(parts=8, players=2, room=99, staleness=1) == 2
    assert together(parts=8, players=16, room=99, staleness=1) == 1
    assert together(parts=8, players=1, room=99, staleness=0) == 8, "nobody could play on before all is there"
    assert together(parts=8, players=2, room=99, staleness=0) == 4
    assert together(parts=1000, players=1, room=99, staleness=1) == 8
    assert together(parts=1000, players=1, room=3, staleness=1) == 3, "no object is larger than its bound"


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({"recipe": "ypma-q"}, "cannot be played elsewhere"),
        ({"recipe": "nothing"}, "no recipe"),
        ({"settings": {"games": 4096, "group": 4096, "plies": 1000}}, "choose a smaller number"),
        ({"settings": {"widht": 3}}, "widht"),
        ({"actors": 0}, "actors is 0"),
        ({"staleness": -1}, "staleness is -1"),
    ],
)
def test_what_makes_no_sense_is_refused_at_once(quick, arguments, why):
    settings = {} if arguments.get("recipe") else ZERO
    with pytest.raises(lucena.Error, match=why):
        train(**krk(**{"episodes": 2, "out": quick / "run", "settings": settings, **arguments}))
    assert not (quick / "run").exists()


@pytest.mark.skipif("LUCENA_EXHAUSTIVE" not in os.environ, reason="ten minutes: make test-full")
def test_memory_stays_what_it_is(nodes, quick):
    settings = {**ZERO, "games": 64, "group": 16, "window_most": 20000}
    training = Training(**krk(episodes=10**6, settings=settings, out=quick / "run", checkpoint_every=500))
    training.until(lambda status: status["episodes"] > 30, 300)

    def resident():
        status = training.statuses[-1]
        pids = [status["pid"], *(player["pid"] for player in status["players"])]
        sizes = [pathlib.Path(f"/proc/{pid}/statm").read_text().split()[1] for pid in pids]
        return sum(map(int, sizes)) * os.sysconf("SC_PAGE_SIZE") / 2**20

    seen, begun = [], time.monotonic()
    while time.monotonic() - begun < 600:
        time.sleep(10)
        assert training.is_alive(), training.error
        seen.append(resident())
    training.stopping = True
    assert training.done()["stopped"] == "cancelled"
    print("MiB of learner and players:", [round(one) for one in seen])
    early, late = sorted(seen[6:18])[6], sorted(seen[-12:])[6]
    assert late < 1.05 * early, "memory grows"
    figures = training.statuses[-1]["figures"]
    bounded(figures)
