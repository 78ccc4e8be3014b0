"""Proximal policy optimisation beside sb3-contrib's MaskablePPO: decisions learned from a second, by processor time and by
the clock, one thread each unless said otherwise (several wait for each other busily on a machine that is not idle), with the same networks (66-256-256-4672 and 66-256-256-1), epochs (30), minibatches (128) and decisions an iteration
(4,000). Theirs is given an environment that costs next to nothing (random numbers, 30 legal actions), ours plays chess against a
random mover. Prints one JSON object.

    .venv/bin/python python/checks/bench_ppo.py LUCENA [ITERATIONS [EPOCHS [THREADS]]]        (pip install sb3-contrib)
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time

STEPS, WORLDS, ACTIONS, SEEN, LEGAL = 4000, 20, 4672, 66, 30


def measured(work, who):
    """Seconds of wall clock and of processor time that some work takes."""
    def used():
        usage = resource.getrusage(who)
        return usage.ru_utime + usage.ru_stime

    begin, before = time.perf_counter(), used()
    work()
    return time.perf_counter() - begin, used() - before


def theirs(iterations, epochs, threads):
    try:
        import gymnasium
        import numpy
        import torch
        from sb3_contrib import MaskablePPO
        from stable_baselines3.common.vec_env import DummyVecEnv
    except ImportError:
        return None

    class World(gymnasium.Env):
        observation_space = gymnasium.spaces.Box(0.0, 12.0, (SEEN,), numpy.float32)
        action_space = gymnasium.spaces.Discrete(ACTIONS)

        def __init__(self, seed):
            self.random = numpy.random.default_rng(seed)
            self.count = 0

        def look(self):
            return self.random.integers(0, 13, SEEN).astype(numpy.float32)

        def action_masks(self):
            mask = numpy.zeros(ACTIONS, bool)
            mask[self.random.integers(0, ACTIONS, LEGAL)] = True
            return mask

        def reset(self, *, seed=None, options=None):
            self.count = 0
            return self.look(), {}

        def step(self, action):
            self.count += 1
            return self.look(), float(self.random.random() < 0.01), self.count >= 160, False, {}

    torch.set_num_threads(threads)
    worlds = DummyVecEnv([lambda seed=seed: World(seed) for seed in range(WORLDS)])
    learner = MaskablePPO(
        "MlpPolicy", worlds, n_steps=STEPS // WORLDS, batch_size=128, n_epochs=epochs, learning_rate=5e-5, clip_range=0.3,
        gae_lambda=1.0, device="cpu", seed=1,
        policy_kwargs={"net_arch": {"pi": [256, 256], "vf": [256, 256]}, "activation_fn": torch.nn.Tanh},
    )
    return measured(lambda: learner.learn(STEPS * iterations), resource.RUSAGE_SELF)


def ours(lucena, iterations, epochs, threads):
    with tempfile.TemporaryDirectory() as folder:
        command = [lucena, "train", "salisch-ppo", "--set", "version=2", "--set", f"epochs={epochs}"]
        command += ["--episodes", str(iterations), "--out", folder + "/run"]
        environment = {**os.environ, "RAYON_NUM_THREADS": str(threads)}
        work = lambda: subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return measured(work, resource.RUSAGE_CHILDREN)


def main():
    lucena = sys.argv[1]
    iterations = int(sys.argv[2]) if len(sys.argv) > 2 else 2
    epochs = int(sys.argv[3]) if len(sys.argv) > 3 else 30
    threads = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    result = {"iterations": iterations, "epochs": epochs, "threads": threads, "decisions": STEPS * iterations}
    both = [("lucena", ours(lucena, iterations, epochs, threads)), ("sb3-contrib", theirs(iterations, epochs, threads))]
    for name, times in both:
        result[name] = times and {
            "wall_seconds": round(times[0], 2),
            "processor_seconds": round(times[1], 2),
            "decisions_a_processor_second": round(STEPS * iterations / times[1], 1),
            "decisions_a_second": round(STEPS * iterations / times[0], 1),
        }
    print(json.dumps(result, indent=1))


main()
