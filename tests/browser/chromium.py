"""Finds Chromium for the browser tests; run as a script it installs it where it is missing and that can be done."""

import os
import shutil
import subprocess
import sys

PACKAGES = ("chromium", "fonts-noto-cjk")
ADVICE = (
    f"no Chromium found. On Debian and Ubuntu: apt-get install {' '.join(PACKAGES)}; elsewhere install Chromium or "
    "Chrome so that `chromium` or `google-chrome` is on the path. Without it: make test BROWSER=0 runs everything else"
)


def find_chromium() -> str | None:
    """Path of a Chromium, if there is one."""
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    return next(filter(None, map(shutil.which, names)), None)


def main() -> int:
    """Make sure that there is a Chromium; 1 when there is none and it can't be installed here."""
    if os.environ.get("BROWSER") == "0":
        print("BROWSER=0: THE REAL-BROWSER TESTS WILL NOT RUN", flush=True)
        return 0
    if find_chromium() is None and shutil.which("apt-get") and os.geteuid() == 0:
        print(f"Installing {' and '.join(PACKAGES)} for the browser tests ...", flush=True)
        quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        for command in (["update"], ["install", "-y", "--no-install-recommends", *PACKAGES]):
            subprocess.run(["apt-get", "-qq", *command], env=quiet, check=False, stdout=subprocess.DEVNULL)
    if find_chromium() is None:
        print(ADVICE, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
