"""Where rubrics are found: shipped ones by name, a user's own by path."""

from pathlib import Path

import judge
from judge.domain.errors import InputError, UsageError
from judge.domain.rubrics import Rubric
from judge.steps.rubrics import MAX_BYTES, parse_rubric

SUFFIXES = (".yaml", ".yml")


def shipped_rubrics() -> dict[str, Path]:
    """The shipped rubrics by name: ``judge/rubrics`` in an installed wheel, the top-level ``rubrics`` in a checkout."""
    package = Path(judge.__file__).parent
    folder = next((f for f in (package / "rubrics", package.parent / "rubrics") if f.is_dir()), package)
    return {path.stem: path for path in sorted(folder.glob("*.yaml"))}


def load_rubric(name: str) -> Rubric:
    """The rubric of that name, or at that path (an existing file, or anything ending in .yaml or .yml).

    Raises:
        UsageError: no such name or file; the text lists the shipped names.
        InputError: the file is no rubric.
    """
    shipped = shipped_rubrics()
    path = shipped.get(name) or Path(name)
    if not path.is_file():
        wanted = "file" if name.endswith(SUFFIXES) else "rubric"
        raise UsageError(
            f"no {wanted} {name!r}; shipped rubrics: {', '.join(shipped)}; or give the path of a YAML file"
        )
    return parse_rubric(_read(path), str(path) if name not in shipped else path.name)


def _read(path: Path) -> str:
    try:
        if path.stat().st_size > MAX_BYTES:
            raise InputError(str(path), "the file is too large for a rubric", f"at most {MAX_BYTES // 1024} KB")
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(str(path), "the file is not UTF-8", advice="save it as UTF-8") from None
    except OSError as error:
        raise InputError(str(path), f"the file can't be read ({error.strerror})") from None
