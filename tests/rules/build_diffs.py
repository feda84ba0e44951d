"""Pairs of revisions whose comparison meets a rule, or nearly does."""

from __future__ import annotations

from pathlib import Path

from .build_workbooks import BAD, GOOD, bad, good

__all__ = ["BAD", "GOOD"]

OLD = "id,parent,mass,part\ntop,,,\na,top,2,M6\nb,top,3,M8\n"


def diff(folder: Path, new: str, *options: str, old: str = OLD) -> list[str]:
    """Write both files, and give the command line that compares them."""
    (folder / "old.csv").write_text(old)
    (folder / "new.csv").write_text(new)
    return ["diff", str(folder / "old.csv"), str(folder / "new.csv"), "--format", "full", *options]


@bad("MP640")
def heavier_than_allowed(folder: Path) -> list[str]:
    return diff(folder, OLD.replace("2,M6", "4,M6"), "--threshold", "mass 1")


@bad("MP640")
def a_share_beyond(folder: Path) -> list[str]:
    return diff(folder, OLD.replace("2,M6", "1.5,M6"), "--threshold", "mass 1 %")


@good("MP640")
def just_as_much_as_allowed(folder: Path) -> list[str]:
    return diff(folder, OLD.replace("2,M6", "4,M6"), "--threshold", "mass 2", "--threshold", "b: mass 0")


@bad("MP641")
def several_of_a_part(folder: Path) -> list[str]:
    return diff(folder, OLD.replace("M8", "M6"), "--match", "part", old=OLD.replace("M8", "M6"))


@good("MP641")
def each_part_once(folder: Path) -> list[str]:
    return diff(folder, OLD, "--match", "part")


@bad("MP642")
def a_revision_in_the_name(folder: Path) -> list[str]:
    return diff(folder, OLD.replace("top", "top-B"))


@good("MP642")
def another_child_renamed(folder: Path) -> list[str]:
    return diff(folder, OLD.replace("\na,", "\nc,"))


def reasons(folder: Path, content: str, name: str = "reasons.csv") -> tuple[str, str]:
    """Write a file of reasons, and give the option that names it."""
    (folder / name).write_text(content)
    return "--reasons", str(folder / name)


@bad("MP643")
def one_change_explained_of_two(folder: Path) -> list[str]:
    revised = OLD.replace("2,M6", "4,M6").replace("3,M8", "3.5,M8")
    return diff(folder, revised, *reasons(folder, "item,reason\na,ECR-17\n"))


@good("MP643", "MP644")
def the_assembly_explained(folder: Path) -> list[str]:
    revised = OLD.replace("2,M6", "4,M6").replace("3,M8", "3.5,M8")
    return diff(folder, revised, *reasons(folder, 'top = "ECR-17"\n', "reasons.toml"))


@bad("MP644")
def a_reason_for_what_did_not_change(folder: Path) -> list[str]:
    return diff(folder, OLD.replace("2,M6", "4,M6"), *reasons(folder, "id,reason\na,ECR-17\nb,ECR-18\n"))


@bad("MP646")
def capitals_in_one_file(folder: Path) -> list[str]:
    return diff(folder, OLD.replace("\na,", "\nA,"))


@bad("MP646")
def a_zero_that_a_spreadsheet_dropped(folder: Path) -> list[str]:
    return diff(folder, OLD.replace("M6", "6"), "--match", "part", old=OLD.replace("M6", "06"))


@good("MP646")
def two_items_that_differ_in_case_in_both(folder: Path) -> list[str]:
    return diff(folder, OLD.replace("\nb,", "\nA,").replace("a,top,2", "a,top,4"), old=OLD.replace("\nb,", "\nA,"))


@bad("MP645")
def a_mass_that_comes_later(folder: Path) -> list[str]:
    return diff(folder, OLD, "--allow-missing", "mass", old=OLD.replace("3,M8", ",M8"))


@good("MP645")
def masses_in_both(folder: Path) -> list[str]:
    return diff(folder, OLD, "--allow-missing", "mass")


def robots(folder: Path, moments: str) -> list[str]:
    """Write two robots of one link, whose tensors are along axes of their own, and give the comparison."""
    link = '<link name="arm"><inertial><origin xyz="0 0 0" rpy="{}"/><mass value="1"/><inertia {}/></inertial></link>'
    none = 'ixy="0" ixz="0" iyz="0"'
    for name, angles, values in (("a", "0 0 0.4", 'ixx="1" iyy="1.5" izz="2"'), ("b", "0 0 -0.4", moments)):
        whole = f'<robot name="r">{link.format(angles, f"{values} {none}")}</robot>'
        (folder / f"{name}.urdf").write_text(whole)
    return ["diff", str(folder / "a.urdf"), str(folder / "b.urdf"), "--format", "full"]


@bad("MP647")
def the_inverse_rotation(folder: Path) -> list[str]:
    return robots(folder, 'ixx="1" iyy="1.5" izz="2"')


@good("MP647")
def another_tensor(folder: Path) -> list[str]:
    return robots(folder, 'ixx="1.1" iyy="1.6" izz="2.4"')
