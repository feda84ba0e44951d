"""The command line: a thin door. One file per command; each reads its options, calls the library, renders."""
