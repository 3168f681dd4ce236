from pathlib import Path

import pytest

from phalanx.base.errors import ReadError
from phalanx.mechanism import Mesh
from phalanx.mechanism.read import ModelWarning, load

ROBOT = """
<robot name="r"><link name="base"><visual><geometry>
  <mesh filename="{}" scale="0.1 0.2 0.3"/>
</geometry></visual></link></robot>
"""


@pytest.fixture
def package(tmp_path) -> Path:
    """A package ``arm`` with a model, a mesh, and a secret beside it."""
    root = tmp_path / "arm"
    (root / "urdf").mkdir(parents=True)
    (root / "meshes").mkdir()
    (root / "meshes" / "link.stl").write_text("solid")
    (root / "package.xml").write_text("<package><name>arm</name></package>")
    (tmp_path / "secret.stl").write_text("solid")
    return root


def mesh_of(package: Path, uri: str, **options) -> Path | None:
    file = package / "urdf" / "arm.urdf"
    file.write_text(ROBOT.format(uri))
    visuals = load(file, **options).bodies[0].visuals
    if not visuals:
        return None
    assert isinstance(visuals[0].geometry, Mesh)
    assert visuals[0].geometry.scale == (0.1, 0.2, 0.3)
    return visuals[0].geometry.path


@pytest.mark.parametrize(
    "uri",
    [
        "package://arm/meshes/link.stl",
        "package:///arm/meshes/link.stl",
        "../meshes/link.stl",
        "../urdf/../meshes/link.stl",
    ],
)
def test_meshes_inside_the_package_are_found(package, uri):
    assert mesh_of(package, uri) == (package / "meshes" / "link.stl").resolve()


def test_absolute_paths_inside_the_package_are_found(package):
    mesh = package / "meshes" / "link.stl"
    assert mesh_of(package, str(mesh)) == mesh_of(package, mesh.as_uri()) == mesh.resolve()


def test_a_renamed_package_is_known_by_its_manifest(package):
    renamed = package.rename(package.parent / "arm-1.2")
    assert mesh_of(renamed, "package://arm/meshes/link.stl")


def test_a_package_without_manifest_is_known_by_its_folder(package):
    (package / "package.xml").unlink()
    assert mesh_of(package, "package://arm/meshes/link.stl")


@pytest.mark.parametrize(
    "uri",
    [
        "../../secret.stl",
        "package://arm/../secret.stl",
        "package://arm/meshes/../../secret.stl",
        "package://arm/%2e%2e/secret.stl",
        "../../not-even-there.stl",
        "file:///etc/passwd",
        "/etc/passwd",
    ],
)
def test_paths_that_leave_the_package_are_not_opened(package, uri):
    with pytest.warns(ModelWarning, match="outside the model's folder are not opened") as caught:
        assert mesh_of(package, uri) is None
    assert uri in str(caught[0].message)


def test_links_that_leave_the_package_are_not_opened(package):
    (package / "meshes" / "link.stl").unlink()
    (package / "meshes" / "link.stl").symlink_to(package.parent / "secret.stl")
    with pytest.warns(ModelWarning, match="outside"):
        assert mesh_of(package, "package://arm/meshes/link.stl") is None


def test_a_package_s_name_does_not_open_the_user_s_folder(package, monkeypatch):
    (package / "package.xml").unlink()
    monkeypatch.setenv("HOME", str(package.parent))
    secret = f"package://{package.parent.name}/secret.stl"
    with pytest.warns(ModelWarning, match="not found"):
        assert mesh_of(package, secret) is None


@pytest.mark.parametrize("uri", ["x" * 5000 + ".stl", "package://[arm/link.stl", "loop.stl"])
def test_paths_that_are_none_are_refused(package, uri):
    (package / "urdf" / "loop.stl").symlink_to(package / "urdf" / "loop.stl")
    with pytest.raises(ReadError, match=r"(mesh|file) '"):
        mesh_of(package, uri)


def test_folders_the_user_names_are_trusted(package):
    other = package.parent / "parts" / "hand" / "meshes"
    other.mkdir(parents=True)
    (other / "hand.stl").write_text("solid")
    for trusted in (package.parent / "parts", package.parent / "parts" / "hand"):
        found = mesh_of(package, "package://hand/meshes/hand.stl", package_paths=[trusted])
        assert found == (other / "hand.stl").resolve()
    assert mesh_of(package, "../../secret.stl", package_paths=[package.parent])


@pytest.mark.parametrize(
    "uri",
    [
        "package://arm/meshes/gone.stl",
        "package://unknown/meshes/link.stl",
        "package://unknown/../../../etc/passwd",
        "http://example.org/link.stl",
        "/home/somebody/else/link.stl",
        "package://arm/meshes",
    ],
)
def test_missing_meshes_are_reported_and_not_drawn(package, uri):
    with pytest.warns(ModelWarning, match="meshes not found"):
        assert mesh_of(package, uri) is None


def test_a_mesh_of_no_package_lies_beside_the_model(package):
    (package / "urdf" / "near.stl").write_text("solid")
    near = (package / "urdf" / "near.stl").resolve()
    assert mesh_of(package, "package:///near.stl") == near
    inside = (package / "meshes" / "link.stl").resolve()
    assert mesh_of(package, "package:///meshes/link.stl") == inside
    with pytest.warns(ModelWarning, match="outside"):
        assert mesh_of(package, "package:///../../secret.stl") is None


def test_a_user_without_a_home_finds_meshes(package, monkeypatch):
    (package / "package.xml").unlink()

    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", homeless)
    assert mesh_of(package, "package://arm/meshes/link.stl")
