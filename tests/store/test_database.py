"""Opening, migrating, and transactions that leave all or nothing."""

from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

import judge.store
from judge.domain.errors import StoreError
from judge.store import tables
from judge.store.database import HEAD, Store, open_database, upgrade_url

MIGRATIONS = Path(judge.store.__file__).parent / "migrations"


def _scripts() -> ScriptDirectory:
    return ScriptDirectory(str(MIGRATIONS))


def _revision(store: Store) -> str:
    with store.read() as connection:
        return str(connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalar_one())


def _differences(store: Store) -> list[object]:
    with store.read() as connection:
        return list(compare_metadata(MigrationContext.configure(connection), tables.metadata))


def test_one_head_and_the_program_knows_it() -> None:
    assert _scripts().get_heads() == [HEAD]


def test_a_new_database_has_the_tables_of_the_code(store: Store) -> None:
    assert _revision(store) == HEAD
    assert _differences(store) == []


@pytest.mark.parametrize("revision", ["base", *(one.revision for one in _scripts().walk_revisions())])
def test_up_from_every_earlier_revision(tmp_path: Path, revision: str) -> None:
    url = f"sqlite:///{tmp_path / 'old.db'}"
    engine = sa.create_engine(url)
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    if revision != "base":
        with engine.begin() as connection:
            config.attributes["connection"] = connection
            command.upgrade(config, revision)
    engine.dispose()
    assert upgrade_url(url) == (None if revision == "base" else revision, HEAD)
    store = open_database(url)
    assert (_revision(store), _differences(store)) == (HEAD, [])
    store.close()


@pytest.mark.parametrize(("revision", "says"), [("0000", "db upgrade"), ("9999", "newer judge: update this one")])
def test_another_revision_is_refused_with_what_to_do(tmp_path: Path, revision: str, says: str) -> None:
    url = f"sqlite:///{tmp_path / 'judge.db'}"
    store = open_database(url)
    with store.write() as connection:
        connection.execute(sa.text("UPDATE alembic_version SET version_num = :n"), {"n": revision})
    store.close()
    with pytest.raises(StoreError, match=f"is at revision {revision}, this program needs {HEAD}; .*{says}"):
        open_database(url)


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("nonsense", "is no database URL"),
        ("mongo://host/x", "is no database URL"),
        ("sqlite:////no/such/folder/x.db", "folder /no/such/folder of the database does not exist"),
    ],
)
def test_a_wrong_url_says_what_is_expected(url: str, says: str) -> None:
    with pytest.raises(StoreError, match=says):
        open_database(url)


def test_the_password_of_a_wrong_url_is_not_repeated() -> None:
    with pytest.raises(StoreError) as caught:
        open_database("mongo://me:s3cret@host/x")
    assert "s3cret" not in str(caught.value)


def test_another_file_is_no_database(tmp_path: Path) -> None:
    path = tmp_path / "notes.db"
    path.write_text("these are notes, not a database, and long enough to have a header\n" * 20)
    with pytest.raises(StoreError, match="can't be used"):
        open_database(f"sqlite:///{path}")
    assert path.read_text().startswith("these are notes")


def _users(store: Store) -> list[str]:
    with store.read() as connection:
        return list(connection.execute(sa.select(tables.users.c.name)).scalars())


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_a_write_that_fails_leaves_nothing(store: Store, error: type[BaseException]) -> None:
    def add(name: str) -> None:
        with store.write() as connection:
            connection.execute(tables.users.insert().values(name=name, role="annotator", created_at=0.0))
            if name == "lost":
                raise error

    add("kept")
    with pytest.raises(error):
        add("lost")
    assert _users(store) == ["kept"]


def test_a_durable_write_is_kept(store: Store) -> None:
    with store.write(durable=True) as connection:
        connection.execute(tables.users.insert().values(name="kept", role="annotator", created_at=0.0))
    assert _users(store) == ["kept"]
