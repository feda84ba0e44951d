"""XML from strangers: no entities, no network, no document type; numbers with their place when they are none."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from massprops_cli.files.guard import check_xml
from massprops_cli.findings import Place, TableError, found

if TYPE_CHECKING:
    from lxml.etree import _Element

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


def parse(name: str, data: bytes) -> _Element:
    """Give the root element; raises TableError where the bytes are no XML, or declare a document type.

    >>> parse("plane.xml", b"<mass_balance><!-- empty --></mass_balance>").tag
    'mass_balance'
    """
    from lxml import etree

    check_xml(name, "the file", data)
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, huge_tree=False, load_dtd=False, remove_comments=True, remove_pis=True
    )
    try:
        return etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise TableError([found("MP104", "the XML is broken", Place(name, line=error.lineno))]) from None


def number(name: str, element: _Element) -> float:
    """Give the number that an element holds; raises TableError where it holds none.

    >>> number("plane.xml", parse("plane.xml", b"<mass> 1.5e3 </mass>"))
    1500.0
    """
    text = "".join(str(part) for part in element.itertext()).strip()
    value = float(text) if _NUMBER.fullmatch(text) else math.nan
    if math.isfinite(value):
        return value
    place = Place(name, line=line_of(element), column=str(element.tag))
    raise TableError(
        [found("MP205", f"{element.tag} is {text!r}, not a number" if text else f"{element.tag} is blank", place)]
    )


def place_of(name: str, element: _Element) -> Place:
    """Give the address of an element."""
    return Place(name, line=line_of(element))


def line_of(element: _Element) -> int:
    """Give the line of an element, from 1."""
    return element.sourceline if isinstance(element.sourceline, int) else 1
