"""Tables that are read piece by piece: files, lazy frames, and tables in memory."""
