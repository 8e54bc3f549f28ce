// Package parted counts a log in parts, on as many machines as there are, and
// merges what they counted.
//
// Something else deals the events out and sorts them: the rows of a part stand
// in the order of rule and key, those of a key in release order. See
// docs/spark.md for the job that does it with Spark.
package parted
