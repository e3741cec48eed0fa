"""Files cut off, lengthened, or with a bit changed: refused, or models that can be used."""

import zlib

import numpy as np
import pytest

import silvics
from silvics.model_file import container

from .files import (
    closed,
    content_of,
    loaded,
    mended,
    opened,
    outcome,
    quickly_used,
    small_model,
    small_regressor,
    use,
    without_parameters,
)


@pytest.fixture(scope="module")
def plain():
    """A file of one and a half kilobytes, most of them numbers that are believed or not."""
    return without_parameters(content_of(small_model()))


@pytest.fixture(scope="module")
def squeezed():
    return without_parameters(content_of(small_regressor(), compress=True))


@pytest.fixture(params=["plain", "squeezed"])
def content(request):
    return request.getfixturevalue(request.param)


def flipped(content, bit):
    changed = bytearray(content)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


def refused(content):
    with pytest.raises(silvics.ModelFileError, match=r"^Not a valid model file: "):
        loaded(content)
    return True


def test_the_files_that_are_damaged_below_are_good(content):
    assert outcome(content)
    assert len(content) < 2500


def test_a_file_cut_off_anywhere_is_refused(content):
    for n in range(len(content)):
        assert refused(content[:n])


def test_a_file_cut_off_anywhere_is_refused_even_if_its_checksum_says_otherwise(content):
    for n in range(len(content)):
        assert refused(mended(content[:n]))


def test_a_file_cut_off_at_the_front_is_refused(content):
    for n in range(1, len(content)):
        assert refused(mended(content[n:]))


@pytest.mark.parametrize("more", [b"\0", b" ", b"}", b"\0" * 64, b"x" * 4096])
def test_a_file_with_more_at_its_end_is_refused(content, more):
    assert refused(content + more)
    assert refused(mended(content + more))
    assert refused(mended(content + content))


def test_every_changed_bit_is_found_by_the_checksum(content):
    for bit in range(8 * len(content)):
        assert refused(flipped(content, bit))


def test_every_changed_byte_of_numbers_is_found_by_the_checksum(plain):
    begin = 8 + int.from_bytes(plain[:8], "little")
    for at in range(begin, len(plain)):
        for value in range(256):
            changed = bytearray(plain)
            changed[at] = value
            if changed != plain:
                assert refused(bytes(changed))


def test_a_changed_bit_that_the_checksum_agrees_to_never_breaks_anything(plain):
    """Words may become other words, thresholds other thresholds: what loads can be used."""
    n_loaded = 0
    for bit in range(8 * len(plain)):
        n_loaded += quickly_used(mended(flipped(plain, bit)))
    assert n_loaded > 300  # or nothing was looked at


def test_changed_bits_of_numbers_leave_a_model_that_can_do_everything():
    for model in (small_model(), small_regressor()):
        content = without_parameters(content_of(model))
        begin = 8 + int.from_bytes(content[:8], "little")
        n_loaded = 0
        for bit in range(8 * begin, 8 * len(content), 17):
            n_loaded += outcome(mended(flipped(content, bit)))
        assert n_loaded > 5


def test_changed_bits_of_a_squeezed_file_never_break_anything(squeezed):
    random = np.random.default_rng(0)
    for bit in random.choice(8 * len(squeezed), 1500, replace=False):
        quickly_used(mended(flipped(squeezed, int(bit))))


def test_changed_numbers_of_a_squeezed_file_never_break_anything(squeezed):
    """Changed before they are squeezed, or zlib would find all of it."""
    words, model, arrays = opened(squeezed)
    random = np.random.default_rng(1)
    n_loaded = 0
    for name, small in arrays.items():
        numbers = zlib.decompress(small.tobytes())
        for bit in random.choice(8 * len(numbers), min(60, 8 * len(numbers)), replace=False):
            again = np.frombuffer(zlib.compress(flipped(numbers, int(bit))), dtype=np.uint8)
            n_loaded += quickly_used(closed(words, model, {**arrays, name: again}))
    assert n_loaded > 50


def test_many_changed_bytes_never_break_anything(plain):
    random = np.random.default_rng(2)
    for _ in range(1500):
        changed = bytearray(plain)
        for at in random.choice(len(plain), random.integers(2, 9), replace=False):
            changed[at] = random.integers(256)
        quickly_used(mended(changed))


@pytest.mark.parametrize("memory_map", [True, False])
def test_damage_is_found_in_files_too(tmp_path, plain, memory_map):
    path = tmp_path / "model.silvics"
    for n in (*range(0, len(plain), 97), len(plain) - 1):
        path.write_bytes(plain[:n])
        with pytest.raises(silvics.ModelFileError):
            silvics.load(path, memory_map=memory_map)
    path.write_bytes(plain)
    model = silvics.load(path, memory_map=memory_map)
    use(model)
    assert model.digest() == small_model().digest()


def test_every_piece_of_a_large_file_is_under_the_checksum():
    rng = np.random.default_rng(0)
    content = container.to_bytes({}, {"x": rng.integers(0, 256, 9 << 20).astype(np.uint8)})
    assert container.from_bytes(content)[1]["x"].size == 9 << 20
    for at in [64, *range(1 << 19, len(content), 1 << 19), len(content) - 1]:
        content[at] ^= 16
        with pytest.raises(silvics.ModelFileError, match="checksum"):
            container.from_bytes(content)
        content[at] ^= 16
