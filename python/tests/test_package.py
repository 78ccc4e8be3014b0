"""What is in the wheel: documentation, types, and nothing that must be installed besides NumPy."""

import ast
import doctest
import importlib
import inspect
import pathlib
import pkgutil
import subprocess
import sys

import lucena
import pytest
from lucena import _lucena

MODULES = [module.name for module in pkgutil.walk_packages(lucena.__path__, "lucena.")]
FOLDER = pathlib.Path(lucena.__file__).parent


@pytest.mark.parametrize("name", ["lucena", *MODULES])
def test_examples_in_the_documentation(name, monkeypatch, tables):
    monkeypatch.setenv("XDG_DATA_HOME", str(tables))
    module = importlib.import_module(name)
    assert module.__doc__
    failed, _ = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert failed == 0


@pytest.mark.parametrize("name", lucena.__all__)
def test_everything_public_is_documented(name):
    thing = getattr(lucena, name)
    if callable(thing):
        assert inspect.getdoc(thing)


def test_types_are_those_of_the_module():
    stub = ast.parse((FOLDER / "_lucena.pyi").read_text())
    assert (FOLDER / "py.typed").exists()
    described = {}
    for node in stub.body:
        if isinstance(node, ast.ClassDef):
            described[node.name] = {n.name for n in node.body if isinstance(n, ast.FunctionDef)}
        elif isinstance(node, ast.FunctionDef):
            described[node.name] = None
    public = {name for name in dir(_lucena) if inspect.isclass(getattr(_lucena, name)) or callable(getattr(_lucena, name))}
    assert public == set(described)
    for name, methods in described.items():
        thing = getattr(_lucena, name)
        if methods is not None:
            found = {m for m in vars(thing) if not m.startswith("_")}
            assert found == {m for m in methods if not m.startswith("_")}, name


def test_numpy_is_enough(tables):
    program = """
import sys
for name in ("gymnasium", "pettingzoo", "ray", "torch", "tqdm", "chess"):
    sys.modules[name] = None
import lucena
assert lucena.Player("minimax:depth=1").choose("k7/8/1K6/8/8/8/8/7R w - - 0 1").move == "h1h8"
assert lucena.certify("KQK", "perfect", board=4, tables=sys.argv[1], progress=True).share == 1
assert lucena.evaluate(lambda seen, masks: masks.argmax(1), games=4, limit=10).games == 4
"""
    subprocess.run([sys.executable, "-c", program, str(tables)], check=True)


def test_the_wheel_says_what_it_needs():
    from importlib import metadata

    needs = metadata.requires("lucena")
    assert [need for need in needs if "extra" not in need] == ["numpy>=1.23"]
    assert {"gymnasium", "pettingzoo", "ray"} <= set(metadata.metadata("lucena").get_all("Provides-Extra"))
    assert metadata.version("lucena") == lucena.__version__
