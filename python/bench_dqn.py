"""What the training step of `ypma-dqn` costs in PyTorch: batches a second by batch size, for the same
network (a convolution of 16 pictures, 128 neurons, 36 values), squared error and Adam, on one thread
and on as many as there are cores, the better of both. Prints one JSON object with the fields of the example
`deep_speed`.

    .venv/bin/python python/bench_dqn.py [SECONDS]        (needs torch)
"""

import json
import os
import sys
import time

import torch
from torch import nn

SIZES = [16, 32, 64, 128, 256]


def network():
    return nn.Sequential(
        nn.Conv2d(3, 16, 3, padding=1),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(16 * 64, 128),
        nn.ReLU(),
        nn.Linear(128, 36),
    )


def steps_per_second(size, seconds):
    torch.manual_seed(1)
    model = network()
    adam = torch.optim.Adam(model.parameters(), lr=1e-3)
    planes = torch.zeros(size, 3, 64)
    for i in range(size):
        for plane in range(3):
            planes[i, plane, (i * 13 + plane * 29) % 64] = 1.0
    planes = planes.view(size, 3, 8, 8)
    actions = (torch.arange(size) % 36).unsqueeze(1)
    targets = torch.full((size, 1), -1.0)

    def step():
        off = targets - model(planes).gather(1, actions)
        loss = (off * off).mean()
        adam.zero_grad()
        loss.backward()
        adam.step()

    for _ in range(5):
        step()
    count, start = 0, time.perf_counter()
    while time.perf_counter() - start < seconds:
        step()
        count += 1
    return count / (time.perf_counter() - start)


if __name__ == "__main__":
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 2.0
    speeds = {}
    for threads in sorted({1, os.cpu_count() or 1}):
        torch.set_num_threads(threads)
        for size in SIZES:
            speed = steps_per_second(size, seconds)
            speeds[str(size)] = max(speed, speeds.get(str(size), 0.0))
    print(json.dumps({"torch": torch.__version__, "steps_per_second": speeds}))
