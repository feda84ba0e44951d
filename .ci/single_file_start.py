"""Where the single file starts: the command, and the processes of their own in which massprops reads xls and meshes.

These call the interpreter as ``-P FILE …`` or ``-P -c CODE …``; here the interpreter is the single file itself.
"""

import multiprocessing
import runpy
import sys

from massprops_cli.__main__ import main as run_command


def main() -> None:
    """Run a file or code like the interpreter, or the command."""
    if sys.argv[1:2] != ["-P"]:
        run_command()
    elif sys.argv[2:3] == ["-c"]:
        code, sys.argv = sys.argv[3], ["-c", *sys.argv[4:]]
        exec(compile(code, "<string>", "exec"), {"__name__": "__main__"})
    else:
        sys.argv = sys.argv[2:]
        runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    multiprocessing.freeze_support()
    main()
