package shared

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/ingest/kafka"
)

// TestNewLeader: a broker that has just become the leader of the checkpoints may
// give out nothing at first. It was said that the checkpoint is gone, and watch
// ended for good.
func TestNewLeader(t *testing.T) {
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "t", "t-checkpoints"))
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Close()
	topic := kafka.Config{Brokers: cluster.ListenAddrs(), Topic: "t", Group: "g", Start: kafka.Start{Earliest: true}, SessionTimeout: session, Heartbeat: 200 * time.Millisecond}
	out, err := openCheckpoints(t.Context(), topic, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	turn(t, topic, func(ctx context.Context, p *kafka.Part) {
		c := &checkpoints{out: out, group: "g", p: p}
		if err := c.write(ctx, []byte("state"), &ingest.Mark{Offset: 1, Topic: "topic"}); err != nil {
			t.Fatal(err)
		}
	})
	turn(t, topic, func(ctx context.Context, p *kafka.Part) {
		var fetches atomic.Int32
		cluster.ControlKey(int16(kmsg.Fetch), func(r kmsg.Request) (kmsg.Response, error, bool) {
			cluster.KeepControl()
			if fetches.Add(1) > 2 {
				return nil, nil, false
			}
			answer := r.ResponseKind().(*kmsg.FetchResponse)
			for _, asked := range r.(*kmsg.FetchRequest).Topics {
				topic, partition := kmsg.NewFetchResponseTopic(), kmsg.NewFetchResponseTopicPartition()
				topic.Topic, topic.TopicID = asked.Topic, asked.TopicID
				topic.Partitions = append(topic.Partitions, partition)
				answer.Topics = append(answer.Topics, topic)
			}
			return answer, nil, true
		})
		state, err := (&checkpoints{out: out, group: "g", p: p}).load(ctx)
		if string(state) != "state" || err != nil {
			t.Errorf("%q, %v", state, err)
		}
	})
}
