"""Reading of X: data frames, arrays and sparse matrices; columns, levels, missing values."""
