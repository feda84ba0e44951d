"""``python -m massprops``: the command."""

from massprops_cli.__main__ import main

if __name__ == "__main__":
    main()
