"""Settings of environments, from Python's values to the texts that Rust reads."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from lucena.errors import SettingsError


def text(name: str, value: Any) -> str:
    """A value as the text of a setting."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, (int, float)):
        return str(value)
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, Mapping):
        return ",".join(f"{key}={text(str(key), part)}" for key, part in value.items())
    if hasattr(value, "text"):  # a player
        return value.text
    raise SettingsError(f"{name} is {value!r}, expected a text or a number")


def texts(settings: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Settings with their names; those that are None are left to their defaults."""
    return [(name, text(name, value)) for name, value in settings.items() if value is not None]


def endgame(name: str, board: int = 8, turn: str = "white", won: bool = False) -> str:
    """Where games begin that are random positions of an endgame."""
    if not isinstance(name, str) or not name:
        raise SettingsError(f"endgame is {name!r}, expected a name such as KRK")
    return f"endgame:{name},board={board},turn={turn},won={'on' if won else 'off'}"
