package live

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/sinks"
	"github.com/loopgauge/loopgauge/window"
)

// looping is so many equal requests, a second apart.
func looping(n int) (records []string) {
	for i := range n {
		records = append(records, fmt.Sprintf(`{"time":%d,"id":"%d","model":"m","caller":"c","messages":[{"role":"user","content":"go"}]}`, 1_800_000_000+i, i))
	}
	return records
}

// lost is a feed that takes its first commit alone.
type lost struct {
	feed
	status *Status
	taken  int64 // checkpoints that there were at the first commit
	failed int64 // and when one failed
}

func (f *lost) Commit(context.Context, []ingest.Mark) error {
	n := f.status.Get().Checkpoints
	if f.taken == 0 {
		f.taken = n
		return nil
	}
	f.failed = n
	return errKilled
}

// TestLostSource: a watch whose source takes no more commits writes and sends
// nothing from then on: what it read may be somebody else's.
func TestLostSource(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		sink := &counter{}
		f := &lost{feed: feed{partitions: [][]string{looping(12)}}, status: &Status{}}
		now, err := tryFor(t, filepath.Join(dir, "state"), time.Hour, "aisg", Options{
			Feed: func(context.Context, []ingest.Mark) (ingest.Feed, error) { return f, nil },
			Job:  Job{Lateness: time.Second, Sinks: []sinks.Sink{sink}}, Idle: 10 * time.Millisecond, Status: f.status,
		})
		if !errors.Is(err, errKilled) {
			t.Fatalf("ended with %v", err)
		}
		if f.taken == 0 || now.Checkpoints != f.failed || len(sink.got) > 0 {
			t.Errorf("%d checkpoints, %d when a commit failed; sent %q", now.Checkpoints, f.failed, sink.got)
		}
	})
}

// TestCheck: what does not add up is in no checkpoint.
func TestCheck(t *testing.T) {
	w := bare(t)
	w.Pipeline.Account.Lines++
	if err := w.checkpoint(false); err == nil {
		t.Error("it is written down")
	}
}

// slowTopic takes a second for what was added.
type slowTopic struct{ added, taken atomic.Int64 }

func (s *slowTopic) Add(*window.Verdict) { s.added.Add(1) }
func (s *slowTopic) Dropped() int64      { return 0 }

func (s *slowTopic) Settle(ctx context.Context) {
	for s.taken.Load() < s.added.Load() && ctx.Err() == nil {
		time.Sleep(time.Millisecond)
	}
}

func (s *slowTopic) Run(ctx context.Context) {
	for ctx.Err() == nil {
		n := s.added.Load()
		time.Sleep(time.Second)
		s.taken.Store(n)
	}
}

// settled is a feed that notes what a topic had not taken when it was told of a
// checkpoint.
type settled struct {
	feed
	topic *slowTopic
	open  []int64
}

func (f *settled) Commit(context.Context, []ingest.Mark) error {
	f.open = append(f.open, f.topic.added.Load()-f.topic.taken.Load())
	return nil
}

// TestVerdictsBeforeCheckpoint: verdicts are in their topic before a checkpoint
// says that they need not be made again.
func TestVerdictsBeforeCheckpoint(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		topic := &slowTopic{}
		f := &settled{feed: feed{partitions: [][]string{looping(12)}}, topic: topic}
		runFor(t, filepath.Join(dir, "state"), time.Minute, "aisg", Options{
			Feed: func(context.Context, []ingest.Mark) (ingest.Feed, error) { return f, nil },
			Job:  Job{Lateness: time.Second, Interval: 100 * time.Millisecond, Topic: topic}, Idle: 10 * time.Millisecond,
		})
		for _, open := range f.open {
			if open > 0 {
				t.Errorf("verdicts that a checkpoint did not wait for: %d", f.open)
				break
			}
		}
		if topic.added.Load() == 0 || len(f.open) < 2 {
			t.Errorf("%d verdicts, %d checkpoints", topic.added.Load(), len(f.open))
		}
	})
}
