"""The programs of docs/python.md, run as they stand."""

import importlib.util
import re
import subprocess
import sys

import pytest
from conftest import ROOT

PROGRAMS = re.findall(
    r"<!-- program: (\w+)(?:; needs: ([\w, ]+))? -->\n```python\n(.*?)```", (ROOT / "docs/python.md").read_text(), re.S
)


def test_there_are_programs():
    assert {"gymnasium", "speed", "pettingzoo", "torchrl", "evaluate", "teach", "ppo"} == {p[0] for p in PROGRAMS}


@pytest.mark.parametrize(("name", "needs", "program"), PROGRAMS, ids=[p[0] for p in PROGRAMS])
def test_program(name, needs, program, tmp_path, tables):
    for package in filter(None, needs.split(", ")):
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"{package} is not installed")
    environment = {**__import__("os").environ, "XDG_DATA_HOME": str(tables)}
    result = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip()
    print(result.stdout)
