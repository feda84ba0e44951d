"""Workbooks: reading xlsx, xlsb, xls and ods; editing an xlsx in place; writing a fresh one."""

from massprops_cli._front import lazy_front

__getattr__, __dir__ = lazy_front(__name__, __file__)
