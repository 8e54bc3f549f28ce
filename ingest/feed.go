package ingest

import "context"

// Feed is a source that goes on: a topic, or files that are followed. Its
// streams come and go.
type Feed interface {
	// Accept waits for streams that are to be read from now on. The first call
	// returns all that there are, in the order of their indices, and none if
	// there are none yet: nothing may be judged before all of them are known.
	// A mark that none of them begins at is of a stream that is not wanted now:
	// it is to be kept.
	// Each later call waits for more. The error is the context's, or says why
	// the feed cannot go on.
	Accept(ctx context.Context) ([]Live, error)
	// Commit says that a checkpoint holds all that came before the marks, one
	// for each stream that is open. After an error nothing may leave any more:
	// somebody else may be reading in our place.
	Commit(ctx context.Context, marks []Mark) error
	// Close ends the feed and everything it started. No Accept, Next or Commit
	// may be under way.
	Close() error
}

// Live is a stream that goes on. One goroutine reads it at a time.
type Live interface {
	Name() string // topic/partition, or the file's path
	// Mark is where the stream begins: that of the checkpoint, or a new one.
	Mark() Mark
	// Next waits for the next chunk. It looks at the source at least once a
	// second; if there is nothing it returns a chunk that is AtEnd. The error
	// is the context's, io.EOF if nothing will ever follow (a file that was
	// read to its end and is gone), or says why the stream cannot go on.
	// Whatever can be ridden out, a broker's restart or a file that is gone
	// for a moment, is no error: as long as the source cannot be looked at,
	// chunks come about once a second that hold nothing and are not AtEnd. Of a
	// file they are again after a minute: one must not hold all others for ever.
	Next(ctx context.Context) (Chunk, error)
}

// Chunk is a piece of a live stream.
type Chunk struct {
	Block *Block // nil if there are no records in it
	Mark  Mark   // where the stream goes on behind it
	AtEnd bool   // there was nothing more when it was read
	// Behind is how many records of the topic, or bytes of the file, are known
	// to follow; -1 if that is not known.
	Behind int64

	// Lost is how many records were gone before they could be read, -1 if that
	// is not known, and Why says how that came about. It is meant to be said
	// loudly, also where nothing is lost.
	Lost int64
	Why  string

	Control       int64 // control records, which hold no request
	Transactional int64 // batches written in transactions; aborted ones are among them
}

// Mark is how far a stream has been read: all that is needed to go on from
// there, in another process too.
type Mark struct {
	Stream int32  // index of the stream, for as long as there is state of the feed
	Name   string // as Live.Name
	Format string // as recognised; empty if no record has come yet
	Offset int64  // of the next record in the topic, or of the next byte in the file
	Line   int64  // lines before that; 0 in a topic
	File   string // tells a file from others of its name; empty in a topic
	Topic  string // tells a topic from others of its name; empty in a file
	Leader int64  // which leader of the partition took the record before, from 1 on; 0 in a file, and where it is not known
}
