"""Writes the Parquet tables of crates/farhop-data/tests/good_data, and the same tables as CSV. Needs pyarrow."""

import pathlib

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

folder = pathlib.Path(__file__).resolve().parent.parent / "crates/farhop-data/tests/good_data"

count = 40
nodes = pa.table(
    {
        "id": [f"n{node}" for node in range(count)],
        "kind": [["cat", "dog", "owl, or so"][node % 3] for node in range(count)],
        "size": pa.array([node / 7 for node in range(count)], pa.float64()),
        "weight": pa.array([node * 0.5 - 3 for node in range(count)], pa.float32()),
        "legs": pa.array([node % 5 for node in range(count)], pa.int16()),
    }
)
edges = pa.table(
    {
        "source": [f"n{edge % count}" for edge in range(90)],
        "target": [f"n{(7 * edge + 1) % count}" for edge in range(90)],
    }
)
for name, table, compression in [("parquet_nodes", nodes, "snappy"), ("parquet_edges", edges, "gzip")]:
    pa.parquet.write_table(table, folder / f"{name}.parquet", compression=compression, row_group_size=16)
    pa.csv.write_csv(table, folder / f"{name}.csv")
