"""Workbooks: reading xlsx, xlsb, xls and ods; editing an xlsx in place; writing a fresh one."""
