import pytest

from phalanx.base import guarded_xml
from phalanx.base.errors import ReadError
from phalanx.mechanism.read import load

BOMB = """<?xml version="1.0"?>
<!DOCTYPE robot [
  <!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;">
]>
<robot name="&c;"><link name="base"/></robot>"""
FILE_ENTITY = """<?xml version="1.0"?>
<!DOCTYPE robot [<!ENTITY secret SYSTEM "file:///etc/passwd">]>
<robot name="&secret;"><link name="base"/></robot>"""
REMOTE_TYPE = """<!DOCTYPE robot SYSTEM "http://example.org/robot.dtd">
<robot name="r"><link name="base"/></robot>"""


@pytest.mark.parametrize("suffix", [".urdf", ".xml"])
@pytest.mark.parametrize("content", [BOMB, FILE_ENTITY, REMOTE_TYPE])
def test_entities_and_document_types_are_refused(tmp_path, content, suffix):
    file = tmp_path / f"bomb{suffix}"
    file.write_text(content)
    with pytest.raises(ReadError, match="Entities and document types"):
        load(file)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x00\xff\xfe garbage",
        b"<robot",
        b"<robot></robot><robot></robot>",
        "<robot name='größe'/>".encode("latin-1"),
        b"<?xml version='1.0' encoding='no-such-code'?><robot/>",
        b"\x89PNG\r\n",
    ],
)
def test_garbage_is_refused_with_the_file_s_name(tmp_path, content):
    file = tmp_path / "garbage.urdf"
    file.write_bytes(content)
    with pytest.raises(ReadError, match=r"garbage\.urdf"):
        load(file)


def test_huge_files_are_not_read(tmp_path, monkeypatch):
    monkeypatch.setattr(guarded_xml, "LARGEST_FILE", 10)
    file = tmp_path / "huge.urdf"
    file.write_text("<robot><link name='base'/></robot>")
    with pytest.raises(ReadError, match="larger than"):
        load(file)


def test_deep_nesting_is_harmless(tmp_path):
    file = tmp_path / "deep.urdf"
    file.write_text("<a>\n" * 50_000 + "</a>" * 50_000)
    with pytest.raises(ReadError, match=r"deep\.urdf: line 501: .*nested too deeply"):
        load(file)


def test_prefixes_that_nothing_declares_are_names_of_others(tmp_path):
    """As Gazebo and Drake write them; entities stay refused, and places in the file are right."""
    file = tmp_path / "arm.urdf"
    more = '<gz:a gz:b="1"><drake:c/></gz:a>'
    file.write_text(f'<?xml version="1.0"?>\n<!-- <x> -->\n<robot name="r">{more}</robot>')
    root = guarded_xml.parse_xml(file)
    names = [guarded_xml.foreign_name(element.tag) for element in root.iter()]
    assert names == ["", "gz:a", "drake:c"]
    assert root[0][0].tag == "{http://drake.mit.edu}c"
    file.write_text(BOMB.replace("<link", "<gz:a/><link"))
    with pytest.raises(ReadError, match="Entities"):
        load(file)
    file.write_text("<robot>\n<gz:a>\n</robot>")
    with pytest.raises(ReadError, match="mismatched tag: line 3"):
        load(file)
    file.write_text(f"<robot>{''.join(f'<p{i}:a/>' for i in range(100))}</robot>")
    with pytest.raises(ReadError, match="unbound prefix"):
        load(file)


def test_a_declaration_after_blanks_is_no_reason(tmp_path):
    file = tmp_path / "arm.urdf"
    file.write_text('\n <?xml version="1.0" encoding="utf-8"?>\n<robot><link name="a"/></robot>')
    assert load(file).nv == 0
    file.write_text('\n<?xml version="1.0"?>\n<robot>\n<link></robot>')
    with pytest.raises(ReadError, match="line 4"):
        load(file)
    file.write_text('\n<?xml version="1.0" encoding="latin-1"?>\n<robot><link name="a"/></robot>')
    with pytest.raises(ReadError, match="declaration not at start"):
        load(file)
