"""A slow tree, written from the thesis, that the native tree must equal node by node."""
