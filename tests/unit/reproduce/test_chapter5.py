from silvics.reproduce.registry import items


def test_items_are_of_the_chapter():
    assert all(
        name.split("-")[1].startswith("5.") for name in items() if items()[name].chapter == 5
    )
