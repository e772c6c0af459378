"""Starts the annotator's pages in a process of their own."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

from judge.domain.errors import UsageError


def serve(url: str, host: str, port: int) -> int:
    """Run Streamlit on the pages until it is ended; its exit code. Usage statistics are off."""
    spec = importlib.util.find_spec("annotator_ui")
    if spec is None or spec.origin is None:
        raise UsageError("the package annotator_ui is not installed; install judge whole")
    page = Path(spec.origin).parent / "streamlit_app.py"
    options = {
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
    command = [sys.executable, "-m", "streamlit", "run", str(page)]
    command += [f"--{name}={value}" for name, value in options.items()]
    try:
        return subprocess.run(command, env={**os.environ, "JUDGE_DATABASE_URL": url}, check=False).returncode  # noqa: S603 - our own words
    except KeyboardInterrupt:
        return 0
