// Package parquet writes a run as a Parquet dataset: events, episodes and the
// run itself, in hive-style folders that every query engine reads. The columns
// are a contract: docs/output.md describes them, and a test keeps them.
package parquet
