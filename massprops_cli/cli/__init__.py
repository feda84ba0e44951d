"""The command line: the Typer application."""
