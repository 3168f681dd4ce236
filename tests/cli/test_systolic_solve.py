from __future__ import annotations

import json

import numpy as np

from phalanx.hardware.solvers.methods import METHODS


def test_a_system_of_a_file_with_a_page(run, tmp_path):
    A, b = np.array([[4.0, 1.0], [2.0, 3.0]]), np.array([[1.0, 5.0], [2.0, 6.0]])
    np.savetxt("system.csv", np.hstack([A, b]), delimiter=",")
    text = run("systolic-solve", "system.csv", "--method", "qr", "--page", "run.html").stdout
    for number in np.linalg.solve(A, b).ravel():
        assert f"{number:.6g}"[:7] in text
    assert "first result in cycle 6, last in cycle 8; a new system every 4 cycles" in text
    assert "feed-forward QR" in (tmp_path / "run.html").read_text()
    np.save("system.npy", np.hstack([A, b[:, :1]]))
    facts = json.loads(run("systolic-solve", "system.npy", "--json").stdout)
    np.testing.assert_allclose(facts["x"], np.linalg.solve(A, b[:, 0]), rtol=1e-14)
    assert (facts["first_cycle"], facts["cycles"], facts["cells"]) == (6, 7, 5)


def test_methods_side_by_side(run):
    text = run("systolic-solve", "--size", "4", "--compare").stdout
    rows = {line.split()[0]: line.split()[1:5] for line in text.splitlines() if line[:1].islower()}
    assert {name: rows[name] for name in METHODS} == {
        "lu": ["12", "15", "8", "14"],
        "pivoting": ["12", "15", "8", "14"],
        "qr": ["12", "15", "8", "14"],
        "cholesky": ["13", "16", "8", "18"],
        "substitution": ["18", "24", "8", "14"],
        "faddeev": ["12", "15", "5", "20"],
    }
    np.savetxt("skew.csv", [[0.0, 1.0, 1.0], [-1.0, 0.0, 2.0]], delimiter=",")
    text = run("systolic-solve", "skew.csv", "--compare").stdout
    assert "pivot 1 is 0: its leading block of 1 rows is singular" in text
    facts = json.loads(run("systolic-solve", "--size", "3", "--compare", "--json").stdout)
    assert [row["method"] for row in facts] == list(METHODS)
    assert max(row["error"] for row in facts) < 1e-14


def test_what_is_refused(run):
    np.savetxt("square.csv", np.eye(2), delimiter=",")
    said = run("systolic-solve", "square.csv", code=2).stderr
    assert "has shape (2, 2); expected rows [A b], at least one column more" in said
    np.savetxt("singular.csv", np.ones((2, 3)), delimiter=",")
    assert "pivot 2 is 0" in run("systolic-solve", "singular.csv", code=2).stderr
    assert "there is no file nowhere.csv" in run("systolic-solve", "nowhere.csv", code=2).stderr
    assert "expected a .csv or .npy" in run("systolic-solve", "system.txt", code=2).stderr
    with open("words.csv", "w") as file:
        file.write("a,b,c\n1,x,2\n")
    assert "words.csv cannot be read" in run("systolic-solve", "words.csv", code=2).stderr
    said = run("systolic-solve", "--method", "qrs", code=2).stderr
    assert "has no method 'qrs'. Did you mean 'qr'?" in said
    said = run("systolic-solve", "--page", "run.txt", code=2).stderr
    assert "its suffix must be one of .html" in said
