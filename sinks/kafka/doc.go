// Package kafka sends alerts and verdicts to topics of Kafka, as JSON, keyed by
// the scope: what is said of one scope stands in one partition, in its order.
package kafka
