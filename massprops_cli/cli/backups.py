"""What ``--in-place`` keeps: the input as it was, under a name that no file has yet.

A backup is never written over, so the first one stays whatever follows. None is made when the run changes nothing,
or when one of the backups holds the input already.
"""

from __future__ import annotations

import os
from itertools import count
from pathlib import Path
from typing import BinaryIO

BLOCK = 1 << 20


def backup_name(name: str, k: int = 1) -> str:
    """Name the ``k``-th copy of the input that ``--in-place`` keeps.

    >>> backup_name("a.csv.gz"), backup_name("bom.xlsx"), backup_name("bom.xlsx", 2)
    ('a.bak.csv.gz', 'bom.bak.xlsx', 'bom.bak2.xlsx')
    """
    packed = name[-3:] if name.lower().endswith(".gz") else ""
    bare = Path(name.removesuffix(packed) if packed else name)
    number = "" if k == 1 else str(k)
    return str(bare.with_name(f"{bare.stem}.bak{number}{bare.suffix}{packed}"))


def keep_input(name: str, out: BinaryIO) -> str:
    """Copy a file aside that ``out`` is about to replace, whole or not at all; gives the backup's name.

    Gives the backup that holds the file already where there is one, and nothing when ``out`` is the same as the file.
    """
    import filecmp
    import shutil

    from massprops_cli.files.atomic import whole_or_not

    if is_written(out, name):
        return ""
    for k in count(1):
        backup = backup_name(name, k)
        if not os.path.lexists(backup):
            break
        if Path(backup).is_file() and filecmp.cmp(name, backup, shallow=False):
            return backup
    with whole_or_not(Path(backup)) as copy, Path(name).open("rb") as file:
        shutil.copyfileobj(file, copy)
    return backup


def is_written(out: BinaryIO, name: str) -> bool:
    """Tell whether a file that is being written holds by now what another file holds."""
    out.flush()
    with os.fdopen(os.dup(out.fileno()), "rb") as written, Path(name).open("rb") as held:
        written.seek(0)
        while True:
            block = written.read(BLOCK)
            if block != held.read(BLOCK):
                return False
            if not block:
                return True
