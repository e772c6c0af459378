"""The only way in to the database."""

from judge.store.database import Store, open_database, upgrade_url

DEFAULT_URL = "sqlite:///judge.db"


def open_store(url: str = DEFAULT_URL) -> Store:
    """Open the database at ``url`` (a plain file name is taken as SQLite); a new one is set up.

    Raises:
        StoreError: it can't be opened, or was made by another version of this program.
    """
    return open_database(_url(url))


def upgrade_store(url: str) -> tuple[str | None, str]:
    """Bring an older database to the newest revision; the revision before and after."""
    return upgrade_url(_url(url))


def _url(url: str) -> str:
    return url if "://" in url else f"sqlite:///{url}"


def shown_url(url: str) -> str:
    """The URL as it may be printed: without a password."""
    scheme, sep, rest = url.partition("://")
    login, at, place = rest.rpartition("@")
    return f"{scheme}{sep}{login.partition(':')[0]}@{place}" if at else url
