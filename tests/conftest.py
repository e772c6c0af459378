"""Fixtures for all tests."""

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real data, cases and oracles beside the checkout; a user's clone has none."""
    folder = Path(__file__).parents[1].parent / "shared"
    if not (folder / "oracles").is_dir():
        pytest.skip("the shared folder with real data is not beside this checkout")
    return folder
