from massprops_cli.files.importers.report_formats import (
    read_report as read_report,
    report_format as report_format,
    unread_xml_reason as unread_xml_reason,
)
