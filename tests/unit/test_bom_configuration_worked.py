"""Worked examples of functions in the room bom/configuration."""

from __future__ import annotations

from massprops_cli.bom.configuration_file import ConfigurationFile, configuration_parts
from massprops_cli.bom.settings import Settings, keywords_with_settings
from massprops_cli.files.options import delimiter_character


def test_configuration_parts_example() -> None:
    named = {"a.csv": {"read": {"table": 1}}}
    file = ConfigurationFile("massprops.toml", "", {"read": {"sheet": 2}, "file": named})
    assert ([(part.at, part.tables["read"]) for part in configuration_parts(file)]) == (
        [((), {"sheet": "2"}), (("file", "a.csv"), {"table": "1"})]
    )


def test_delimiter_character_example() -> None:
    assert (delimiter_character("tab"), delimiter_character(";"), delimiter_character("")) == (("\t", ";", ""))


def test_configuration_file_fault_example() -> None:
    file = ConfigurationFile("massprops.toml", "[read]\nshet = 'BOM'\n", {})
    assert (str(file.fault(("read", "shet"), "unknown key: read.shet"))) == ("massprops.toml:2: unknown key: read.shet")


def test_settings_joint_positions_example() -> None:
    assert (Settings(poses={"folded": ("elbow=90 deg",)}).joint_positions("folded")) == (("elbow=90 deg",))


def test_keywords_with_settings_example() -> None:
    settings = Settings(read={"layout": "level", "poi": "-"}, columns={"id": "Part", "mass": "Weight"})
    assert (keywords_with_settings({"layout": "parent", "map": {"id": "No"}}, settings)) == (
        {"layout": "parent", "poi": "-", "map": {"id": "No", "mass": "Weight"}}
    )
