"""Ctrl-C inside long calls, other threads meanwhile, and processes that are forked."""

import os
import signal
import subprocess
import sys
import threading
import time

import gymnasium
import lucena
import pytest

CALLS = {
    "solve": "lucena.solve('KQRKR', tables=folder, progress=told)",
    "match": "lucena.match('minimax:depth=5', 'minimax:depth=5', games=10**6, progress=told)",
    "a long game": "lucena.match('mcts:simulations=100000000', 'random', games=1)",
    "certify a player": "lucena.certify('KQKR', 'minimax:depth=9,history=off', tables=folder, progress=told)",
    "certify a function": "lucena.certify('KRK', lambda p: time.sleep(60), tables=folder)",
    "choose": "lucena.Player('minimax:depth=60').choose(chess)",
    "evaluate": "lucena.evaluate(lambda s, m: m.argmax(1), 'minimax:depth=3', games=10**6)",
}

PROGRAM = """
import signal, sys, time, lucena
# A shell lets what it starts in the background ignore Ctrl-C, and Python leaves it at that.
signal.signal(signal.SIGINT, signal.default_int_handler)
folder = sys.argv[1]
chess = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
lucena.solve("KRK", tables=folder)
def told(*step): pass
print("begins", flush=True)
try:
    {call}
except KeyboardInterrupt:
    print("interrupted", flush=True)
print("goes on:", lucena.Player("random").choose(chess).move)
"""


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_ctrl_c(call, tables):
    program = PROGRAM.format(call=call)
    process = subprocess.Popen(
        [sys.executable, "-c", program, str(tables)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "begins\n"
    time.sleep(1.0)
    assert process.poll() is None, "the call is over before it can be interrupted"
    process.send_signal(signal.SIGINT)
    try:
        out, _ = process.communicate(timeout=120)
    finally:
        process.kill()
    assert out.startswith("interrupted\ngoes on: ") and process.returncode == 0


def test_other_threads_go_on_meanwhile(tables):
    counted = 0
    done = threading.Event()

    def count():
        nonlocal counted
        while not done.is_set():
            counted += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    lucena.match("minimax:depth=3", "random", games=20)
    done.set()
    thread.join()
    assert counted > 20


def test_an_error_in_a_callback_ends_the_call(tables):
    def told(*step):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        lucena.match("random", "random", games=10**6, progress=told)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_process_is_told_instead_of_waiting_for_ever():
    program = """
import os, gymnasium, lucena
envs = gymnasium.make_vec("lucena/Chess-v0", num_envs=4)
envs.reset(seed=1)
child = os.fork()
if child == 0:
    # One environment needs no threads; many do.
    env = gymnasium.make("lucena/Chess-v0")
    env.reset(seed=1)
    try:
        envs.reset(seed=1)
    except RuntimeError as error:
        os._exit(7 if "spawn" in str(error) else 1)
    os._exit(2)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
"""
    # Newer Pythons warn of forks beside threads: that is what this is about.
    subprocess.run([sys.executable, "-W", "ignore", "-c", program], check=True)


def test_processes_of_gymnasium_each_play_their_own():
    envs = gymnasium.make_vec(
        "lucena/Endgame-v0", num_envs=2, vectorization_mode="async", vector_kwargs={"context": "spawn"}, endgame="KRK"
    )
    _, infos = envs.reset(seed=1)
    assert infos["action_mask"].shape == (2, 4672)
    envs.close()
