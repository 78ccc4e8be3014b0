"""Boards as pictures: SVG for notebooks, arrays of pixels for videos. NumPy alone is needed."""

from __future__ import annotations

import functools

import numpy as np

from lucena.errors import PositionError

LIGHT, DARK = (240, 226, 200), (176, 137, 104)
WHITE, BLACK, EDGE = (250, 250, 245), (45, 42, 40), (20, 18, 16)

# Each piece in a square of 100 × 100, the origin at the top left: polygons, and circles as (x, y, r).
_BASE = [(24, 88), (24, 80), (30, 76), (70, 76), (76, 80), (76, 88)]
_SHAPES: dict[str, list] = {
    "p": [_BASE, [(36, 77), (44, 50), (56, 50), (64, 77)], (50, 38, 15)],
    "n": [
        _BASE,
        [(32, 77), (38, 58), (27, 62), (19, 55), (36, 27), (42, 14), (50, 24), (66, 33), (74, 55), (70, 77)],
    ],
    "b": [_BASE, [(38, 77), (42, 62), (32, 48), (50, 20), (68, 48), (58, 62), (62, 77)], (50, 16, 6)],
    "r": [
        _BASE,
        [(34, 77), (37, 40), (28, 34), (28, 16), (38, 16), (38, 24), (45, 24), (45, 16)]
        + [(55, 16), (55, 24), (62, 24), (62, 16), (72, 16), (72, 34), (63, 40), (66, 77)],
    ],
    "q": [
        _BASE,
        [(30, 77), (20, 32), (36, 52), (38, 20), (50, 48), (62, 20), (64, 52), (80, 32), (70, 77)],
        (20, 27, 6),
        (38, 15, 6),
        (62, 15, 6),
        (80, 27, 6),
    ],
    "k": [
        _BASE,
        [(32, 77), (22, 50), (34, 38), (50, 46), (66, 38), (78, 50), (68, 77)],
        [(46, 44), (46, 26), (37, 26), (37, 18), (46, 18), (46, 9)]
        + [(54, 9), (54, 18), (63, 18), (63, 26), (54, 26), (54, 44)],
    ],
}


def ranks(fen: str) -> list[str]:
    """The ranks of a position, the top one first, a letter or a dot for each square."""
    rows = []
    for row in fen.split(" ")[0].split("/"):
        rows.append("".join("." * int(sign) if sign.isdigit() else sign for sign in row))
    if not rows or any(len(row) != len(rows) for row in rows):
        raise PositionError(f"'{fen}' is no position")
    return rows


def svg(fen: str, size: int = 360) -> str:
    """A position as SVG, for a page or a notebook.

    >>> from lucena.drawing import svg
    >>> svg("k4/5/1K3/5/4R w").startswith("<svg")
    True
    """
    rows = ranks(fen)
    n = len(rows)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{size}" height="{size}"'
        f' viewBox="0 0 {100 * n} {100 * n}" role="img"><title>{fen}</title>'
    ]
    for y, row in enumerate(rows):
        for x, sign in enumerate(row):
            # a1 is dark.
            fill = "rgb%s" % (LIGHT if (x + n - y) % 2 == 0 else DARK,)
            parts.append(f'<rect x="{100 * x}" y="{100 * y}" width="100" height="100" fill="{fill}"/>')
            if sign == ".":
                continue
            fill = "rgb%s" % (WHITE if sign.isupper() else BLACK,)
            style = f'fill="{fill}" stroke="rgb{EDGE}" stroke-width="3" stroke-linejoin="round"'
            parts.append(f'<g transform="translate({100 * x},{100 * y})" {style}>')
            for shape in _SHAPES[sign.lower()]:
                if isinstance(shape, tuple):
                    parts.append(f'<circle cx="{shape[0]}" cy="{shape[1]}" r="{shape[2]}"/>')
                else:
                    points = " ".join(f"{px},{py}" for px, py in shape)
                    parts.append(f'<polygon points="{points}"/>')
            parts.append("</g>")
    return "".join(parts) + "</svg>"


def rgb(fen: str, square: int = 48) -> np.ndarray:
    """A position as pixels: an array (height, width, 3) of uint8, ``square`` pixels for each square."""
    rows = ranks(fen)
    n = len(rows)
    picture = np.empty((n * square, n * square, 3), np.uint8)
    for y, row in enumerate(rows):
        for x, sign in enumerate(row):
            there = picture[y * square : (y + 1) * square, x * square : (x + 1) * square]
            there[:] = LIGHT if (x + n - y) % 2 == 0 else DARK
            if sign != ".":
                inside, edge = _mask(sign.lower(), square)
                there[inside] = WHITE if sign.isupper() else BLACK
                there[edge] = EDGE
    return picture


@functools.lru_cache(maxsize=64)
def _mask(sign: str, square: int) -> tuple[np.ndarray, np.ndarray]:
    """Which pixels belong to a piece, and which of them to its edge."""
    y, x = (np.mgrid[:square, :square] + 0.5) * (100 / square)
    inside = np.zeros((square, square), bool)
    for shape in _SHAPES[sign]:
        if isinstance(shape, tuple):
            inside |= (x - shape[0]) ** 2 + (y - shape[1]) ** 2 <= shape[2] ** 2
            continue
        # A pixel is inside a polygon when a line to its right crosses an odd number of sides.
        within = np.zeros_like(inside)
        for (x0, y0), (x1, y1) in zip(shape, shape[1:] + shape[:1]):
            if y0 != y1:
                within ^= ((y0 > y) != (y1 > y)) & (x < (x1 - x0) * (y - y0) / (y1 - y0) + x0)
        inside |= within
    core = inside.copy()
    core[1:] &= inside[:-1]
    core[:-1] &= inside[1:]
    core[:, 1:] &= inside[:, :-1]
    core[:, :-1] &= inside[:, 1:]
    return inside, inside & ~core


def show(fen: str, diagram: str) -> None:
    """Shows a position to whoever watches: as SVG in a notebook, with letters anywhere else."""
    try:
        from IPython import get_ipython  # type: ignore[import-not-found]
        from IPython.display import SVG, display  # type: ignore[import-not-found]
    except ImportError:
        notebook = False
    else:
        shell = get_ipython()
        notebook = shell is not None and shell.has_trait("kernel")
    if notebook:
        display(SVG(svg(fen)))
    else:
        print(diagram, flush=True)
