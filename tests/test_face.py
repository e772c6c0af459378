"""What the project promises of itself: a light face, documented commands, a whole wheel, closed doors."""

import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import click
import pytest
import typer

import judge
from judge.cli.app import app

ROOT = Path(__file__).parents[1]
LIGHT = {
    *(
        "typer",
        "rich",
        "click",
        "shellingham",
        "markdown_it",
        "mdurl",
        "pygments",
        "annotated_doc",
        "typing_extensions",
    ),
    "attr",  # rich.pretty looks whether it is there
}
"""typer and rich with what they import themselves."""


def test_help_imports_typer_rich_and_the_standard_library_only() -> None:
    code = """
import sys
from judge.cli.app import run
try:
    run(["--help"])
except SystemExit:
    pass
print(*sorted({name.split(".")[0] for name in sys.modules}), file=sys.stderr)
"""
    ended = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, check=False, env=_bare())
    assert ended.returncode == 0, ended.stderr
    found = set(ended.stderr.split("\n")[-2].split())
    foreign = found - set(sys.stdlib_module_names) - LIGHT - {"judge", "__main__", "_distutils_hack"}
    assert foreign == set()
    assert "typer" in found


def _bare() -> dict[str, str]:
    """An environment without ``site``, whose start-up files could import anything."""
    places = [str(ROOT), *(path for path in sys.path if path.endswith("site-packages"))]
    return {"PYTHONPATH": ":".join(places), "PATH": "", "COLUMNS": "100"}


def test_the_face_equals_what_is_importable() -> None:
    assert judge.__all__ == sorted(judge.__all__)
    for name in judge.__all__:
        assert callable(getattr(judge, name))
    with pytest.raises(AttributeError):
        _ = judge.nothing_of_the_kind  # type: ignore[attr-defined]


def commands() -> dict[str, click.Command]:
    """All commands by their words."""
    found: dict[str, click.Command] = {}

    def walk(command: click.Command, words: tuple[str, ...]) -> None:
        children = getattr(command, "commands", None)
        if children is None:
            found[" ".join(words)] = command
            return
        for name, child in children.items():
            walk(child, (*words, name))

    walk(typer.main.get_command(app), ())
    return found


@pytest.mark.parametrize("name", sorted(commands()))
def test_each_command_and_option_is_documented_and_has_a_help_text(name: str) -> None:
    text = (ROOT / "docs" / "commands.md").read_text("utf-8")
    section = re.search(rf"^## judge {re.escape(name)}\n(.*?)(?=^## |\Z)", text, flags=re.S | re.M)
    assert section, f"docs/commands.md has no section 'judge {name}'"
    command = commands()[name]
    assert command.help
    for parameter in command.params:
        options = [option for option in parameter.opts if option.startswith("--") and option != "--help"]
        for option in options:
            assert f"`{option}" in section[1], f"{option} of judge {name} is not documented"
            assert getattr(parameter, "help", None), f"{option} of judge {name} has no help text"


def test_documented_options_exist() -> None:
    text = (ROOT / "docs" / "commands.md").read_text("utf-8")
    for name, section in re.findall(r"^## judge ([\w ]+)\n(.*?)(?=^## |\Z)", text, flags=re.S | re.M):
        known = {option for parameter in commands()[name].params for option in parameter.opts}
        assert set(re.findall(r"^- `(--[a-z-]+)", section, flags=re.M)) <= known


def test_a_wheel_holds_rubrics_pages_demo_templates_and_migrations(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    [path] = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(path).namelist()
    for wanted in (
        "judge/rubrics/support.yaml",
        "judge/rubrics/relevance.yaml",
        "judge/demo/answers.jsonl",
        "judge/demo/labels.jsonl",
        "judge/store/migrations/versions/0001_main_journey.py",
        "judge/py.typed",
        "annotator_ui/streamlit_app.py",
        "annotator_ui/style.css",
    ):
        assert wanted in names
    assert any(name.startswith("judge/report/templates/") for name in names)
    assert not any(name.startswith(("tests/", "rubrics/")) for name in names)


def test_each_dependency_is_pinned_with_a_hash_and_has_its_reason() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    names = [re.split(r"[\[<>=]", line)[0].lower() for line in project["dependencies"]]
    lock = (ROOT / "requirements.lock").read_text("utf-8")
    reasons = (ROOT / "ARCHITECTURE.md").read_text("utf-8").lower()
    for name in names:
        assert re.search(rf"^{re.escape(name)}==\S+.*\\\n    --hash=sha256:", lock, flags=re.M), name
        assert f"`{name}`" in reasons or f"`{name.replace('-', '_')}`" in reasons, (
            f"{name} has no reason in ARCHITECTURE.md"
        )


def test_locks_name_no_host() -> None:
    for name in ("requirements.lock", "requirements-dev.lock"):
        text = (ROOT / name).read_text("utf-8")
        assert not re.search(r"https?://|file:|--index-url|--find-links", text)
