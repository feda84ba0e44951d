"""XML of a robot, each element with its bytes in the file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from xml.parsers import expat

from massprops_cli.files.options import reject_document_type
from massprops_cli.findings.finding import Place, TableError, rule_finding

_DEEPEST = 200
"""Levels of elements, of nested models and of included files that are read."""
_TAG_END = re.compile(rb"""(?:[^>"']|"[^"]*"|'[^']*')*>""")  # the rest of a start tag: ">" in quotes does not end it


@dataclass(slots=True, eq=False)
class SourceElement:
    """An element of an XML file, with the positions of its bytes in the source, in UTF-8."""

    tag: str  # with its prefix
    attributes: dict[str, str]  # in the order of the file
    line: int  # of its start tag, from 1
    start: int  # of the start tag
    inner: int  # end of the start tag
    close: int = 0  # start of the end tag; inner if the tag is empty
    end: int = 0  # end of the end tag
    children: list[SourceElement] = field(default_factory=list)
    text: str = ""  # characters directly in it

    def all(self, tag: str) -> Iterator[SourceElement]:
        """Yield the children of a tag."""
        return (child for child in self.children if child.tag == tag)

    def first(self, tag: str) -> SourceElement | None:
        """Return the first child of a tag."""
        return next(self.all(tag), None)

    @property
    def value(self) -> str:
        """Its text without blanks around it."""
        return self.text.strip()


def utf8_source(data: bytes) -> tuple[bytes, str]:
    """Return a source in an encoding that contains ASCII, and the codec that its bytes came from."""
    codec = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}.get(data[:2], "")
    return (data.decode(codec, "replace").encode(), codec) if codec else (data, "")


def parse_source(name: str, data: bytes) -> SourceElement:
    """Parse an XML file into elements with their positions."""
    reject_document_type(name, "the file", data)
    return _SourceParser(name, data).root()


class _SourceParser:
    """Parser of one file."""

    def __init__(self, name: str, data: bytes) -> None:
        self._name = name
        self._data, codec = utf8_source(data)
        self._parser = expat.ParserCreate("utf-8" if codec else None)
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._characters
        self._parser.StartDoctypeDeclHandler = self._reject_document_type
        self._open: list[SourceElement] = []
        self._root: SourceElement | None = None

    def root(self) -> SourceElement:
        """Parse the file."""
        try:
            self._parser.Parse(self._data, True)
        except expat.ExpatError as error:
            place = Place(self._name, line=error.lineno)
            reason = expat.ErrorString(error.code)
            message = (
                f"XML is {reason}" if reason.startswith("not well-formed") else f"XML is not well-formed: {reason}"
            )
            raise TableError([rule_finding("MP104", message, place)]) from None
        except ValueError:  # an encoding of several bytes that expat does not know
            message = "encoding of the XML is not supported (expected UTF-8, UTF-16 or ISO-8859-1)"
            raise TableError([rule_finding("MP104", message, Place(self._name, line=1))]) from None
        assert self._root is not None
        return self._root

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        """Open an element."""
        start, line = self._parser.CurrentByteIndex, self._parser.CurrentLineNumber
        if len(self._open) >= _DEEPEST:
            message = f"elements are nested deeper than {_DEEPEST} levels"
            raise TableError([rule_finding("MP852", message, Place(self._name, line=line), value=tag)])
        ended = _TAG_END.match(self._data, start)
        element = SourceElement(tag, attributes, line, start, ended.end() if ended else start)
        if self._open:
            self._open[-1].children.append(element)
        else:
            self._root = element
        self._open.append(element)

    def _end(self, tag: str) -> None:
        """Close the innermost element."""
        element = self._open.pop()
        if self._data[element.inner - 2 : element.inner] == b"/>":
            element.close = element.end = element.inner
            return
        element.close = self._parser.CurrentByteIndex
        element.end = self._data.index(b">", element.close) + 1

    def _characters(self, text: str) -> None:
        """Add text to the innermost element."""
        if self._open:
            self._open[-1].text += text

    def _reject_document_type(self, *_: Any) -> None:
        """Reject a document type (MP115)."""
        message = "the file declares a document type"
        raise TableError([rule_finding("MP115", message, Place(self._name, line=self._parser.CurrentLineNumber))])
