package kafka

import (
	"cmp"
	"encoding/json"

	"github.com/segmentio/kafka-go"
)

// claim is what a member says of itself to the one that shares out.
type claim struct {
	State string `json:"state"`           // of the state directory, which one process at a time may use
	Start int64  `json:"start"`           // when the process began, in microseconds
	Since int64  `json:"since,omitempty"` // since when it owns the topic; 0 if it does not
	Where string `json:"where"`           // for people
}

// balancer gives a whole topic to one member.
type balancer struct{ g *group }

// ProtocolName tells members that share out in this way from others.
func (balancer) ProtocolName() string { return "loopgauge-one" }

// UserData is our claim.
func (b balancer) UserData() ([]byte, error) {
	b.g.mutex.Lock()
	defer b.g.mutex.Unlock()
	return json.Marshal(b.g.claim)
}

// AssignGroups gives all partitions of a topic to one of the members that read it,
// the others none.
func (balancer) AssignGroups(members []kafka.GroupMember, partitions []kafka.Partition) kafka.GroupMemberAssignments {
	shares := kafka.GroupMemberAssignments{}
	readers := map[string][]string{} // of a topic
	claims := map[string][]claim{}
	for _, m := range members {
		var c claim
		_ = json.Unmarshal(m.UserData, &c) // one that cannot be read claims nothing
		shares[m.ID] = map[string][]int{}
		for _, topic := range m.Topics {
			readers[topic], claims[topic] = append(readers[topic], m.ID), append(claims[topic], c)
		}
	}
	for topic, ids := range readers {
		all := []int{}
		for _, p := range partitions {
			if p.Topic == topic {
				all = append(all, p.ID)
			}
		}
		if len(all) == 0 {
			all = []int{0} // the brokers do not know the topic for a moment; the owner is the owner
		}
		shares[ids[choose(claims[topic])]][topic] = all
	}
	return shares
}

// choose picks the member that owns the topic. Of those with the same state
// only the one that started last is alive. Of different states the one that
// took the topic last keeps it, so that one that was silent for too long does
// not take it back; if none has it, the one that has waited longest gets it.
func choose(claims []claim) int {
	best := 0
	states := map[string]claim{}
	for _, c := range claims {
		s, known := states[c.State]
		if !known {
			s = c
		}
		s.Since, s.Start = max(s.Since, c.Since), min(s.Start, c.Start)
		states[c.State] = s
	}
	for i := range claims {
		a, b := claims[i], claims[best]
		if c := cmp.Or(
			-cmp.Compare(states[a.State].Since, states[b.State].Since),
			cmp.Compare(states[a.State].Start, states[b.State].Start),
			cmp.Compare(a.State, b.State),
			-cmp.Compare(a.Start, b.Start),
		); c < 0 {
			best = i
		}
	}
	return best
}
