package shared

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loopgauge/loopgauge/ingest/kafka/kafkatest"
	"github.com/loopgauge/loopgauge/replay/live"
)

// counts are what a status says that never falls.
func counts(n *live.Now) map[string]int64 {
	all := map[string]int64{"judged": n.Account.Judged - n.Began.Account.Judged, "sent": n.Sinks[0].Sent}
	for i := range n.Rules {
		all["fired "+n.Rules[i].Rule.Name] = n.Rules[i].Fired - n.Began.Rules[i].Fired
	}
	for state, k := range n.Alerts {
		all["alerts "+string(state)] = k
	}
	return all
}

// TestStatus: what a process tells of itself is the sum of its partitions, and
// no count falls or rises when they go and come back.
func TestStatus(t *testing.T) {
	b := kafkatest.Start(t)
	p := testPolicy(t, rules)
	split := made(rand.New(rand.NewPCG(1, 0)), 1500)
	want := alone(t, p, split)
	f := newFleet(t, b, p)
	for p, values := range split {
		b.Produce(t, f.raw.Topic, int32(p), values...)
	}
	f.extract("extract", 2*time.Second)
	f.watch("0")
	f.same(want)

	// stands waits until the processes share the partitions out like this.
	stands := func(lanes ...int) {
		t.Helper()
		var got []int
		for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
			got = nil
			well := true
			for i := range lanes {
				n := f.status[fmt.Sprint(i)].Get()
				got = append(got, len(n.Lanes))
				well = well && n.Ready && n.Waiting == 0 && n.Newest == n.Frontier && n.Unsaved.IsZero() && time.Since(n.Heartbeat) < time.Minute
				for _, l := range n.Lanes {
					well = well && l.AtEnd && l.Behind == 0
				}
			}
			if well && cmp.Equal(got, lanes) {
				return
			}
		}
		t.Fatalf("lanes %v, want %v: %+v", got, lanes, f.status["0"].Get())
	}
	stands(5)
	now := f.status["0"].Get()
	said := map[string]int64{"judged": now.Account.Judged, "sent": now.Sinks[0].Sent}
	for i := range now.Rules {
		said["fired "+now.Rules[i].Rule.Name] = 0
	}
	for line := range want.verdicts {
		var v struct {
			Rule  string
			Fired bool
		}
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatal(err)
		}
		if v.Fired {
			said["fired "+v.Rule]++
		}
	}
	for _, text := range want.alerts {
		var a struct{ State string }
		if err := json.Unmarshal([]byte(text), &a); err != nil {
			t.Fatal(err)
		}
		said["alerts "+a.State]++
	}
	if said["sent"] == 0 || said["judged"] == 0 || now.Newest != now.Frontier || len(now.Streams) != 5 || now.Streams[0].Bytes == 0 {
		t.Errorf("%v, newest %d, judged up to %d, streams %v", said, now.Newest, now.Frontier, now.Streams)
	}
	same := func() {
		t.Helper()
		n := f.status["0"].Get()
		if diff := cmp.Diff(said, counts(&n)); diff != "" {
			t.Errorf("counts (-want +got):\n%s", diff)
		}
	}
	same()

	// More processes than partitions: one waits, and is well.
	for i := 1; i <= 5; i++ {
		f.watch(fmt.Sprint(i))
	}
	deadline := time.Now().Add(patience)
	for idle := 0; idle != 1; time.Sleep(50 * time.Millisecond) {
		idle = 0
		lanes := 0
		for i := range 6 {
			n := f.status[fmt.Sprint(i)].Get()
			if n.Ready && len(n.Lanes) == 0 {
				idle++
			}
			lanes += len(n.Lanes)
		}
		if lanes != 5 {
			idle = 0
		}
		if time.Now().After(deadline) {
			t.Fatalf("of 5 partitions %d are judged, %d processes wait", lanes, idle)
		}
	}
	same()
	for i := 1; i <= 5; i++ {
		f.stop(fmt.Sprint(i))
	}
	stands(5)
	same()
	if n := f.status["0"].Get(); n.Checkpoints <= now.Checkpoints || n.Bytes() < now.Bytes() {
		t.Errorf("%d checkpoints after %d, %d bytes after %d", n.Checkpoints, now.Checkpoints, n.Bytes(), now.Bytes())
	}
}
