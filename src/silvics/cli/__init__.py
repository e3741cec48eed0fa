"""The command line: report, fit, predict, impute, convert and info."""
