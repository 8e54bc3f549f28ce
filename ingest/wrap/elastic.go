package wrap

// Elasticsearch and OpenSearch give a document in _source: what a shipper sent,
// with its own wrapper, or the record that a pipeline made of the line.
func isElastic(m Members) bool {
	return m.Has("_source") && m.Any("_index", "_id")
}
