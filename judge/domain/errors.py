"""The one error tree.

::

    JudgeError                 exit code 1; its text is one line for people
    ├── UsageError             exit code 2: the command's words are off, or a name is missing or ambiguous
    │   └── NoLabelsError      nobody has labelled what was asked about yet
    ├── InputError             a file or a record is wrong: where, found, expected, what to do
    ├── RubricConflictError    other words under a used rubric name and version
    ├── StoreError             the database can't be opened or is of another version
    │   └── BusyError          another program holds the database or the run
    ├── MeasureError           numbers that no formula here accepts
    └── ProviderError          a model endpoint failed; ``kind`` says how
        ├── RetryableError     429, 5xx, time-out, broken connection: worth another attempt
        ├── UnsupportedError   the endpoint rejects a request feature (json_schema, ...): try a lower rung
        ├── ItemError          this request can't be answered (too long, filtered): no retry, others go on
        └── FatalError         wrong key, no quota, unknown model: stop the run, keep the work
"""


class JudgeError(Exception):
    """Base of all errors that a user is meant to read."""

    exit_code = 1


class UsageError(JudgeError):
    """The command's words are off, or a name fits nothing or several things."""

    exit_code = 2


class NoLabelsError(UsageError):
    """Nobody has labelled what was asked about yet."""


class InputError(JudgeError):
    """A file or record is wrong.

    Args:
        where: file, ``file:line`` or option.
        found: what stands there.
        expected: what should stand there.
        advice: what to do about it.
    """

    def __init__(self, where: str, found: str, expected: str = "", advice: str = "") -> None:
        parts = [found]
        if expected:
            parts.append(f"expected {expected}")
        text = f"{where}: {', '.join(parts)}"
        super().__init__(f"{text}; {advice}" if advice else text)
        self.where, self.found, self.expected, self.advice = where, found, expected, advice


class RubricConflictError(JudgeError):
    """The same rubric name and version with other words; the text holds the difference."""


class StoreError(JudgeError):
    """The database can't be opened or is of another version."""


class BusyError(StoreError):
    """Another program holds the database or the run; the same later may go through."""


class MeasureError(JudgeError):
    """Numbers that no formula here accepts (negative weight, label outside the scale, ...)."""


class ProviderError(JudgeError):
    """A model endpoint failed.

    Args:
        message: one line, without any key.
        kind: short machine word, such as ``rate_limited`` or ``timeout``.
        status: HTTP status, if there was one.
        raw: the body as it came, byte for byte.
        retry_after: seconds that the endpoint asked to wait, if it did.
    """

    def __init__(
        self,
        message: str,
        *,
        kind: str = "error",
        status: int | None = None,
        raw: bytes = b"",
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.kind, self.status, self.raw, self.retry_after = kind, status, raw, retry_after


class RetryableError(ProviderError):
    """429, 5xx, time-out, broken connection: worth another attempt."""


class UnsupportedError(ProviderError):
    """The endpoint rejects a feature of the request; ``kind`` names it (``json_schema``, ``json_object``)."""


class ItemError(ProviderError):
    """This request can't be answered; ``kind`` is an unscored reason (``context_too_long``, ``refused``)."""


class FatalError(ProviderError):
    """Wrong key, no quota, unknown model: every further request would fail as well."""
