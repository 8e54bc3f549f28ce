// Package sinks writes what a run says: verdicts as JSON lines, and alerts,
// which are routed to the sinks that are to hear of them and wait in an outbox
// until these have them. The Parquet dataset, Slack and Kafka have packages
// below it.
package sinks
