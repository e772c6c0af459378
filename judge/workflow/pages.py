"""Starts the annotator's pages in a process of their own."""

import errno
import importlib.util
import os
import socket
import subprocess
import sys
from pathlib import Path

from judge.domain.errors import UsageError

LAST_PORT = 65_535


def serve(url: str, host: str, port: int) -> int:
    """Run Streamlit on the pages until it is ended. Usage statistics are off.

    On POSIX this process becomes Streamlit and the function doesn't return, so that whatever ends the command ends
    the server; on Windows, where that can't be done, Streamlit is a child.

    Returns:
        Its exit code (Windows).

    Raises:
        UsageError: the pages are not installed, or the address or port can't be used.
    """
    command = [sys.executable, "-m", "streamlit", "run", str(_page())]
    command += [f"--{name}={value}" for name, value in _options(host, port).items()]
    environment = {**os.environ, "JUDGE_DATABASE_URL": url}
    check_address(host, port)
    sys.stdout.flush()
    sys.stderr.flush()
    if sys.platform != "win32":
        os.execve(sys.executable, command, environment)  # noqa: S606 - our own words, no shell
    try:
        return subprocess.run(command, env=environment, check=False).returncode  # noqa: S603 - our own words
    except KeyboardInterrupt:
        return 0


def check_address(host: str, port: int) -> None:
    """Make sure that a server can listen there.

    Raises:
        UsageError: the port is no port or taken, or the address is none of this machine's.
    """
    if not 1 <= port <= LAST_PORT:
        raise UsageError(f"--port {port} is no port: give one from 1 to {LAST_PORT}")
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as probe:
            # as the server will: a port just left is free; on Windows the option means another thing
            if os.name == "posix":
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
            probe.listen(1)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise UsageError(f"port {port} is taken by another program; choose another with --port") from error
        raise UsageError(f"can't listen on {host}, port {port}: {error.strerror}; choose another --port") from error


def _page() -> Path:
    spec = importlib.util.find_spec("annotator_ui")
    if spec is None or spec.origin is None:
        raise UsageError("the package annotator_ui is not installed; install judge whole")
    return Path(spec.origin).parent / "streamlit_app.py"


def _options(host: str, port: int) -> dict[str, str]:
    return {
        "server.address": host,
        "server.port": str(port),
        "server.headless": "true",
        "server.fileWatcherType": "none",
        "browser.gatherUsageStats": "false",
        "client.toolbarMode": "minimal",
        # blue, for red and green would hint at a label before it is given
        "theme.light.primaryColor": "#2563eb",
        "theme.dark.primaryColor": "#60a5fa",
    }
