"""Progress of long calls: a callback, or a bar of tqdm where that is installed."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Optional, Union

#: Told how much is done, of how much (if that is known), and what is being done.
Callback = Callable[[int, Optional[int], str], object]
Progress = Union[bool, Callback, None]


@contextlib.contextmanager
def reporting(progress: Progress, what: str) -> Iterator[Callback | None]:
    """The callback to hand on: the caller's, a bar for ``True``, nothing for ``None``."""
    if callable(progress):
        yield progress
        return
    if not progress:
        yield None
        return
    try:
        from tqdm.auto import tqdm  # type: ignore[import-untyped]
    except ImportError:
        yield None
        return
    with tqdm(desc=what, leave=False) as bar:

        def step(done: int, total: int | None, text: str) -> None:
            bar.total = total
            bar.n = done
            bar.set_postfix_str(text, refresh=True)

        yield step
