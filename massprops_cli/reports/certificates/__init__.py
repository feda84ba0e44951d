"""Certificates and control plans on the screen and in Markdown."""
