"""Worked examples of functions in the room files/importers."""

from __future__ import annotations

from massprops_cli.files.importers.avl import read_avl
from massprops_cli.files.importers.cpacs import read_cpacs
from massprops_cli.files.importers.fastoad import read_fastoad
from massprops_cli.files.importers.jsbsim import read_jsbsim
from massprops_cli.files.importers.openrocket import read_openrocket
from massprops_cli.files.importers.openvsp import read_openvsp
from massprops_cli.files.importers.solidworks import read_solidworks
from massprops_cli.files.options import FileOptions
from massprops_cli.files.reader import _report_format, _unread_xml_reason
from massprops_cli.findings.finding import Findings


def test_read_avl_example() -> None:
    text = b"Lunit = 0.0254 m\nMunit = 0.001 kg\n58.0 10 20 1.0 ! right wing\n"
    assert (read_avl("glider.mass", text, FileOptions(), False, Findings()).row(2)) == (
        ["right wing", "glider", "0.058", "0.254", "0.508", "0.0254", "true"]
    )


def test_read_cpacs_example() -> None:
    fuel = b"<fuel><massDescription><mass>21203.1</mass></massDescription></fuel>"
    model = b"<model uID='A320'><analyses><massBreakdown>" + fuel + b"</massBreakdown></analyses></model>"
    data = b"<cpacs><vehicles><aircraft>" + model + b"</aircraft></vehicles></cpacs>"
    assert (read_cpacs("plane.xml", data, FileOptions(), False, Findings()).row(2)) == (["fuel", "A320", "21203.1"])


def test_read_fastoad_example() -> None:
    wing = b"<wing><mass units='kg'>7746.72</mass></wing>"
    data = b"<FASTOAD_model><data><weight>" + wing + b"</weight></data></FASTOAD_model>"
    assert (read_fastoad("plane.xml", data, FileOptions(), False, Findings()).row(2)) == (["wing", "OWE", "7746.72"])


def test_read_jsbsim_example() -> None:
    data = b"<mass_balance><emptywt unit='KG'>1.4</emptywt></mass_balance>"
    assert (read_jsbsim("a.xml", data, FileOptions(), False, Findings()).row(2)) == (
        ["Empty weight", "aircraft", "1.4"]
    )


def test_read_openrocket_example() -> None:
    mass = b"<masscomponent><name>Bay</name><packedlength>0.2</packedlength><mass>0.5</mass></masscomponent>"
    data = b"<openrocket><rocket><name>R</name><subcomponents>" + mass + b"</subcomponents></rocket></openrocket>"
    assert (read_openrocket("r.ork", data, FileOptions(), False, Findings()).row(2)) == (
        ["Bay", "R", "0.5", "0.1", "0", "0"]
    )


def test_read_openvsp_example() -> None:
    text = b"...Mass Properties...\nName\tMass\tcgX\tcgY\tcgZ\tIxx\tIyy\tIzz\tIxy\tIxz\tIyz\tVolume\n"
    text += b"Wing\t2\t1\t0\t0\t3\t4\t5\t0\t0\t0\t9\n"
    assert (read_openvsp("a_MassProps.txt", text, FileOptions(), False, Findings()).row(2)) == (
        ["Wing", "Vehicle", "2", "1", "0", "0", "3", "4", "5", "0", "0", "0", "+", "false"]
    )


def test_report_format_example() -> None:
    assert (
        _report_format(b"<?xml version='1.0'?><!-- a plane --><fdm_config name='c172'>"),
        _report_format(b"id,parent"),
    ) == (("jsbsim", ""))


def test_unread_xml_reason_example() -> None:
    assert (_unread_xml_reason(b"<parts><part/></parts>"), _unread_xml_reason(b"<fdm_config/>")) == (
        ("XML of an unknown kind: its root element is parts", "")
    )


def test_read_solidworks_example() -> None:
    text = b"Mass properties of bolt\n\nMass = 12.5 grams\n"
    assert (read_solidworks("bolt.txt", text, FileOptions(), False, Findings()).row(1)) == (["bolt", "", "0.0125"])
