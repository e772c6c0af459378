"""``python -m judge`` and the console script."""


def main() -> None:
    """Run the command line."""
    from judge.cli.app import run

    run()


if __name__ == "__main__":
    main()
