package sha256lanes

import "math/bits"

// queue gives long jobs before short ones, so that all lanes are done at about
// the same time. Jobs of nearly the same length are in no order.
type queue struct {
	first  [bits.UintSize + 1]*Job // by how many bits their lengths have
	behind int                     // the lengths of all that are left have fewer bits
	bytes  int                     // of all
}

func (q *queue) add(j *Job) {
	n := bits.Len(uint(len(j.Padded)))
	j.next, q.first[n] = q.first[n], j
	q.behind, q.bytes = max(q.behind, n+1), q.bytes+len(j.Padded)
}

// longFor moves to long the jobs that are so long that a lane would go on with
// them when the others are done: what is left has more than times the bytes of each.
func (q *queue) longFor(times int, long *queue) {
	for j := q.take(); j != nil; j = q.take() {
		if q.bytes+len(j.Padded) > times*len(j.Padded) {
			q.add(j)
			break
		}
		long.add(j)
	}
}

// take is the next job, nil if there is none.
func (q *queue) take() *Job {
	for ; q.behind > 0; q.behind-- {
		if j := q.first[q.behind-1]; j != nil {
			q.first[q.behind-1] = j.next
			q.bytes -= len(j.Padded)
			return j
		}
	}
	return nil
}
