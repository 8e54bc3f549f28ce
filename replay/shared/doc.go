// Package shared lets several processes judge one log. Extract turns the
// partitions of a raw topic into events in a second topic, so that all that
// counts together stands in one partition of it; Watch judges such partitions.
// Kafka shares both topics out among the processes of a group and moves
// partitions between them. All of them together say what one process would.
//
// An extracting process keeps no state but how far each of its streams has
// come, which is committed with the offset. A judging one keeps a checkpoint
// for each partition in a third, compacted topic; the commit of the offset says
// which one counts, and Kafka refuses it from whoever has lost the partition.
package shared
