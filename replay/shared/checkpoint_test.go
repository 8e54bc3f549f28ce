package shared

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/ingest/kafka"
	"github.com/loopgauge/loopgauge/ingest/kafka/kafkatest"
	"github.com/loopgauge/loopgauge/replay/live"
	"github.com/loopgauge/loopgauge/sinks"
	"github.com/loopgauge/loopgauge/window"
)

// turn calls do with the topic's only partition, once it is ours.
func turn(t *testing.T, topic kafka.Config, do func(context.Context, *kafka.Part)) {
	t.Helper()
	s, err := kafka.OpenShare(t.Context(), topic)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close() //nolint:errcheck // it has nothing to write
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	done := false
	err = s.Run(ctx, nil, func(ctx context.Context, p *kafka.Part) error {
		if !done {
			done = true
			do(ctx, p)
		}
		cancel()
		return nil
	})
	if err != nil || !done {
		t.Fatal(err, done)
	}
}

// TestCheckpoints: what was committed last is what is read, however long it is,
// and a process that has lost the partition can neither commit nor spoil it.
func TestCheckpoints(t *testing.T) {
	b := kafkatest.Start(t)
	topic := kafka.Config{Brokers: []string{b.Address}, Topic: b.Topic(t, 1), Start: kafka.Start{Earliest: true}, SessionTimeout: session, Heartbeat: 200 * time.Millisecond}
	topic.Group = topic.Topic
	out, err := openCheckpoints(t.Context(), topic, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	random := rand.New(rand.NewPCG(1, 1))
	made := func(size int) []byte {
		b := make([]byte, size)
		for i := range b {
			b[i] = byte(random.Uint32())
		}
		return b
	}
	of := func(p *kafka.Part) *checkpoints { return &checkpoints{out: out, group: topic.Group, p: p} }
	write := func(ctx context.Context, c *checkpoints, state []byte, offset int64) {
		t.Helper()
		if err := c.write(ctx, state, &ingest.Mark{Offset: offset, Topic: "topic"}); err != nil {
			t.Fatal(err)
		}
	}
	reads := func(ctx context.Context, c *checkpoints, want []byte, offset int64) {
		t.Helper()
		got, err := c.load(ctx)
		if err != nil || !bytes.Equal(got, want) || c.p.Offset != offset {
			t.Fatalf("%d bytes at %d, %v; want %d at %d", len(got), c.p.Offset, err, len(want), offset)
		}
	}

	var zombie *checkpoints
	last := made(3*chunkBytes + 17)
	turn(t, topic, func(ctx context.Context, p *kafka.Part) {
		zombie = of(p)
		reads(ctx, zombie, nil, -1)
		write(ctx, zombie, made(5*chunkBytes), 1)
		write(ctx, zombie, nil, 2)
		write(ctx, zombie, last, 3)
	})
	next := made(10)
	turn(t, topic, func(ctx context.Context, p *kafka.Part) {
		c := of(p)
		reads(ctx, c, last, 3)
		write(ctx, c, next, 4)
		if err := zombie.write(ctx, made(2*chunkBytes), &ingest.Mark{Offset: 9, Topic: "topic"}); !isLost(err) {
			t.Errorf("a process that has lost the partition: %v", err)
		}
	})
	turn(t, topic, func(ctx context.Context, p *kafka.Part) {
		c := of(p)
		reads(ctx, c, next, 4)
		if err := p.Commit(ctx, 5, "something else"); err != nil {
			t.Fatal(err)
		}
	})
	turn(t, topic, func(ctx context.Context, p *kafka.Part) {
		if _, err := of(p).load(ctx); err == nil || !strings.Contains(err.Error(), "not from watch") {
			t.Errorf("a commit of another program: %v", err)
		}
	})
	turn(t, topic, func(ctx context.Context, p *kafka.Part) { write(ctx, of(p), []byte("of a program to come"), 6) })
	p := testPolicy(t, rules)
	err = Watch(t.Context(), WatchOptions{From: topic, Status: &Status{}, Job: live.Job{Plan: window.NewPlan(p.Rules, p.Exclude), Lateness: p.Lateness, Interval: time.Second, Log: slog.New(slog.DiscardHandler)}})
	if _, ok := errors.AsType[*sinks.Mismatch](err); !ok || !strings.Contains(err.Error(), "checkpoint") {
		t.Errorf("a checkpoint that cannot be read: %v", err)
	}
}

// TestRefused: a topic of events is known as one, before anything stands in it
// too, and events of other rules are refused with the way out.
func TestRefused(t *testing.T) {
	b := kafkatest.Start(t)
	p := testPolicy(t, rules)
	f := newFleet(t, b, p)
	is := func(topic kafka.Config, want bool) {
		t.Helper()
		if got, err := IsEvents(t.Context(), topic); err != nil || got != want {
			t.Errorf("%s: %t, %v", topic.Topic, got, err)
		}
	}
	is(f.raw, false)
	f.extract("extract", time.Hour)
	for deadline := time.Now().Add(patience); !b.HasTopic(t, f.to.Topic+"-checkpoints"); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("there is no topic of checkpoints")
		}
	}
	is(f.to, true)
	b.Produce(t, f.raw.Topic, 0, made(rand.New(rand.NewPCG(1, 1)), 100)[0]...)
	is(f.raw, false)
	other := testPlan(t, strings.Replace(rules, "scope: [caller]", "scope: [user]", 1))
	err := Watch(t.Context(), WatchOptions{From: f.to, Status: &Status{}, Job: live.Job{Plan: other, Lateness: p.Lateness, Interval: time.Second, Log: f.log}})
	var e *ingest.Error
	if !errors.As(err, &e) || !strings.Contains(err.Error(), "other rules") || !strings.Contains(e.Hint, "new topic") {
		t.Errorf("events of other rules: %v", err)
	}
	raw := f.raw
	raw.Group += "-too"
	if err := Watch(t.Context(), WatchOptions{From: raw, Status: &Status{}, Job: live.Job{Plan: window.NewPlan(p.Rules, p.Exclude), Lateness: p.Lateness, Interval: time.Second, Log: f.log}}); err == nil || !strings.Contains(err.Error(), "did not write") {
		t.Errorf("a raw topic: %v", err)
	}
}
