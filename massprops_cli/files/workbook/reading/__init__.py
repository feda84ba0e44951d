"""Workbooks to tables: xlsx, xlsm, xls, xlsb and ods, behind the guard."""
