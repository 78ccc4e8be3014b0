"""How fast the package is beside PettingZoo's own chess, and what a certificate costs. Wall-clock time, all
cores; the two environments of PettingZoo take turns, so that a busy machine slows both. Prints one JSON object.

    .venv/bin/python python/checks/bench_package.py [SECONDS]        (needs the wheel: make wheel)
"""

import json
import statistics
import sys
import tempfile
import time
import warnings

import gymnasium
import lucena
import numpy as np
from lucena.pettingzoo import chess_v0

SECONDS = float(sys.argv[1]) if len(sys.argv) > 1 else 3.0


def vector(observation, **settings):
    """Random plies of whole games with mask and observation, a second."""
    envs = gymnasium.make_vec(
        "lucena/Chess-v0", num_envs=512, observation=observation, opponent="none", **settings
    )
    envs.reset(seed=1)
    steps, start = 0, time.perf_counter()
    while time.perf_counter() - start < SECONDS:
        envs.step(envs.random_actions())
        steps += envs.num_envs
    return steps / (time.perf_counter() - start)


def turns(env, seconds):
    """Random plies through env.last() and env.step(), a second of processor time."""
    rng = np.random.default_rng(1)
    plies, start = 0, time.process_time()
    while time.process_time() - start < seconds:
        env.reset(seed=1)
        for _ in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.step(None)
            else:
                env.step(int(rng.choice(np.flatnonzero(observation["action_mask"]))))
                plies += 1
            if time.process_time() - start >= seconds:
                break
    return plies / (time.process_time() - start)


def pettingzoo():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pettingzoo.classic import chess_v6
    rates = {"ours": [], "theirs": []}
    for _ in range(3):
        rates["ours"].append(turns(chess_v0.env(**chess_v0.LIKE_CHESS_V6), SECONDS))
        rates["theirs"].append(turns(chess_v6.env(), SECONDS))
    return {name: statistics.median(values) for name, values in rates.items()}


def certificate():
    """Seconds of ours beyond the policy's own, for KRK on the whole board."""
    with tempfile.TemporaryDirectory() as folder:
        lucena.solve("KRK", tables=folder)
        own = 0.0

        def policy(positions):
            nonlocal own
            start = time.perf_counter()
            answer = positions.masks("alphazero").argmax(1)
            own += time.perf_counter() - start
            return answer

        start = time.perf_counter()
        lucena.certify("KRK", policy, tables=folder)
        return time.perf_counter() - start - own


found = {
    "steps_wojcik": vector("wojcik"),
    "steps_wojcik_same_arrays": vector("wojcik", copy=False),
    "steps_salisch_2": vector("salisch-2"),
    "steps_salisch_2_same_arrays": vector("salisch-2", copy=False),
    "pettingzoo": pettingzoo(),
    "certify_krk_seconds": certificate(),
}
found["times_pettingzoo"] = found["pettingzoo"]["ours"] / found["pettingzoo"]["theirs"]
print(json.dumps(found, indent=2))
