package kafka

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"
	fetchapi "github.com/segmentio/kafka-go/protocol/fetch"
)

// fetchRequest is a fetch of one partition whose answer is kept as it comes.
// kafka-go's transport sends it to the partition's leader and hands the
// connection over.
type fetchRequest struct {
	fetchapi.Request
	id      topicID // of the topic; zero if the brokers tell none
	epoch   int32   // of the leader that took the last record before; noEpoch if it is not known
	version int16
}

// Versions of the fetch that are spoken.
const (
	oldestFetch = 4  // Kafka 0.11, which brought the batches we read
	namedFetch  = 11 // the last that kafka-go can write
	idFetch     = 13 // Kafka 3.1: names the topic by its id, so that another of its name is not taken for it
)

// Required is called with what a connection speaks as far as kafka-go does,
// before RawExchange.
func (f *fetchRequest) Required(versions map[protocol.ApiKey]int16) bool {
	if f.version = versions[protocol.Fetch]; f.id != (topicID{}) {
		f.version = idFetch
	}
	return true
}

// RawExchange sends the request and reads the answer, alone on the connection.
func (f *fetchRequest) RawExchange(rw io.ReadWriter) (protocol.Message, error) {
	var err error
	switch {
	case f.version == idFetch:
		_, err = rw.Write(f.write())
	case f.version < oldestFetch || f.version > namedFetch:
		err = kafka.UnsupportedVersion
	default:
		err = protocol.WriteRequest(rw, f.version, correlation, clientID, &f.Request)
	}
	if err != nil {
		return nil, err
	}
	res := &fetched{memory: memories.Get().(*[]byte)}
	answer, err := receive(rw, func(n int) []byte {
		if cap(*res.memory) < n {
			*res.memory = make([]byte, n)
		}
		return (*res.memory)[:n]
	})
	if err != nil {
		return nil, err
	}
	return res, res.read(answer, f.version)
}

// write is the request that names the topic by its id.
func (f *fetchRequest) write() []byte {
	p := &f.Topics[0].Partitions[0]
	b := question(protocol.Fetch, idFetch)
	b = append(b, 0) // no tags
	b = binary.BigEndian.AppendUint32(b, uint32(f.ReplicaID))
	b = binary.BigEndian.AppendUint32(b, uint32(f.MaxWaitTime))
	b = binary.BigEndian.AppendUint32(b, uint32(f.MinBytes))
	b = binary.BigEndian.AppendUint32(b, uint32(f.MaxBytes))
	b = append(b, byte(f.IsolationLevel))
	b = binary.BigEndian.AppendUint32(b, 0)          // no session
	b = binary.BigEndian.AppendUint32(b, ^uint32(0)) // nor one that begins
	b = append(b, 2)                                 // one topic
	b = append(b, f.id[:]...)
	b = append(b, 2) // one partition
	b = binary.BigEndian.AppendUint32(b, uint32(p.Partition))
	b = binary.BigEndian.AppendUint32(b, uint32(p.CurrentLeaderEpoch))
	b = binary.BigEndian.AppendUint64(b, uint64(p.FetchOffset))
	b = binary.BigEndian.AppendUint32(b, uint32(f.epoch))
	b = binary.BigEndian.AppendUint64(b, uint64(p.LogStartOffset))
	b = binary.BigEndian.AppendUint32(b, uint32(p.PartitionMaxBytes))
	b = append(b, 0, 0)    // no tags, of the partition and the topic
	b = append(b, 1, 1, 0) // no topics forgotten, no rack, no tags
	return asked(b)
}

// fetched is what there was of a partition from an offset on.
type fetched struct {
	code    int16
	high    int64  // offset behind the last record that may be read
	batches []byte // in memory; the last may be cut
	lost    *lost  // nil if the leader has all that was read before
	memory  *[]byte
}

// memories hold answers. They grow to the size of fetches and stay.
var memories = sync.Pool{New: func() any { return new([]byte) }}

// release gives the memory of the batches back.
func (f *fetched) release() {
	if f.memory != nil {
		memories.Put(f.memory)
		f.memory, f.batches = nil, nil
	}
}

// ApiKey makes it a message of kafka-go's.
func (f *fetched) ApiKey() protocol.ApiKey { return protocol.Fetch } //nolint:staticcheck // kafka-go's name

func (f *fetched) read(answer []byte, version int16) error {
	w := wire{b: answer, older: version != idFetch}
	w.tags()
	wait := time.Duration(w.int32()) * time.Millisecond
	if version >= 7 {
		f.code = w.int16()
		w.int32() // session
	}
	if topics := w.count(); topics < 1 {
		switch {
		case w.short || f.code == 0 && wait <= 0:
			return errShort
		case f.code == 0:
			return &throttled{time.Now().Add(wait)}
		}
		return nil
	}
	if version == idFetch {
		w.bytes(len(topicID{}))
	} else {
		w.bytes(int(w.int16()))
	}
	if partitions := w.count(); partitions < 1 {
		return errShort
	}
	w.int32() // partition
	if code := w.int16(); code != 0 {
		f.code = code
	}
	f.high = w.int64()
	w.int64() // last stable offset
	if version >= 5 {
		w.int64() // log start offset
	}
	for range w.count() {
		w.bytes(16) // an aborted transaction
		if w.tags(); w.short {
			break
		}
	}
	if version >= 11 {
		w.int32() // preferred replica
	}
	f.batches = w.compact()
	if tag := w.tag(divergingEpoch); tag != nil {
		t := wire{b: tag}
		if l := (&lost{t.int32(), t.int64()}); l.end >= 0 { // else it says that there is nothing to say
			f.lost = l
		}
		w.short = w.short || t.short
	}
	if w.short {
		return errShort
	}
	return nil
}

// throttled is that the quota is used up, until when. The broker holds back what
// comes over the same connection before; as an error it ends that.
type throttled struct{ until time.Time }

func (*throttled) Error() string { return "the quota that the brokers give this client is used up" }

func isThrottled(err error) bool {
	_, ok := errors.AsType[*throttled](err)
	return ok
}

// noEpoch asks for records whatever was read before them. Epochs count from 0.
const noEpoch = -1

// divergingEpoch is the tag that says what a leader lacks.
const divergingEpoch = 0

// lost is that the leader has other records than the one before it, or none: a
// replica that lacked some became the leader. Of the epoch, or of those before it,
// it has the records up to the end.
type lost struct {
	epoch int32
	end   int64
}

func (l *lost) Error() string {
	return fmt.Sprintf("brokers lost records from offset %d on", l.end)
}

const (
	// fetchBytes is how much is asked for: enough that asking costs little.
	fetchBytes = 4 << 20
	// fetchWait is how long a broker waits for a record.
	fetchWait = 500 * time.Millisecond
	// answerTime is how long an answer may take beyond that.
	answerTime = 30 * time.Second
)

// fetch asks for the records of a partition from an offset on, before which
// stands a record of an epoch.
func (c *client) fetch(ctx context.Context, id topicID, partition int, offset int64, epoch, maxBytes int32) (*fetched, error) {
	ctx, cancel := context.WithTimeout(ctx, fetchWait+answerTime)
	defer cancel()
	if c.speaks.fetch < idFetch {
		id = topicID{}
	}
	m, err := c.transport.RoundTrip(ctx, c.addr, &fetchRequest{id: id, epoch: epoch, Request: fetchapi.Request{
		ReplicaID: -1, MaxWaitTime: int32(fetchWait / time.Millisecond), MinBytes: 1, MaxBytes: maxBytes,
		SessionID: -1, SessionEpoch: -1,
		Topics: []fetchapi.RequestTopic{{Topic: c.config.Topic, Partitions: []fetchapi.RequestPartition{{
			Partition: int32(partition), CurrentLeaderEpoch: -1, FetchOffset: offset, LogStartOffset: -1, PartitionMaxBytes: maxBytes,
		}}}},
	}})
	if err != nil {
		return nil, err
	}
	f := m.(*fetched)
	if f.code != 0 {
		code := f.code
		f.release()
		return nil, kafka.Error(code)
	}
	if f.lost != nil {
		f.release()
		return nil, f.lost
	}
	return f, nil
}
