// Package kafka reads a Kafka topic: as a feed that goes on, by one member of
// a consumer group, or as streams between two times or offsets that end. Topics
// of ours are written too, and shared out among processes by partitions.
//
// Connections, TLS, SASL, the cluster's layout and the group are kafka-go's.
// Fetching is ours (fetch.go, batch.go): kafka-go's decoder does not tell how
// far a batch reaches whose last records were compacted away, and copies more.
package kafka
