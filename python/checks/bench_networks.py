"""What our networks cost in PyTorch: training steps a second by batch size for the network of `ypma-dqn` (a
convolution of 16 pictures, 128 neurons, 36 values; squared error) and for that of `distance-net` on KBNK (sums of
ten rows of 256, three layers that add to what they are given, 35 classes; cross-entropy), with Adam; and positions a
second valued by a network of document S's size (10 inputs, 5 neurons), one at a time, as a search
asks, and 1,024 at a time, as no search can. On one thread and on as many as there are cores, the better of both; the
valuing on one. Prints one JSON object, with the fields of the example `deep_speed`.

    .venv/bin/python python/checks/bench_networks.py [SECONDS]        (needs torch)
"""

import json
import os
import sys
import time

import torch
from torch import nn

MOVES = [16, 32, 64, 128, 256]
DISTANCES = [256, 1024, 4096]


class Distances(nn.Module):
    """The network of `distance-net`: inputs are numbers of rows."""

    def __init__(self, inputs=1208, width=256, layers=3, classes=35):
        super().__init__()
        self.rows = nn.EmbeddingBag(inputs, width, mode="sum")
        self.layers = nn.ModuleList(nn.Linear(width, width) for _ in range(layers))
        self.last = nn.Linear(width, classes)

    def forward(self, inputs):
        state = self.rows(inputs).relu()
        for layer in self.layers:
            state = state + layer(state).relu()
        return self.last(state)


def per_second(seconds, step):
    for _ in range(5):
        step()
    count, start = 0, time.perf_counter()
    while time.perf_counter() - start < seconds:
        step()
        count += 1
    return count / (time.perf_counter() - start)


def training_step(model, loss):
    adam = torch.optim.Adam(model.parameters(), lr=1e-3)

    def step():
        adam.zero_grad()
        loss(model).backward()
        adam.step()

    return step


def deep_q_step(size):
    model = nn.Sequential(
        nn.Conv2d(3, 16, 3, padding=1),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(16 * 64, 128),
        nn.ReLU(),
        nn.Linear(128, 36),
    )
    planes = torch.zeros(size, 3, 64)
    for i in range(size):
        for plane in range(3):
            planes[i, plane, (i * 13 + plane * 29) % 64] = 1.0
    planes = planes.view(size, 3, 8, 8)
    actions = (torch.arange(size) % 36).unsqueeze(1)
    targets = torch.full((size, 1), -1.0)
    return training_step(model, lambda m: nn.functional.mse_loss(m(planes).gather(1, actions), targets))


def distance_step(size):
    inputs = (torch.arange(size * 10) * 7919 % 1208).view(size, 10)
    classes = torch.arange(size) % 35
    return training_step(Distances(), lambda m: nn.functional.cross_entropy(m(inputs), classes))


def values_per_second(size, seconds):
    model = nn.Sequential(nn.Linear(10, 5), nn.Tanh(), nn.Linear(5, 1))
    features = torch.ones(size, 10)
    with torch.inference_mode():
        return size * per_second(seconds, lambda: model(features))


if __name__ == "__main__":
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 2.0
    torch.manual_seed(1)
    torch.set_num_threads(1)
    values = {str(size): values_per_second(size, seconds) for size in [1, 1024]}
    report = {"torch": torch.__version__, "values_per_second": values}
    for name, sizes, step in [
        ("steps_per_second", MOVES, deep_q_step),
        ("distance_steps_per_second", DISTANCES, distance_step),
    ]:
        report[name] = {}
        for size in sizes:
            best = 0.0
            for threads in sorted({1, os.cpu_count() or 1}):
                torch.set_num_threads(threads)
                best = max(best, per_second(seconds, step(size)))
            report[name][str(size)] = best
    print(json.dumps(report))
