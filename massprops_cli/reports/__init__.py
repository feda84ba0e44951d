"""Reports: summary, tree, tables, Markdown, workbook sheets, plots."""
