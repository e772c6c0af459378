"""``judge ui``: the pages where people label."""

from typing import Annotated

import typer

from judge.cli.common import DATABASE, Db, say


def ui(
    host: Annotated[str, typer.Option(help="Address to bind.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to bind.")] = 8501,
    db: Db = DATABASE,
) -> None:
    """Open the labelling page (Streamlit) on this machine."""
    from judge.workflow.pages import check_address, serve

    check_address(host, port)
    say(f"Labelling page: http://{host}:{port}  (Ctrl-C ends it)")
    raise typer.Exit(serve(db if "://" in db else f"sqlite:///{db}", host, port))
