"""The command ``massprops``, and ``python -m massprops_cli``."""

import os
import sys


def main() -> None:
    """Run the command line and exit with its code; ``--version`` is answered before anything else is imported."""
    if sys.argv[1:] == ["--version"]:
        from massprops_cli._front import VERSION

        try:
            sys.stdout.write(f"massprops {VERSION}\n")
            sys.stdout.flush()
        except (OSError, AttributeError) as error:
            reason = (getattr(error, "strerror", None) or "it is closed").lower()
            if sys.stderr is not None:
                sys.stderr.write(f"massprops: cannot write to standard output: {reason}\n")
            os._exit(2)
        return
    import gc

    _open_missing_streams()
    if os.environ.get("_MASSPROPS_COMPLETE"):
        from massprops_cli.cli.completion import print_candidates

        print_candidates(os.environ["_MASSPROPS_COMPLETE"])
        _leave(0)

    # a table is read once and kept: looking through millions of cells for loops would find none
    gc.set_threshold(200_000, 20, 100)
    # its matrices have ten rows: starting a thread of OpenBLAS for each core would only take time
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        from massprops_cli.cli.app import run_command_line
    except KeyboardInterrupt:  # before the table of exit codes is loaded
        sys.stderr.write("massprops: interrupted\n")
        _leave(130)

    _leave(run_command_line(sys.argv[1:]))


def _open_missing_streams() -> None:
    """Replace standard streams that the caller closed, so that no file of the run gets their numbers."""
    # what is written to a closed standard output fails, as on a full disk; messages to a closed stderr are dropped
    if sys.stdin is None:
        sys.stdin = open(os.open(os.devnull, os.O_RDONLY))  # noqa: SIM115, PTH123 - as long as the process
    if sys.stdout is None:
        sys.stdout = open(os.open(os.devnull, os.O_RDONLY), "w")  # noqa: SIM115, PTH123 - as long as the process
    if sys.stderr is None:
        sys.stderr = open(os.open(os.devnull, os.O_WRONLY), "w")  # noqa: SIM115, PTH123 - as long as the process


def _leave(code: int) -> None:
    """End the process immediately, or as usual if streams cannot be flushed: releasing a large table takes time."""
    try:
        sys.stdout.flush()
        sys.stderr.flush()
        own = sys.stdout is sys.__stdout__ and sys.stderr is sys.__stderr__
    except (OSError, ValueError, AttributeError):
        own = False
    if own:
        os._exit(code)
    sys.exit(code)


if __name__ == "__main__":
    main()
