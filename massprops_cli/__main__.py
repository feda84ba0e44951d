"""The command ``massprops``, and ``python -m massprops_cli``."""

import sys


def main() -> None:
    """Run the command line and exit with its code.

    ``--version`` is answered before anything else is imported, so that scripts may ask often.
    """
    if sys.argv[1:] == ["--version"]:
        from massprops_cli._version import VERSION

        sys.stdout.write(f"massprops {VERSION}\n")
        return
    from massprops_cli.cli.app import run

    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
