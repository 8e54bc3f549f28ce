package shared

import (
	"context"
	"encoding/base64"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/ingest/formats"
	"github.com/loopgauge/loopgauge/ingest/kafka"
	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/window"
)

// TestExtractState: what is committed for an origin is gone on from, also where it
// does not say yet which leader took the last record.
func TestExtractState(t *testing.T) {
	want := ingest.Mark{Topic: "0123", Format: "loopgauge", Leader: 7}
	before := &origin{mark: want, epoch: 5, count: 9, front: window.NewFront(0)}
	state := textOf(before.code)
	load := func(state string) *origin {
		s := &origin{front: window.NewFront(0)}
		if err := fromText(state, s.code); err != nil {
			t.Fatal(err)
		}
		return s
	}
	if s := load(state); s.mark != want || s.epoch != 5 || s.count != 9 {
		t.Errorf("%+v, epoch %d, count %d", s.mark, s.epoch, s.count)
	}
	data, err := base64.StdEncoding.DecodeString(state)
	if err != nil {
		t.Fatal(err)
	}
	want.Leader = 0
	if s := load(base64.StdEncoding.EncodeToString(data[:len(data)-1])); s.mark != want {
		t.Errorf("without the leader: %+v", s.mark)
	}
}

// TestExtractLong: a request whose event no broker takes is malformed, and those
// beside it are written. Extract ended at it, each time that it was started again.
func TestExtractLong(t *testing.T) {
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "t"))
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Close()
	topic := kafka.Config{Brokers: cluster.ListenAddrs(), Topic: "t", Group: "g", Start: kafka.Start{Earliest: true}, SessionTimeout: session, Heartbeat: 200 * time.Millisecond}
	share, err := kafka.OpenShare(t.Context(), topic)
	if err != nil {
		t.Fatal(err)
	}
	defer share.Close() //nolint:errcheck // it has nothing to write
	out, err := kafka.OpenOut(t.Context(), topic, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	plan := testPlan(t, callRule)
	block := ingest.NewBlock()
	block.Format = formats.ByName("loopgauge")
	for i, calls := range []int{1, 1 << 16, 1} {
		block.Data = append(block.Data, `{"time":1800000000,"session":"s","tool_calls":[{"name":"f"}`...)
		for k := range calls - 1 {
			block.Data = fmt.Appendf(block.Data, `,{"name":"f%d"}`, k)
		}
		block.Data = append(block.Data, "]}"...)
		block.Records = append(block.Records, ingest.Record{Offset: int64(i), End: len(block.Data)})
	}
	turn(t, topic, func(ctx context.Context, p *kafka.Part) {
		s := &origin{
			x: &extract{in: share, o: ExtractOptions{Plan: plan, Log: slog.New(slog.DiscardHandler)}}, p: p,
			codec: newCodec(plan, window.ExtractOptions{}, 0), front: window.NewFront(0), written: make([][]kafka.Message, 1),
		}
		batch := replay.NewParser(plan, window.ExtractOptions{}, nil)(block)
		s.front.Open(batch.First())
		sum := s.add(batch)
		if sum.Lines != 3 || sum.Judged != 2 || sum.Malformed != 1 || sum.Records != 2 || s.skip.Line != 1 {
			t.Errorf("%+v; not judged %+v", sum, s.skip)
		}
		if _, err := out.Write(ctx, s.written); err != nil {
			t.Error(err)
		}
	})
}
