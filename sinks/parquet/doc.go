// Package parquet writes a run as a Parquet dataset: events, verdicts,
// episodes, sweep and the run itself, in hive-style folders that every query
// engine reads. It reads the events back, and merges small files. The columns
// are a contract: docs/output.md describes them, and a test keeps them.
package parquet
