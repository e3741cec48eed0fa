"""What X may be: frames, arrays, sparse matrices; columns, levels, missing values."""
