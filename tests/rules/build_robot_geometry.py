"""Robots whose inertials are computed from their geometry, and files that include each other."""

from __future__ import annotations

from pathlib import Path

from .build_workbooks import BAD, GOOD, bad, good

__all__ = ["BAD", "GOOD"]

BOX = "<geometry><box><size>1 1 1</size></box></geometry>"


def model(*parts: str) -> str:
    """A file with one model."""
    return f"<sdf version='1.11'><model name='arm'>{''.join(parts)}</model></sdf>"


def collision(name: str = "hull", more: str = "<density>400</density>") -> str:
    return f"<collision name='{name}'>{more}{BOX}</collision>"


def link(*collisions: str, inertial: str = "<inertial auto='true'/>") -> str:
    return f"<link name='base'>{inertial}{''.join(collisions)}</link>"


def inertials(folder: Path, text: str, *options: str, name: str = "robot.sdf") -> list[str]:
    """Write a robot, and give the command line that computes its inertials."""
    (folder / name).write_text(text)
    return ["inertials", str(folder / name), "-o", str(folder / f"new-{name}"), *options]


@good("MP855", "MP856", "MP857", "MP858", "MP859", "MP868")
def one_collision_with_a_density(folder: Path) -> list[str]:
    return inertials(folder, model(link(collision())))


@bad("MP855")
def no_collision(folder: Path) -> list[str]:
    return inertials(folder, model(link()))


@bad("MP855")
def a_plane(folder: Path) -> list[str]:
    plane = "<collision name='floor'><geometry><plane/></geometry></collision>"
    return inertials(folder, model(link(plane)))


@bad("MP855")
def a_negative_density(folder: Path) -> list[str]:
    return inertials(folder, model(link(collision(more="<density>-2</density>"))))


@bad("MP856")
def no_density(folder: Path) -> list[str]:
    return inertials(folder, model(link(collision(more=""))))


@bad("MP856")
def no_density_for_urdf(folder: Path) -> list[str]:
    box = "<collision><geometry><box size='1 1 1'/></geometry></collision>"
    return inertials(folder, f"<robot name='arm'><link name='base'>{box}</link></robot>", name="robot.urdf")


@good("MP856")
def a_mass_without_any_density(folder: Path) -> list[str]:
    mass = "<inertial auto='true'><mass>2</mass></inertial>"
    return inertials(folder, model(link(collision(more=""), inertial=mass)))


@bad("MP857")
def a_pose_of_an_automatic_inertial(folder: Path) -> list[str]:
    pose = "<inertial auto='true'><pose>0 0 1 0 0 0</pose></inertial>"
    return inertials(folder, model(link(collision(), inertial=pose)))


@bad("MP857")
def a_density_of_zero(folder: Path) -> list[str]:
    return inertials(folder, model(link(collision(), collision("cover", "<density>0</density>"))))


@bad("MP858")
def boxes_that_overlap(folder: Path) -> list[str]:
    moved = "<density>400</density><pose>0 0 0.9 0 0 0</pose>"
    return inertials(folder, model(link(collision(), collision("deck", moved))))


@good("MP858")
def boxes_that_touch(folder: Path) -> list[str]:
    moved = "<density>400</density><pose>0 0 1 0 0 0</pose>"
    return inertials(folder, model(link(collision(), collision("deck", moved))))


@bad("MP859")
def skipped(folder: Path) -> list[str]:
    return inertials(folder, model(link(collision())), "--config", "skip=true")


@bad("MP868")
def an_included_automatic_inertial(folder: Path) -> list[str]:
    (folder / "gripper.sdf").write_text(model(link(collision())))
    return inertials(folder, model("<include><uri>gripper.sdf</uri></include>"))


@bad("MP869")
def a_link_without_geometry(folder: Path) -> list[str]:
    return inertials(folder, "<robot name='arm'><link name='base'/></robot>", name="robot.urdf")


@good("MP869")
def a_link_with_a_collision(folder: Path) -> list[str]:
    box = "<collision><geometry><box size='1 1 1'/></geometry></collision>"
    return inertials(folder, f"<robot name='arm'><link name='base'>{box}</link></robot>", name="robot.urdf")


@bad("MP851")
def a_file_that_includes_itself(folder: Path) -> list[str]:
    return inertials(folder, model(link(collision()), "<include><uri>robot.sdf</uri></include>"))


@good("MP850", "MP851")
def a_file_that_includes_another(folder: Path) -> list[str]:
    (folder / "gripper.sdf").write_text(model(link(collision())))
    return inertials(folder, model(link(collision()), "<include><uri>gripper.sdf</uri><name>g</name></include>"))


@bad("MP850")
def a_file_outside_the_folder(folder: Path) -> list[str]:
    (folder / "gripper.sdf").write_text(model(link(collision())))
    (folder / "robots").mkdir()
    include = "<include><uri>../gripper.sdf</uri></include>"
    return inertials(folder / "robots", model(link(collision()), include))


def nested(levels: int) -> str:
    """Models in models, with a link in the last."""
    heads = "".join(f"<model name='m{k}'>" for k in range(levels))
    return f"<sdf version='1.11'>{heads}{link(collision())}{'</model>' * levels}</sdf>"


@bad("MP852")
def models_nested_too_deeply(folder: Path) -> list[str]:
    return inertials(folder, nested(60))


@bad("MP852")
def elements_nested_too_deeply(folder: Path) -> list[str]:
    return inertials(folder, nested(300))


@good("MP852")
def models_nested_40_levels(folder: Path) -> list[str]:
    return inertials(folder, nested(40))
