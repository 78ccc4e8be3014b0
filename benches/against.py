#!/usr/bin/env python3
"""Two binaries in turns: what a change costs.

    benches/against.py OLD NEW [--rounds N] [--record NAME]

Each command is run by one binary, then by the other, on one thread; what is compared is processor time in user mode,
which other programs on the machine disturb less than the time on the clock. Medians, and the range of the ratios
of neighbouring runs. --record keeps the table as benches/runs/<date>-NAME.md.
"""

import argparse
import datetime
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def training(recipe, endgame, episodes, *settings):
    changes = [part for setting in settings for part in ("--set", setting)]
    return ["train", recipe, "--endgame", endgame, "--episodes", str(episodes), "--out", "{run}", *changes]


COMMANDS = {
    "starting": ["--version"],
    "solving KBNK": ["solve", "KBNK", "--force"],
    "certifying minimax of depth 4 on KRK": ["certify", "minimax:depth=4,history=off", "KRK"],
    "certifying a network on KBBK": ["certify", "net:nets/kbbk-play.safetensors", "KBBK"],
    "20 games of minimax of depth 8 on KBNK": [
        *["match", "--white", "minimax:depth=8", "--black", "random", "--endgame", "KBNK", "--games", "20", "--seed", "1"],
    ],
    "20 games of UCT on KRK": [
        *["match", "--white", "mcts:simulations=2000", "--black", "random", "--endgame", "KRK", "--games", "20"],
        *["--seed", "1"],
    ],
    "training two-bounds": training("two-bounds", "KRK", 20_000),
    "training ypma-q": training("ypma-q", "KQK", 30_000),
    "training deolalikar-q-lambda": training("deolalikar-q-lambda", "KRK", 20_000),
    "training ypma-dqn": training("ypma-dqn", "KRK", 150),
    "training td-net": training("td-net", "KRK", 150),
    "training distance-net": training("distance-net", "KRK", 100),
    "training tiny-net": training("tiny-net", "KRK", 2_000),
    "training samadi-net": training("samadi-net", "KRK", 30),
}


def seconds(binary, command, lab):
    """Processor time of one run, in user mode."""
    run = lab / "run"
    shutil.rmtree(run, ignore_errors=True)
    args = [part.format(run=run) for part in command]
    if command[0] != "--version":
        args += ["--tables", str(lab / "tables")]
    environment = os.environ | {"RAYON_NUM_THREADS": "1", "XDG_STATE_HOME": str(lab), "XDG_DATA_HOME": str(lab)}
    child = subprocess.Popen(
        [binary, *args], cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    said = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    if status != 0:
        sys.exit(f"{binary} {' '.join(args)}: {said.strip() or 'failed without a word'}")
    return usage.ru_utime


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=pathlib.Path)
    parser.add_argument("new", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--record", metavar="NAME")
    parser.add_argument("--only", default="", help="commands whose name contains this")
    options = parser.parse_args()
    binaries = [str(path.resolve()) for path in (options.old, options.new)]
    lines = [
        f"# {datetime.date.today()}: two binaries in turns",
        "",
        f"`benches/against.py OLD NEW --rounds {options.rounds}`, one thread, seconds of processor time in user mode;",
        f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f} at the beginning. Below 1 the new one is quicker.",
        "",
        "| what | old | new | new / old | range |",
        "|---|---|---|---|---|",
    ]
    print("\n".join(lines), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        lab = pathlib.Path(folder)
        for name, command in COMMANDS.items():
            if options.only not in name:
                continue
            for binary in binaries:  # the tables are there, the files are in memory
                seconds(binary, command, lab)
            rounds = [[seconds(binary, command, lab) for binary in binaries] for _ in range(options.rounds)]
            old, new = (statistics.median(times) for times in zip(*rounds))
            ratios = [after / max(before, 1e-3) for before, after in rounds]
            line = (
                f"| {name} | {old:.3f} | {new:.3f} | {new / max(old, 1e-3):.2f} | {min(ratios):.2f} to {max(ratios):.2f} |"
            )
            print(line, flush=True)
            lines.append(line)
    if options.record:
        path = ROOT / "benches" / "runs" / f"{datetime.date.today()}-{options.record}.md"
        path.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
