"""Training positions a second of `imitation`'s networks in PyTorch: a tower of seven blocks and 64 numbers a square in
batches of 256, and the dense network of 280 neurons in batches of 1,024, from positions that are ready in memory. On all
cores, by the clock and by the time on the processor; AdamW for all tables. On a GPU the tower alone, in batches of
4,096, channels last and with the GPU's 16 bits where autocast takes them. Prints one JSON object.

    python bench_imitation.py [SECONDS [cuda]]        (needs torch)
"""

import json
import os
import sys
import time

import torch
from torch import nn
from torch.nn import functional

MOVES, ROOM, INPUTS = 4168, 64, 40


class Block(nn.Module):
    """Two convolutions, and a scale for each number from the mean over the board."""

    def __init__(self, width, squeeze):
        super().__init__()
        self.first = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.first_norm = nn.BatchNorm2d(width)
        self.second = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.second_norm = nn.BatchNorm2d(width)
        self.squeeze, self.scale = nn.Linear(width, squeeze), nn.Linear(squeeze, width)

    def forward(self, x):
        y = self.first_norm(self.first(x)).relu()
        y = self.second_norm(self.second(y))
        scale = self.scale(self.squeeze(y.mean((2, 3))).relu()).sigmoid()
        return (x + y * scale[:, :, None, None]).relu()


class Tower(nn.Module):
    def __init__(self, width=64, blocks=7, squeeze=16):
        super().__init__()
        self.first = nn.Conv2d(INPUTS, width, 3, padding=1, bias=False)
        self.first_norm = nn.BatchNorm2d(width)
        self.blocks = nn.Sequential(*(Block(width, squeeze) for _ in range(blocks)))
        self.pair, self.promote = nn.Linear(width, 2 * width), nn.Linear(width, 9)
        self.pool, self.ending = nn.Linear(width, width), nn.Linear(width, 3)
        self.moves = nn.Parameter(torch.zeros(64, 64))

    def forward(self, seen, legal):
        x = self.blocks(self.first_norm(self.first(seen)).relu()).flatten(2).transpose(1, 2)
        leave, reach = self.pair(x).chunk(2, -1)
        scores = leave @ reach.transpose(1, 2) * leave.shape[-1] ** -0.5 + self.moves
        scores = torch.cat([scores.flatten(1), self.promote(x[:, 48:56]).flatten(1)], 1)
        return scores.gather(1, legal), self.ending(self.pool(x.mean(1)).relu())


class Dense(nn.Module):
    """Inputs are numbers of rows; a move is scored by five rows of the last table."""

    def __init__(self, width=280, inputs=1810, rows=1407):
        super().__init__()
        self.first = nn.EmbeddingBag(inputs, width, mode="sum")
        self.second = nn.Linear(width, width)
        self.last = nn.Linear(width, rows)

    def forward(self, seen, moves):
        x = self.second(self.first(seen).relu()).relu()
        answers = self.last(x)
        boards, room, each = moves.shape
        scores = answers.gather(1, moves.flatten(1)).view(boards, room, each).sum(2)
        return scores, answers[:, -3:]


def step(model, inputs, count, device="cpu"):
    model, inputs = model.to(device), [some.to(device) for some in inputs]
    adam = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.03)
    # Thirty-three moves of a position are legal.
    legal = torch.zeros(count, ROOM)
    legal[:, 33:] = -torch.inf
    played, ended = torch.arange(count) % 33, torch.arange(count) % 3
    legal, played, ended = (some.to(device) for some in (legal, played, ended))

    def step():
        adam.zero_grad()
        with torch.autocast("cuda", torch.bfloat16, enabled=device == "cuda"):
            scores, endings = model(*inputs)
            loss = functional.cross_entropy(scores + legal, played) + 0.1 * functional.cross_entropy(endings, ended)
        loss.backward()
        adam.step()

    return step


def tower(size=256, device="cpu"):
    planes, model = (torch.rand(size, INPUTS, 8, 8) < 0.15).float(), Tower()
    if device == "cuda":
        planes, model = (some.to(memory_format=torch.channels_last) for some in (planes, model))
    return step(model, (planes, torch.randint(MOVES, (size, ROOM))), size, device), size


def dense():
    seen = torch.randint(1810, (1024, 90))
    return step(Dense(), (seen, torch.randint(1404, (1024, ROOM, 5))), 1024), 1024


def rates(seconds, made):
    step, size = made
    wait = torch.cuda.synchronize if torch.cuda.is_available() else lambda: None
    for _ in range(3):
        step()
    wait()
    count, clock, processor = 0, time.perf_counter(), time.process_time()
    while time.perf_counter() - clock < seconds:
        # A GPU is asked for ten steps before it is waited for.
        for _ in range(10 if size > 1024 else 1):
            step()
            count += size
        wait()
    return {"clock": count / (time.perf_counter() - clock), "processor": count / (time.process_time() - processor)}


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 10
    torch.set_num_threads(os.cpu_count())
    torch.manual_seed(1)
    found = {"torch": torch.__version__}
    if sys.argv[2:] == ["cuda"]:
        found["tower"] = rates(seconds, tower(4096, "cuda"))
    else:
        found |= {"tower": rates(seconds, tower()), "dense": rates(seconds, dense())}
    print(json.dumps(found))


if __name__ == "__main__":
    main()
