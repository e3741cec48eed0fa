"""Import the installed package before pytest finds its sources by their path."""

import silvics  # noqa: F401
