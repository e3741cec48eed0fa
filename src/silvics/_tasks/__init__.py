"""Work in tasks: on the workers of a Dask cluster, and kept in a folder of finished trees."""
