package sha256lanes

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
)

// way is how a kind of processor hashes several messages, each in a lane.
type way struct {
	lanes int // at most maxLanes
	// Where the words of the first lane's state stand, and how much further on
	// those of each next one.
	words [8]int
	step  int
}

const maxLanes = 8

// choice is a way with what it takes for it to be better than the next one, or
// than one by one: a block of all lanes, full or not, takes as long as so many
// blocks then.
type choice struct {
	*way
	worth int
}

// state is what lies between two blocks: eight words of each lane.
type state [8 * maxLanes]uint32

// initial is the state before the first block: FIPS 180-4, section 5.3.3.
var initial = [8]uint32{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}

func (w *way) start(s *state, lane int) {
	for i, word := range initial {
		s[w.words[i]+lane*w.step] = word
	}
}

func (w *way) put(s *state, lane int, sum *[sha256.Size]byte) {
	for i, at := range w.words {
		binary.BigEndian.PutUint32(sum[4*i:], s[at+lane*w.step])
	}
}

// inLanes hashes all jobs of a queue: a lane that is done with one takes the
// next. When there is none left, it hashes for nothing what another does.
func (w *way) inLanes(q *queue) {
	var (
		states state
		jobs   [maxLanes]*Job
		rest   [maxLanes][]byte // of their messages
		blocks [maxLanes]*byte  // where it begins
	)
	for {
		n, busy := math.MaxInt, -1
		for i := range w.lanes {
			if len(rest[i]) == 0 {
				if jobs[i] != nil {
					w.put(&states, i, &jobs[i].Sum)
				}
				if jobs[i] = q.take(); jobs[i] == nil {
					continue
				}
				w.start(&states, i)
				rest[i] = jobs[i].Padded
			}
			blocks[i] = &rest[i][0]
			n, busy = min(n, len(rest[i])), i
		}
		if busy < 0 {
			return
		}
		for i := range w.lanes {
			if jobs[i] == nil {
				blocks[i] = blocks[busy]
			} else {
				rest[i] = rest[i][n:]
			}
		}
		w.compress(&states, &blocks, n/blockSize)
	}
}
