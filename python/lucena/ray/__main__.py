"""``python -m lucena.ray train | tune | certify | simulate``."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from typing import Any

from lucena.errors import Error


def _change(text: str) -> tuple[str, str]:
    name, found, value = text.partition("=")
    if not found:
        raise argparse.ArgumentTypeError("a name and a value, such as width=64")
    return name.strip(), value.strip()


def parser() -> argparse.ArgumentParser:
    """The options of every command."""
    top = argparse.ArgumentParser(prog="python -m lucena.ray", description=__doc__)
    commands = top.add_subparsers(dest="command", required=True)

    def command(name: str, text: str) -> argparse.ArgumentParser:
        found = commands.add_parser(name, help=text, description=text)
        found.add_argument("--json", action="store_true", help="print JSON")
        if name != "simulate":
            found.add_argument("--address", help="the cluster: auto, ray://HOST:PORT; none for a Ray on this machine alone")
            found.add_argument("--tables", metavar="DIR", help="folder of exact tables, on every machine")
        return found

    train = command("train", "train with the games played all over a cluster; the options of 'lucena train', and where")
    train.add_argument("recipe", nargs="?", help="alphazero, ppo or salisch-ppo")
    train.add_argument("--endgame", metavar="MATERIAL", help="the endgame; none for the whole game")
    train.add_argument("--board", type=int, default=8, metavar="N", help="board size, 4 to 8")
    train.add_argument("--episodes", type=int, metavar="N", help="iterations; with --resume, so many in all")
    train.add_argument("--seed", type=int, default=1, metavar="S")
    train.add_argument("--out", required=True, metavar="DIR", help="the run's folder, or a URL of fsspec's")
    train.add_argument("--set", action="append", type=_change, default=[], metavar="KEY=VALUE", dest="settings")
    train.add_argument("--evaluate", action="append", default=[], metavar="PLAYER")
    train.add_argument("--evaluate-every", type=int, metavar="N")
    train.add_argument("--evaluation-games", type=int, default=200, metavar="N")
    train.add_argument("--stop-at", type=float, metavar="SHARE")
    train.add_argument("--stop-after", type=int, default=3, metavar="N")
    train.add_argument("--checkpoint-every", type=int, metavar="N")
    train.add_argument("--keep", type=int, default=3, metavar="N", help="checkpoints to keep")
    train.add_argument("--resume", action="store_true", help="go on with the run in the folder")
    train.add_argument("--actors", type=int, required=True, metavar="N", help="players; those without room wait for a node")
    train.add_argument("--staleness", type=int, metavar="N", help="iterations that weights may be behind [1; 0 for ppo]")
    train.add_argument("--cpus-per-actor", type=float, default=1, metavar="X")
    train.add_argument("--gpus-per-actor", type=float, default=0, metavar="X")
    train.add_argument("--learner-cpus", type=float, default=1, metavar="X")
    train.add_argument("--learner-gpus", type=float, default=0, metavar="X")
    train.add_argument("--learner-on", choices=["here", "any"], help="where the learner may be [here, for a folder]")

    tune = command("tune", "search for settings with Ray Tune; every training is a run")
    tune.add_argument("recipe", help="any recipe of 'lucena train --list'")
    tune.add_argument("--endgame", metavar="MATERIAL")
    tune.add_argument("--board", type=int, default=8, metavar="N")
    tune.add_argument("--episodes", type=int, required=True, metavar="N")
    tune.add_argument("--set", action="append", type=_change, default=[], metavar="KEY=VALUES", dest="space")
    tune.add_argument("--method", choices=["random", "grid"], default="random")
    tune.add_argument("--trials", type=int, default=12, metavar="N")
    tune.add_argument("--seeds", type=int, default=2, metavar="N")
    tune.add_argument("--seed", type=int, default=1, metavar="S")
    tune.add_argument("--score", default="random", help="a player, certificate, or scalar:NAME")
    tune.add_argument("--lowest", action="store_true", help="the lowest score is the best")
    tune.add_argument("--games", type=int, default=200, metavar="N", help="games of a score against a player")
    tune.add_argument("--scheduler", choices=["fifo", "asha"], default="fifo", help="asha ends the worse ones early")
    tune.add_argument("--reports", type=int, metavar="N", help="scores on the way [1; 4 with asha]")
    tune.add_argument("--cpus", type=float, default=1, metavar="X", help="processors of a training")
    tune.add_argument("--out", required=True, metavar="DIR", help="a folder that all machines share")
    tune.add_argument("--resume", action="store_true", help="go on with the search in the folder")

    certify = command("certify", "certify runs, each on its own; the certificate stays with the run")
    certify.add_argument("runs", nargs="+", metavar="RUN", help="folders of runs, folders of such folders, URLs of runs")
    certify.add_argument("--player", default="", help="settings of the player, such as search=puct,simulations=32,history=off")
    certify.add_argument("--cpus", type=float, default=1, metavar="X", help="processors of a certificate")

    simulate = command("simulate", "what limits a cluster of 10, 100 and 10,000 actors, from what this machine measures")
    simulate.add_argument("--endgame", default=None, metavar="MATERIAL", help="none for the whole game")
    simulate.add_argument("--board", type=int, default=8, metavar="N")
    simulate.add_argument("--set", action="append", type=_change, default=[], metavar="KEY=VALUE", dest="settings")
    simulate.add_argument("--actors", type=int, action="append", metavar="N", help="how many; may be given several times")
    simulate.add_argument("--gigabits", type=float, default=10, metavar="X", help="the learner's connection")
    return top


def _train(args: dict[str, Any], as_json: bool) -> None:
    from lucena.ray import train

    args["settings"] = dict(args["settings"])
    last = ""

    def watch(status: dict[str, Any]) -> None:
        nonlocal last
        for notice in status.get("notices", []):
            print(f"lucena: {notice}", file=sys.stderr)
        if "episodes" in status:
            figures = status["figures"]
            line = f"iteration {status['episodes']}/{status['of']}, {figures['players']} players"
            if line != last:
                print(line, file=sys.stderr)
            last = line

    done = train(**args, watch=watch)
    if as_json:
        print(json.dumps(done, indent=2))
        return
    figures = done["figures"]
    print(f"{done['episodes']} iterations, {done['plies']:,} moves in {done['seconds']:.1f} s ({done['stopped']})")
    print(
        f"{figures['pieces']} parts came back in {figures['parcels']} parcels, {figures['bytes'] / 1e6:.1f} MB, the largest "
        f"{figures['largest_piece'] / 1e6:.2f} MB; {figures['played_again']} were played again, the games of "
        f"{figures['lost_games']} parts were lost"
    )
    # The first iteration also waits for the players to be started.
    share = figures["playing_seconds"] / max(figures["players"] * done["seconds"], 1e-9)
    print(f"The players played {share:.0%} of the time; the learner waited for them {figures['waiting_seconds'] / done['seconds']:.0%}")
    print(f"Play it as run:{args['out']}")
    if done["stopped"] == "cancelled":
        print(f"lucena: 'python -m lucena.ray train --resume --out {args['out']}' goes on", file=sys.stderr)
        raise SystemExit(130)


def _tune(args: dict[str, Any], as_json: bool) -> None:
    from lucena.ray import tune

    args["space"] = dict(args["space"])
    report = tune(**args)
    if as_json:
        print(json.dumps(report, indent=2))
        return
    print(f"{report['recipe']}, {len(report['trials'])} settings; score: {report['score']}. Best first:")
    for row in report["trials"]:
        settings = ", ".join(f"{name}={value}" for name, value in row["settings"].items())
        score = "failed: " + row["error"] if row["score"] is None else f"{row['score']:.4f}"
        print(f"  {score}  {settings}  ({row['episodes']} episodes, runs {', '.join(row['runs'] or [])})")


def _certify(args: dict[str, Any], as_json: bool) -> None:
    from lucena.ray import certify

    def line(run: str, found: dict[str, Any]) -> None:
        if not as_json:
            told = found.get("error") or _shown(found)
            print(f"{run}: {told}", flush=True)

    found = certify(args.pop("runs"), **args, watch=line)
    if as_json:
        print(json.dumps(found, indent=2))
    if any("error" in one for one in found.values()):
        raise SystemExit(1)


def _simulate(args: dict[str, Any], as_json: bool) -> None:
    from lucena.ray import simulation

    args["settings"] = dict(args["settings"])
    report = simulation.report(**args)
    print(json.dumps(report, indent=2) if as_json else simulation.text(report))


def _shown(certificate: dict[str, Any]) -> str:
    if certificate["share"] is None:
        return "there is no won position to prove anything about"
    return f"mate forced from {certificate['share']:.3%} of {certificate['won_positions']:,} won positions"


def main(words: Sequence[str] | None = None) -> None:
    """Carries out what the command line asks for."""
    args = vars(parser().parse_args(words))
    command, as_json = args.pop("command"), args.pop("json")
    try:
        {"train": _train, "tune": _tune, "certify": _certify, "simulate": _simulate}[command](args, as_json)
    except Error as error:
        print(f"lucena: {error}", file=sys.stderr)
        raise SystemExit(1) from None


if __name__ == "__main__":
    main()
