package sha256lanes

import "math/bits"

// queue gives long jobs before short ones, so that all lanes are done at about
// the same time. Jobs of nearly the same length are in no order.
type queue struct {
	first  [bits.UintSize + 1]*Job // by how many bits their lengths have
	behind int                     // the lengths of all that are left have fewer bits
}

func (q *queue) add(j *Job) {
	n := bits.Len(uint(len(j.Padded)))
	j.next, q.first[n] = q.first[n], j
	q.behind = max(q.behind, n+1)
}

// take is the next job, nil if there is none.
func (q *queue) take() *Job {
	for ; q.behind > 0; q.behind-- {
		if j := q.first[q.behind-1]; j != nil {
			q.first[q.behind-1] = j.next
			return j
		}
	}
	return nil
}
