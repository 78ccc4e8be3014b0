"""What the tests of the package share. They run against the installed package, not the sources."""

import pathlib
import shutil

import lucena
import pytest

ROOT = pathlib.Path(__file__).parents[2]

assert ROOT / "python" not in pathlib.Path(lucena.__file__).parents, "install the wheel: make test-python"


@pytest.fixture(scope="session")
def tables(tmp_path_factory):
    """A folder of tables that starts empty, so that no test depends on the user's."""
    return tmp_path_factory.mktemp("tables")


@pytest.fixture(scope="session")
def binary():
    """The command line of the same build."""
    path = ROOT / "target/debug/lucena"
    if not path.exists():
        pytest.skip("target/debug/lucena is not built")
    return path


@pytest.fixture(scope="session")
def stockfish():
    found = shutil.which("stockfish", path=f"{__import__('os').environ['PATH']}:/usr/games")
    if found is None:
        pytest.skip("stockfish is not installed")
    return found
