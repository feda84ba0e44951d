"""Faces of a result: the screen, findings as text, JSON, Markdown, and worksheets. Nothing here computes or
prints.

What is shown on the screen is first a page of blocks (``page``); ``plain`` and ``terminal`` turn a page into
characters.
"""
