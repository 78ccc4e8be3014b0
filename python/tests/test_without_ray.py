"""Where Ray has no wheel, everything else works, and says so."""

import subprocess
import sys

PROGRAM = """
import os, sys
sys.modules["ray"] = None
import lucena, lucena.ray
from lucena import _lucena
from lucena.ray.__main__ import main
run = sys.argv[1]
try:
    lucena.ray.train("ppo", endgame="KQK", board=4, episodes=1, actors=1, out=run)
except lucena.Error as error:
    print(error)
assert not os.path.exists(run)
_lucena.train(run, _lucena.plan("two-bounds", "KQK", 4, 100))
print(lucena.Run(run).episodes, "games without it")
main(["certify", run])
"""


def test_it_is_said(tmp_path):
    found = subprocess.run(
        [sys.executable, "-c", PROGRAM, tmp_path / "run"], capture_output=True, text=True, check=False
    )
    for told in ("Ray is not installed for this Python", "trains on one machine", "games without it"):
        assert told in found.stdout, found
    assert found.returncode == 1 and found.stderr.startswith("lucena: Ray is not installed"), found
