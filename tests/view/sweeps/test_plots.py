from __future__ import annotations

import numpy as np
import pytest

import phalanx as px
from phalanx.view.sweeps import plots


def test_scatter_leaves_failed_cases_out_and_names_units(data):
    axes = plots.scatter(data, "damping", "cost", "cart.mass").axes
    dots = axes[0].collections[0].get_offsets()
    assert len(dots) == 59
    assert axes[0].get_xlabel() == "damping [N s/m]"
    assert axes[1].get_ylabel() == "cart.mass [kg]"


def test_a_heat_map_of_a_grid_has_a_field_a_pair():
    xarray = pytest.importorskip("xarray")
    x, y = (part.ravel() for part in np.meshgrid([1.0, 2.0, 4.0], [10.0, 30.0], indexing="ij"))
    coords = {"case": np.arange(6), "x": ("case", x), "y": ("case", y)}
    data = xarray.Dataset({"z": ("case", 100 * x + y)}, coords=coords)
    field = plots.heat_map(data, "x", "y", "z").axes[0].collections[0]
    np.testing.assert_allclose(field.get_array(), [[110, 210, 410], [130, 230, 430]])


def test_a_heat_map_of_samples_shows_means_of_bins(data):
    wide = plots.heat_map(data, "damping", "cart.mass", "damping").axes[0].collections[0]
    columns = np.ma.masked_invalid(wide.get_array())
    damping = data["damping"].values
    edges = np.linspace(damping.min(), damping.max(), columns.shape[1] + 1)
    inside = (columns >= edges[:-1]) & (columns <= edges[1:])
    assert inside.all() and columns.count() > columns.size // 2


def test_parallel_coordinates_have_an_axis_a_column(data):
    axes = plots.parallel_coordinates(data, "cost").axes[0]
    titles = [text.get_text() for text in axes.get_xticklabels()]
    assert titles == ["cart.mass\n[kg]", "damping\n[N s/m]", "cost\n[m² s]"]
    curves = np.array(axes.collections[0].get_segments())
    assert curves.shape == (59, 3, 2)
    assert curves[..., 1].min() == 0 and curves[..., 1].max() == 1


def test_quantiles_hold_the_median(data):
    figure = plots.quantiles(data, "q.slide")
    line = figure.axes[0].get_lines()[0]
    good = np.delete(data["q"].values[..., 0], 7, axis=0)
    np.testing.assert_allclose(line.get_ydata(), np.median(good, axis=0))


def test_the_strongest_influence_is_shown_first(data):
    captions = list(plots.standard_figures(data))
    assert captions[0] == "cost over damping"
    assert captions[-1] == "q.slide over time"


def test_nothing_to_draw_is_said(data):
    data["cost"][:] = np.nan
    with pytest.raises(px.InvalidInput, match="no case has finite numbers of damping, cost"):
        plots.scatter(data, "damping", "cost")
    with pytest.raises(px.UnknownName, match="no signal 'v'"):
        plots.quantiles(data, "v")
