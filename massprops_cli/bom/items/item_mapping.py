"""Tables and results as mappings from ids to bodies."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import TypeVar

from massprops_cli.bodies.body import Body
from massprops_cli.findings.notebook import html_table

_Default = TypeVar("_Default")


class ItemMapping(ABC):
    """Items in file order, by id: iteration gives ids, as that of a dictionary gives its keys.

    A duplicate id, which is an error, is that of its first row; the iteration repeats it.
    """

    __slots__ = ()

    @abstractmethod
    def _item_ids(self) -> Sequence[str]:
        """Return the ids of the n items, in file order."""

    @abstractmethod
    def body(self, i: int) -> Body:
        """Return an item as a body."""

    @abstractmethod
    def find(self, name: object) -> int | None:
        """Find the number of the item with an id."""

    @abstractmethod
    def __getitem__(self, name: str) -> Body: ...

    def __iter__(self) -> Iterator[str]:
        """Iterate over the ids, in file order."""
        return iter(self._item_ids())

    def __contains__(self, name: object) -> bool:
        """Return whether an item has an id."""
        return self.find(name) is not None

    def __len__(self) -> int:
        """Return the number of items."""
        return len(self._item_ids())

    def keys(self) -> list[str]:
        """List the ids."""
        return list(self._item_ids())

    def values(self) -> Iterator[Body]:
        """Iterate over the items."""
        return (self.body(i) for i in range(len(self._item_ids())))

    def items(self) -> Iterator[tuple[str, Body]]:
        """Iterate over ids and items."""
        return ((name, self.body(i)) for i, name in enumerate(self._item_ids()))

    def _repr_html_(self) -> str:
        """Return a table for a notebook."""
        body = self.body(0)
        mass, length = (f" [{unit}]" if unit else "" for unit in body.units[:2])
        header = ["id", f"mass{mass}", f"sigma_mass{mass}", *(f"{name}{length}" for name in ("Cx", "Cy", "Cz"))]
        rows = (
            [name, one.mass, one.sigma_mass, *([None] * 3 if one.center is None else one.center.tolist())]
            for name, one in self.items()
        )
        return html_table(f"{type(self).__name__} of {len(self):,} items", header, rows, len(self))

    def get(self, name: str, default: _Default | None = None) -> Body | _Default | None:
        """Return an item by its id."""
        found = self.find(name)
        return default if found is None else self.body(found)
