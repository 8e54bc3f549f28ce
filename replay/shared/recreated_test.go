package shared

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/ingest/kafka"
	"github.com/loopgauge/loopgauge/ingest/kafka/kafkatest"
	"github.com/loopgauge/loopgauge/window"
)

// TestRecreated: a log that is deleted and created again, with fewer partitions,
// is judged from its first record, whether extract runs meanwhile or not. All of
// it was taken for what had come before, a record of a partition that was there
// no more ended every watch, those partitions held the others back, and two
// requests had one number.
func TestRecreated(t *testing.T) {
	b := kafkatest.Start(t)
	test := func(name string, stopped bool, gap time.Duration) {
		t.Run(name, func(t *testing.T) {
			f := newFleet(t, b, testPolicy(t, callRule))
			f.raw.Start = kafka.Start{}
			said := &spoken{}
			f.log = slog.New(slog.NewTextHandler(said, nil))
			await := func(what string, there func() bool) {
				t.Helper()
				for deadline := time.Now().Add(patience); !there(); time.Sleep(20 * time.Millisecond) {
					select {
					case err := <-f.errors:
						t.Fatal(err)
					default:
					}
					if time.Now().After(deadline) {
						t.Fatalf("%s did not come", what)
					}
				}
			}
			write := func(partitions int, seconds ...int) {
				for p := range partitions {
					for _, s := range seconds {
						b.Produce(t, f.raw.Topic, int32(p), fmt.Sprintf(`{"time":%d,"session":"s"}`, 1_800_000_000+s))
					}
				}
			}
			extracting := 0
			extract := func() {
				f.extract("extract", time.Hour)
				extracting += rawPartitions
				await("extract", func() bool { return len(said.lines("msg=extracting")) >= extracting })
			}
			judged := func(n int64) func() bool {
				return func() bool { return f.status["watch"].Get().Account.Judged == n }
			}
			write(rawPartitions, -3, -2, -1)
			extract()
			f.watch("watch")
			write(rawPartitions, 0, 100)
			await("the first requests", judged(rawPartitions))

			if stopped {
				f.stop("extract")
			}
			b.DeleteTopic(t, f.raw.Topic)
			time.Sleep(gap)
			b.CreateTopic(t, f.raw.Topic, 2)
			if stopped {
				extracting += 2 - rawPartitions
				extract()
			}
			write(2, 200, 210, 220, 230, 300)
			await("all but the last", judged(2*rawPartitions+2*4))
			codec, places := newCodec(window.NewPlan(f.policy.Rules, f.policy.Exclude), window.ExtractOptions{}, f.policy.Lateness), map[int64]place{}
			for _, written := range b.Records(t, f.to.Topic) {
				r, err := codec.read(written.Value)
				if err != nil {
					t.Fatal(err)
				}
				if r.event == nil {
					continue
				}
				n := r.event.Portion.Number
				if at, ok := places[n]; ok && at != r.at {
					t.Fatalf("%d is the number of %v and of %v", n, at, r.at)
				}
				places[n] = r.at
			}
		})
	}
	test("at once", false, 0)
	test("later", false, 5*time.Second)
	test("stopped", true, 0)
}

// TestGonePartition: a partition that its topic does not have any more holds
// nothing back, be it that the last mark before said so: others may have begun with
// the new topic by then.
func TestGonePartition(t *testing.T) {
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "less"), kfake.SeedTopics(2, "t"))
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Close()
	topic := kafka.Config{Brokers: cluster.ListenAddrs(), Topic: "less", Start: kafka.Start{Earliest: true}}
	less, err := kafka.OpenShare(t.Context(), topic)
	if err != nil {
		t.Fatal(err)
	}
	defer less.Close() //nolint:errcheck // it has nothing to write
	topic.Topic, topic.Group = "t", "g"
	more, err := kafka.OpenShare(t.Context(), topic)
	if err != nil {
		t.Fatal(err)
	}
	defer more.Close() //nolint:errcheck // likewise
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	codec := newCodec(testPlan(t, rules), window.ExtractOptions{}, 0)
	err = more.Run(ctx, nil, func(ctx context.Context, p *kafka.Part) error {
		if p.Index != 1 {
			<-ctx.Done()
			return nil
		}
		defer cancel()
		s := &origin{x: &extract{in: more, o: ExtractOptions{Idle: time.Hour}}, p: p, codec: codec, front: window.NewFront(0)}
		idle := func() bool {
			s.written, s.marked = make([][]kafka.Message, 1), time.Time{}
			s.addMarks(&ingest.Mark{})
			if len(s.written[0]) == 0 {
				return false
			}
			r, err := codec.read(s.written[0][0].Value)
			return err == nil && r.idle
		}
		if idle() {
			t.Error("it is idle at once")
		}
		s.x.in = less
		if !idle() {
			t.Error("it holds others back")
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestPlaces: what stands before the newest place of an origin is a repeat only
// in the same topic; partitions that the next one lacks hold nothing back.
func TestPlaces(t *testing.T) {
	plan := testPlan(t, rules)
	j := newCountingJudge(plan)
	start := events(plan, 1)[0].Time
	add := func(origin, origins int, second int64, at place, want int) {
		t.Helper()
		r := &record{origin: origin, origins: origins, targets: 1, newest: start + second*1e6, at: at}
		if at.item >= 0 {
			ev := events(plan, 1)[0]
			ev.Time, ev.ID = r.newest, fmt.Sprint(second)
			ev.Position = fingerprint.Position{Stream: int32(origin), Offset: at.offset}
			r.event = &ev
		}
		j.see(t, r)
		if j.judged != want {
			t.Errorf("%d are judged with %v of %d, want %d", j.judged, at, origin, want)
		}
	}
	add(0, 2, 0, place{7, 500, 0}, 0)
	add(1, 2, 0, place{7, 500, 0}, 0)
	add(0, 2, 10, place{7, 501, 0}, 0)
	add(0, 2, 11, place{7, 500, 0}, 0) // a repeat
	add(1, 2, 10, place{7, 501, -1}, 2)
	add(0, 1, 20, place{5, 0, -1}, 3)
	add(0, 1, 30, place{5, 0, 0}, 3)
	add(0, 1, 40, place{5, 1, 0}, 4)
	add(0, 1, 50, place{5, 1, 0}, 4) // a repeat
}
