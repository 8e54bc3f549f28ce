// Package sinks writes what a run says: verdicts as JSON lines. The Parquet
// dataset is in package parquet below it.
package sinks
