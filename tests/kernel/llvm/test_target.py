from __future__ import annotations

import pytest

from phalanx.base.errors import InvalidInput
from phalanx.kernel import Target, host_target

AVX2 = Target("avx2", "haswell", "+avx2,+fma", 32, True)


def test_lanes_follow_width_and_size():
    assert [AVX2.lanes(8), AVX2.lanes(4)] == [4, 8]
    assert AVX2.narrowed(8).lanes(8) == 1


def test_narrowing_keeps_the_rest():
    narrow = AVX2.narrowed(16)
    assert (narrow.vector_bytes, narrow.cpu, narrow.has_fma) == (16, "haswell", True)
    assert not AVX2.without_fma().has_fma


@pytest.mark.parametrize("width", [0, 12, 64, 128])
def test_unusable_widths(width):
    with pytest.raises(InvalidInput, match=f"vector width {width} B"):
        AVX2.narrowed(width)


def test_the_host_is_known():
    host = host_target()
    assert host.cpu and host.vector_bytes in (8, 16, 32, 64)
    assert host is host_target()
