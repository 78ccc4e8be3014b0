"""What can go wrong. Every exception says what was expected; all of them are an :class:`Error`."""


class Error(Exception):
    """Something that Lucena refuses, or that it failed at."""


class SettingsError(Error, ValueError):
    """A setting that does not exist, or a value that makes no sense: an unknown endgame, an observation
    that does not exist, a book that is not one."""


class IllegalActionError(Error, ValueError):
    """An action that is not legal in the position on the board. Nothing has changed."""


class GameOverError(Error, RuntimeError):
    """The game is over: the environment must be reset first."""


class ClosedError(Error, RuntimeError):
    """The environment was closed."""


class ShapeError(Error, ValueError):
    """An array of another shape or order than was expected."""


class DtypeError(Error, TypeError):
    """An array of another kind of number than was expected, or something that is no array."""


class PositionError(Error, ValueError):
    """A text or an array that is no position."""


class PlayerError(Error, RuntimeError):
    """A player that cannot play."""


class TableError(Error, RuntimeError):
    """A table that cannot be read or written, or that does not cover a position."""


class CertificationError(Error, RuntimeError):
    """Why there is no certificate."""


class RunError(Error, RuntimeError):
    """A folder that holds no run, or one that cannot be read."""


class InternalError(Error, RuntimeError):
    """A defect of Lucena itself, which would have ended a Rust program."""
