"""Opens the database: SQLite by default, PostgreSQL by URL; an empty one is set up, another version is refused."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson
import sqlalchemy as sa

from judge.domain.errors import BusyError, StoreError

HEAD = "0001"
"""Newest migration; the tests hold it against the migration scripts."""

BUSY_SECONDS = 30
_setup = threading.Lock()


class Store:
    """An open database: transactions to read and to write. Everything else is functions over a Connection."""

    def __init__(self, engine: sa.Engine) -> None:
        self.engine = engine
        self.url = engine.url.render_as_string(hide_password=False)

    @contextmanager
    def read(self) -> Iterator[sa.Connection]:
        """A transaction that sees one state of the database and is rolled back at the end."""
        with _mapped(), self.engine.connect() as connection:
            yield connection

    @contextmanager
    def write(self, *, durable: bool = False) -> Iterator[sa.Connection]:
        """A transaction that is committed at the end, or leaves nothing behind on an error.

        Args:
            durable: wait until the disk has it, for a person's labels (SQLite synchronous=FULL).
        """
        with _mapped(), self.engine.connect().execution_options(judge_write=True) as connection:
            if durable and connection.dialect.name == "sqlite":
                _pragma(connection, "synchronous=FULL")
            with connection.begin():
                yield connection

    def close(self) -> None:
        """Give all connections back."""
        self.engine.dispose()


def open_database(url: str) -> Store:
    """Open the database at ``url``; a new one is set up.

    Raises:
        StoreError: it can't be opened, or was made by another version of this program.
    """
    engine = _engine(url)
    store = Store(engine)
    try:
        with _mapped():
            revision = _revision(engine)
    except StoreError:
        engine.dispose()
        raise
    if revision is None:
        with _setup:
            upgrade(store)
    elif revision != HEAD:
        engine.dispose()
        raise StoreError(
            f"the database {engine.url.render_as_string()} is at revision {revision}, this program needs {HEAD}; "
            + ("run `judge db upgrade`" if revision < HEAD else "it was written by a newer judge: update this one")
        )
    return store


def upgrade(store: Store) -> None:
    """Bring the database to the newest revision; does nothing at it."""
    from alembic import command  # noqa: PLC0415 - costs 0.2 s, needed once per database
    from alembic.config import Config  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    with store.write() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


def upgrade_url(url: str) -> tuple[str | None, str]:
    """Upgrade the database at ``url``; its revision before and after."""
    store = Store(_engine(url))
    try:
        with _mapped():
            before = _revision(store.engine)
        upgrade(store)
        return before, HEAD
    finally:
        store.close()


def dump(value: Any) -> str:
    """JSON text for a column."""
    return orjson.dumps(value).decode()


def load(text: str | bytes) -> Any:
    """The value of a JSON column."""
    return orjson.loads(text)


def _engine(url: str) -> sa.Engine:
    try:
        parsed = sa.make_url(url)
        if parsed.get_backend_name() == "sqlite":
            folder = Path(parsed.database or "").parent
            if parsed.database and not folder.is_dir():
                raise StoreError(f"the folder {folder} of the database does not exist; create it or name another --db")
            engine = sa.create_engine(parsed, connect_args={"timeout": BUSY_SECONDS})
            sa.event.listen(engine, "connect", _on_connect)
            sa.event.listen(engine, "begin", _on_begin)
            return engine
        if parsed.get_backend_name() != "postgresql":
            raise StoreError(f"{_shorten(url)!r} is no database URL of SQLite or PostgreSQL; only these two are known")
        return sa.create_engine(parsed, pool_pre_ping=True)
    except (sa.exc.ArgumentError, sa.exc.NoSuchModuleError) as error:
        raise StoreError(
            f"{_shorten(url)!r} is no database URL ({error}); "
            "expected sqlite:///FILE.db or postgresql+psycopg://USER@HOST/NAME"
        ) from error
    except ImportError as error:
        raise StoreError(
            f"the database driver is missing ({error}); install judge with the extra `postgres`"
        ) from error


def _on_connect(connection: Any, _record: Any) -> None:
    connection.isolation_level = None  # transactions are begun below, not by the driver
    for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON", "cache_size=-64000"):
        connection.execute(f"PRAGMA {pragma}")


def _on_begin(connection: sa.Connection) -> None:
    # a writer that starts as a reader would fail instead of waiting its turn
    write = connection.get_execution_options().get("judge_write")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")


def _pragma(connection: sa.Connection, pragma: str) -> None:
    raw = connection.connection.driver_connection
    if raw is not None:
        raw.execute(f"PRAGMA {pragma}")


def _revision(engine: sa.Engine) -> str | None:
    with engine.connect() as connection:
        if not sa.inspect(connection).has_table("alembic_version"):
            return None
        return connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalar()


@contextmanager
def _mapped() -> Iterator[None]:
    try:
        yield
    except sa.exc.OperationalError as error:
        if "readonly" in str(error.orig):
            text = f"the database can't be opened for writing ({error.orig})"
            raise StoreError(f"{text}; copy it to a folder that you may write to, and name it with --db") from error
        if "locked" in str(error.orig) or "busy" in str(error.orig):
            raise BusyError(f"another program holds the database ({error.orig}); wait for it or stop it") from error
        raise StoreError(
            f"the database can't be used: {error.orig}; check the --db URL, the disk and other programs on it"
        ) from error
    except sa.exc.DatabaseError as error:
        if isinstance(error, sa.exc.IntegrityError | sa.exc.ProgrammingError):
            raise
        raise StoreError(f"the database can't be used: {error.orig}; is the file a database of judge?") from error


def _shorten(url: str) -> str:
    scheme, _, _rest = url.partition("://")
    return f"{scheme}://..." if "@" in url else url
