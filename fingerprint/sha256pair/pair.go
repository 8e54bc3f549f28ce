// Package sha256pair hashes messages by SHA-256, two at a time.
//
// A processor with instructions for SHA-256 waits most of the time for the
// round before: with a second message, which knows nothing of the first, it
// has something to do meanwhile. On x86 two messages take little longer than
// one. Everywhere else they go through crypto/sha256, one by one.
package sha256pair

import (
	"crypto/sha256"
	"encoding/binary"
)

// Job is a message to be hashed, and its sum once it is.
type Job struct {
	Message []byte
	Sum     [sha256.Size]byte
}

// Sum hashes the messages of all jobs. They may be of any length: a lane that
// is done with one takes the next.
func Sum(jobs []Job) {
	if hasBlocks && len(jobs) > 1 {
		inPairs(jobs)
	} else {
		oneByOne(jobs)
	}
}

func oneByOne(jobs []Job) {
	for i := range jobs {
		jobs[i].Sum = sha256.Sum256(jobs[i].Message)
	}
}

func inPairs(jobs []Job) {
	var lanes [2]lane
	a, b := &lanes[0], &lanes[1]
	for {
		for i := range lanes {
			if l := &lanes[i]; l.job == nil && len(jobs) > 0 {
				l.start(&jobs[0])
				jobs = jobs[1:]
			}
		}
		switch {
		case a.job == nil && b.job == nil:
			return
		case b.job == nil:
			a, b = b, a
			fallthrough
		case a.job == nil: // the last one, alone: a hashes the same for nothing
			p, n := b.next()
			blocks(&a.state, &b.state, p, p, n)
			b.passed(n)
		default:
			p, n := a.next()
			q, m := b.next()
			n = min(n, m)
			blocks(&a.state, &b.state, p, q, n)
			a.passed(n)
			b.passed(n)
		}
	}
}

const blockSize = sha256.BlockSize

// lane is where one message after the other is hashed.
type lane struct {
	state state
	job   *Job // nil if it is free
	pos   int  // in the message, and in tail behind its last whole block
	end   int  // of the message with its padding
	tail  [2 * blockSize]byte
}

// start begins with a message.
func (l *lane) start(job *Job) {
	l.job, l.pos, l.state = job, 0, initial
	size, whole := len(job.Message), l.whole()
	n := copy(l.tail[:], job.Message[whole:])
	l.tail[n] = 0x80
	clear(l.tail[n+1:])
	padded := blockSize
	if n+1+8 > blockSize {
		padded = 2 * blockSize
	}
	binary.BigEndian.PutUint64(l.tail[padded-8:], uint64(size)*8)
	l.end = whole + padded
}

// whole is how many bytes of the message its whole blocks take.
func (l *lane) whole() int { return len(l.job.Message) &^ (blockSize - 1) }

// next is where the next blocks stand, and how many there are.
func (l *lane) next() (p *byte, n int) {
	whole := l.whole()
	if l.pos < whole {
		return &l.job.Message[l.pos], (whole - l.pos) / blockSize
	}
	return &l.tail[l.pos-whole], (l.end - l.pos) / blockSize
}

// passed notes that n blocks are hashed, maybe the last ones.
func (l *lane) passed(n int) {
	if l.pos += n * blockSize; l.pos == l.end {
		l.state.put(&l.job.Sum)
		l.job = nil
	}
}

// state is the eight words between two blocks, in the order in which the
// instructions want them: f, e, b, a and h, g, d, c of FIPS 180-4.
type state [8]uint32

// initial is the state before the first block: FIPS 180-4, section 5.3.3.
var initial = state{0x9b05688c, 0x510e527f, 0xbb67ae85, 0x6a09e667, 0x5be0cd19, 0x1f83d9ab, 0xa54ff53a, 0x3c6ef372}

func (s *state) put(sum *[sha256.Size]byte) {
	for i, word := range [...]int{3, 2, 7, 6, 1, 0, 5, 4} {
		binary.BigEndian.PutUint32(sum[4*i:], s[word])
	}
}
