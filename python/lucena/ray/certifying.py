"""Certificates of many runs at once."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from typing import Any

from lucena import _files, _lucena
from lucena.errors import Error, RunError
from lucena.players import Run, runs
from lucena.ray._cluster import connected
from lucena.ray._folder import Folder


def certify(
    where: Iterable[str | os.PathLike[str]],
    *,
    player: str = "",
    address: str | None = None,
    cpus: float = 1,
    tables: str | os.PathLike[str] | None = None,
    watch: Callable[[str, dict[str, Any]], object] | None = None,
) -> dict[str, dict[str, Any]]:
    """Certifies runs of endgames, each on its own; the certificate stays in the run's folder, where ``lucena show`` and
    the page find it.

    ``where`` are folders of runs, folders of such folders, or URLs of runs. ``player`` are settings of the player,
    such as ``search=puct,simulations=32,history=off``; the certificate of such a one is told and not kept. A
    machine that dies is replaced; a run that cannot be certified says why under ``error``, and the others go on.
    """
    found: dict[str, dict[str, Any]] = {}
    places = [run for place in where for run in _runs(os.fspath(place))]
    if not places:
        raise RunError("no runs to certify")
    tables = None if tables is None else os.path.abspath(tables)
    with connected(address) as ray:
        task = ray.remote(certify_one).options(num_cpus=cpus, max_retries=3)
        waiting = {task.remote(run, player, int(cpus), tables): run for run in dict.fromkeys(places)}
        while waiting:
            [done], _ = ray.wait(list(waiting), num_returns=1)
            run = waiting.pop(done)
            try:
                found[run] = ray.get(done)
            except (ray.exceptions.RayTaskError, ray.exceptions.RaySystemError, ray.exceptions.WorkerCrashedError) as error:
                cause = getattr(error, "cause", error)
                found[run] = {"error": str(cause)}
                if not isinstance(cause, (Error, OSError)):
                    raise
            if watch is not None:
                watch(run, found[run])
    return {run: found[run] for run in dict.fromkeys(places)}


def _runs(place: str) -> list[str]:
    """The runs that a name stands for."""
    if Folder.is_remote(place) or os.path.exists(os.path.join(place, "run.toml")):
        return [place if Folder.is_remote(place) else os.path.abspath(place)]
    below = [os.path.abspath(run.folder) for run in runs(place)]
    if not below:
        raise RunError(f"{place} holds no runs")
    return below


def certify_one(where: str, player: str = "", threads: int = 1, tables: str | None = None) -> dict[str, Any]:
    """The certificate of a run, which it also keeps, unless it is that of a player with settings of its own."""
    os.environ.setdefault("RAYON_NUM_THREADS", str(max(1, threads)))
    with Folder(where) as folder:
        folder.pull()
        run = Run(folder.path)
        if run.endgame is None:
            raise RunError(f"{where} learned the whole game, of which there is no certificate")
        text = ",".join(part for part in [f"run:{folder.path}", player] if part)
        certificate = _lucena.certify_player(run.endgame, text, run.board, "white", converts(run.endgame), tables)
        figures = json.loads(certificate.json())
        if not player:
            path = os.path.join(folder.path, "certificate.json")
            _files.write(path, json.dumps(figures, indent=2).encode())
            folder.push()
        return figures


def converts(endgame: str) -> str:
    """A run knows one endgame. Where men can be exchanged or promoted, exact truth counts from there on."""
    second = endgame.upper().rindex("K")
    return "player" if second == len(endgame) - 1 and "P" not in endgame.upper() else "truth"
