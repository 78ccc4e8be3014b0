"""Searches for settings, by Ray Tune."""

from __future__ import annotations

import json
import math
import os
import re
import statistics
from collections.abc import Mapping
from typing import Any

from lucena import _files, _lucena
from lucena.errors import RunError, SettingsError
from lucena.players import Run
from lucena.ray._cluster import connected
from lucena.ray.certifying import certify_one


def tune(
    recipe: str,
    *,
    out: str | os.PathLike[str],
    space: Mapping[str, str],
    episodes: int,
    endgame: str | None = None,
    board: int = 8,
    method: str = "random",
    trials: int = 12,
    seeds: int = 2,
    seed: int = 1,
    score: str = "random",
    lowest: bool = False,
    games: int = 200,
    scheduler: str = "fifo",
    reports: int | None = None,
    resume: bool = False,
    address: str | None = None,
    cpus: float = 1,
    tables: str | os.PathLike[str] | None = None,
) -> dict[str, Any]:
    """Searches for settings of any recipe with Ray Tune. Every training is an ordinary run in the folder ``out``, which
    all machines share.

    ``space`` gives settings their values as ``lucena tune`` does: ``"2,4,8"``, ``"0.9..1"``, ``"1e-4..1e-2,log"``, or one
    value. ``method`` is ``random`` (``trials`` settings) or ``grid``. ``score`` is a player (share of games won),
    ``certificate``, or ``scalar:NAME``. With ``scheduler="asha"`` settings are compared ``reports`` times on the way, and
    the worse ones end early. Each setting is trained with ``seeds`` seeds, one after the other, and ranked by the mean.
    """
    if method not in ("random", "grid"):
        raise SettingsError(f"method is '{method}', expected random or grid")
    if scheduler not in ("fifo", "asha"):
        raise SettingsError(f"scheduler is '{scheduler}', expected fifo or asha")
    if score == "certificate" and endgame is None:
        raise SettingsError("certificates are of endgames: name one")
    if not 1 <= trials <= 10_000 or not 1 <= seeds <= 100:
        raise SettingsError("1 to 10,000 trials of 1 to 100 seeds")
    reports = reports or (4 if scheduler == "asha" else 1)
    folder = os.path.abspath(out)
    defaults = json.loads(_lucena.recipe_settings(recipe))
    task = {
        "recipe": recipe,
        "endgame": endgame,
        "board": board,
        "episodes": episodes,
        "seeds": list(range(seed, seed + seeds)),
        "score": score,
        "games": games,
        "reports": max(1, min(reports, episodes)),
        "folder": folder,
        "threads": int(cpus),
        "tables": None if tables is None else os.path.abspath(tables),
    }
    # A setting that makes no sense is refused here and not on every machine.
    first = {name: _values(text)[0] for name, text in space.items()}
    _lucena.plan(recipe, endgame, board, episodes, seed, list(first.items()))
    with connected(address) as ray:
        from ray import tune as ray_tune

        ends = {True: "min", False: "max"}[lowest]
        axes = {name: axis(name, text, defaults, method) for name, text in space.items()}
        trainable = ray_tune.with_resources(
            ray_tune.with_parameters(_trial, task=task), {"cpu": cpus}
        )
        path = os.path.join(folder, "ray")
        if resume:
            tuner = ray_tune.Tuner.restore(path, trainable, resume_errored=True, restart_errored=False)
        elif os.path.exists(path):
            raise RunError(f"{folder} already holds a search: resume it, or choose another folder")
        else:
            os.makedirs(folder, exist_ok=True)
            early = ray_tune.schedulers.ASHAScheduler(time_attr="step", max_t=task["reports"], grace_period=1)
            tuner = ray_tune.Tuner(
                trainable,
                param_space={name: value.build(ray_tune) for name, value in axes.items()},
                tune_config=ray_tune.TuneConfig(
                    metric="score",
                    mode=ends,
                    num_samples=trials if method == "random" else 1,
                    scheduler=early if scheduler == "asha" else None,
                    search_alg=ray_tune.search.BasicVariantGenerator(random_state=seed),
                ),
                run_config=ray_tune.RunConfig(
                    name="ray",
                    storage_path=folder,
                    verbose=0,
                    failure_config=ray_tune.FailureConfig(max_failures=3),
                ),
            )
        results = tuner.fit()
        rows = []
        for result in results:
            metrics = result.metrics or {}
            rows.append(
                {
                    "settings": result.config,
                    "score": metrics.get("score"),
                    "each": metrics.get("each"),
                    "episodes": metrics.get("episodes"),
                    "runs": metrics.get("runs"),
                    "error": None if result.error is None else str(result.error).strip().splitlines()[-1],
                }
            )
    worst = math.inf if lowest else -math.inf
    usable = lambda row: row["score"] if row["score"] is not None and not math.isnan(row["score"]) else worst  # noqa: E731
    rows.sort(key=usable, reverse=not lowest)
    report = {"recipe": recipe, "endgame": endgame, "board": board, "episodes": episodes, "score": score, "trials": rows}
    _files.write(os.path.join(folder, "report.json"), json.dumps(report, indent=2).encode())
    return report


class axis:
    """The values of one setting: a list, or a range of numbers."""

    def __init__(self, name: str, text: str, defaults: Mapping[str, Any], method: str = "random") -> None:
        if name not in defaults:
            raise SettingsError(f"there is no setting '{name}'; the settings are {', '.join(defaults)}")
        self.method = method
        self.values = _values(text)
        self.range: tuple[float, float] | None = None
        self.log = False
        self.whole = isinstance(defaults[name], int) and not isinstance(defaults[name], bool)
        found = re.fullmatch(r"\s*([^,]+?)\.\.([^,]+?)(,\s*log)?\s*", text)
        if found is None:
            return
        try:
            low, high = float(found[1]), float(found[2])
        except ValueError:
            raise SettingsError(f"{name}: '{text}' is no range of numbers, expected LOW..HIGH or LOW..HIGH,log") from None
        self.log = found[3] is not None
        if not low < high or not math.isfinite(high - low) or (self.log and low <= 0):
            raise SettingsError(f"{name}: the range '{text}' is empty, or has no logarithm")
        if method == "grid":
            raise SettingsError(f"{name}: a grid needs listed values, not the range '{text}'")
        self.range = (low, high)

    def build(self, tune: Any) -> Any:
        """The same as Ray Tune has it."""
        if self.range is None:
            if len(self.values) == 1:
                return self.values[0]
            return tune.grid_search(self.values) if self.method == "grid" else tune.choice(self.values)
        low, high = self.range
        if self.whole:
            draw = tune.lograndint if self.log else tune.randint
            return draw(int(low), int(high) + 1)
        return (tune.loguniform if self.log else tune.uniform)(low, high)


def _values(text: str) -> list[str]:
    """The values of a list; commas inside of quotes and brackets belong to a value. Of a range, its lower end."""
    if re.search(r"[^.]\.\.[^.]", text):
        return [text.split("..")[0].strip()]
    values = re.findall(r'(?:"[^"]*"|\[[^\]]*\]|[^,"\[])+', text)
    values = [value.strip().strip('"') for value in values]
    if not values or any(not value for value in values):
        raise SettingsError(f"'{text}' is no list of values")
    return values


def _trial(config: dict[str, Any], task: dict[str, Any]) -> None:
    """Trains one setting with all its seeds; on another machine it goes on where a checkpoint was left."""
    from ray import tune

    os.environ["RAYON_NUM_THREADS"] = str(max(1, task["threads"]))
    changes = [(name, str(value)) for name, value in config.items()]
    name = tune.get_context().get_trial_id()
    runs = [os.path.join(task["folder"], f"trial-{name}-seed-{seed}") for seed in task["seeds"]]
    for step in range(1, task["reports"] + 1):
        until = -(-task["episodes"] * step // task["reports"])
        each = []
        for run, seed in zip(runs, task["seeds"]):
            plan = None
            if not os.path.exists(os.path.join(run, "run.toml")):
                plan = plan_of_trial(task, seed, changes)
            _lucena.train(run, plan, None, until, task["tables"])
            each.append(scored(run, task))
        names = [os.path.basename(run) for run in runs]
        tune.report({"score": statistics.fmean(each), "each": each, "step": step, "episodes": until, "runs": names})


def plan_of_trial(task: Mapping[str, Any], seed: int, changes: list[tuple[str, str]]) -> str:
    """What one training of a search is to do; it says who judges."""
    player = [] if task["score"] == "certificate" or task["score"].startswith("scalar:") else [task["score"]]
    return _lucena.plan(
        task["recipe"],
        task["endgame"],
        task["board"],
        task["episodes"],
        seed,
        changes,
        player,
        -(-task["episodes"] // task["reports"]),
        task["games"],
        searched_by=task["score"],
    )


def scored(run: str, task: Mapping[str, Any]) -> float:
    """What a run is worth now."""
    score = task["score"]
    if score == "certificate":
        share = certify_one(run, threads=task["threads"], tables=task["tables"])["share"]
        return math.nan if share is None else share
    name = score.removeprefix("scalar:") if score.startswith("scalar:") else f"evaluation/{score}"
    curve = Run(run).curve.get(name)
    return math.nan if curve is None or not len(curve) else float(curve[-1][1])
