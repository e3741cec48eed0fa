"""What is grown and what it predicts: trees as arrays, predictions, out-of-bag estimates."""
