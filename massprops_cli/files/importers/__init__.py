"""Weight reports of other programs, read as tables; docs/internals/modules.md has their conventions and sources."""
