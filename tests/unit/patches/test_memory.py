"""The memory of the process and of the machine."""

from silvics.patches import memory


def test_the_memory_of_this_process():
    assert 10**7 < memory.used() < 10**11
    assert memory.available() > 10**6
