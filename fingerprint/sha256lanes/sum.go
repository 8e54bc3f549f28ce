// Package sha256lanes hashes messages by SHA-256, several at a time.
//
// A round of SHA-256 waits for the one before. With more messages, which know
// nothing of each other, the processor has something to do meanwhile: with
// instructions for SHA-256 two take little longer than one. Without them, and
// where they are slow, a vector holds a word of each of eight messages, which take
// as long as one by AVX-512, and as two by AVX2. Everywhere else messages go
// through crypto/sha256, one by one, and so do those that are much longer than all
// others.
package sha256lanes

import (
	"crypto/sha256"
	"encoding/binary"
)

// Job is a message to be hashed, and its sum once it is.
type Job struct {
	Padded []byte // the message as Pad gave it
	Sum    [sha256.Size]byte

	next *Job // in its queue
}

const blockSize = sha256.BlockSize

// Pad appends to a message what makes whole blocks of it: FIPS 180-4, section
// 5.1.1.
func Pad(message []byte) []byte {
	var padding [blockSize + 8]byte
	padding[0] = 0x80
	n := blockSize - (len(message)+8)%blockSize
	binary.BigEndian.PutUint64(padding[n:], uint64(len(message))*8)
	return append(message, padding[:n+8]...)
}

// message is what was padded.
func (j *Job) message() []byte {
	length := j.Padded[len(j.Padded)-8:]
	return j.Padded[:binary.BigEndian.Uint64(length)/8]
}

// Sum hashes the messages of all jobs, which may be of any lengths.
func Sum(jobs []Job) {
	var queues [2]queue
	rest, long := &queues[0], &queues[1]
	for i := range jobs {
		rest.add(&jobs[i])
	}
	for _, c := range known {
		rest.longFor(c.worth, long)
		c.inLanes(rest)
		rest, long = long, rest // which is empty
	}
	oneByOne(rest)
}

var known = ways()

func oneByOne(q *queue) {
	for j := q.take(); j != nil; j = q.take() {
		j.Sum = sha256.Sum256(j.message())
	}
}
