"""What people write in headers and cells, as data: one TOML file a subject, each word with its source."""

from functools import cache
from pathlib import Path
from typing import Any


@cache
def words(subject: str) -> dict[str, Any]:
    """Load the words of one subject.

    Parameters
    ----------
    subject : str
        Name of the file: ``synonyms``, ``blanks``, ``remarks``, ``totals``, ….

    Returns
    -------
    dict of str to Any
        Content of the TOML file.

    Raises
    ------
    FileNotFoundError
        No file has this name.

    Examples
    --------
    >>> sorted(words("totals"))
    ['adjacent', 'both', 'doubtful', 'exact', 'label']
    """
    import tomllib

    return tomllib.loads((Path(__file__).parent / f"{subject}.toml").read_text("utf-8"))
