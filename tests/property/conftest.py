"""One hypothesis profile for this folder: the same examples on every run, on every machine."""

from hypothesis import Phase, settings

settings.register_profile(
    "silvics",
    derandomize=True,
    deadline=None,
    max_examples=100,
    phases=[Phase.explicit, Phase.generate, Phase.shrink],
)
settings.load_profile("silvics")
