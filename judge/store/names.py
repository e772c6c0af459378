"""One rule for naming a Dataset, Run or Queue: a name, ``name@version``, or an id; the only one is the default."""

from collections.abc import Sequence
from typing import Protocol, TypeVar

from judge.domain.errors import UsageError


class Named(Protocol):
    """What can be picked."""

    @property
    def id(self) -> int:
        """Row id."""

    @property
    def name(self) -> str:
        """Name."""


T = TypeVar("T", bound=Named)


def pick(ref: str | None, rows: Sequence[T], noun: str, *, advice: str = "", option: str = "") -> T:
    """The row that ``ref`` names; of several versions of one name the newest.

    Args:
        ref: name, ``name@version`` or id; None: the only one.
        rows: all there are, oldest first.
        noun: what they are called in messages.
        advice: how to make one, said when there is none.
        option: the option that names one, said when there are several.

    Raises:
        UsageError: nothing fits, or several do and none was named; the text lists what there is.
    """
    if not rows:
        raise UsageError(f"there is no {noun} yet" + (f"; {advice}" if advice else ""))
    found = _newest(rows) if ref is None else [row for row in rows if _fits(row, ref)]
    if ref is None and len(found) > 1:
        raise UsageError(
            f"there are {len(found)} {noun}s, name one{f' with {option}' if option else ''}: {_listed(found)}"
        )
    if not found:
        raise UsageError(f"there is no {noun} {ref!r}; there are: {_listed(rows)}")
    return found[-1]


def _fits(row: Named, ref: str) -> bool:
    version = getattr(row, "version", None)
    return ref in (row.name, str(row.id), f"{row.name}@{version}")


def _newest(rows: Sequence[T]) -> list[T]:
    return list({row.name: row for row in rows}.values())


def _listed(rows: Sequence[Named], most: int = 20) -> str:
    names = [f"{row.name} (id {row.id})" for row in rows]
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")
