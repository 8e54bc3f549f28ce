package live

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/ingest/formats"
	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/sinks"
	"github.com/loopgauge/loopgauge/window"
	"github.com/loopgauge/loopgauge/window/policy"
)

// topic is partitions of records, as a feed serves them.
type topic struct {
	partitions [][]string // values
	late       int        // partitions that appear after the others
}

var errKilled = errors.New("killed")

// feed serves a topic from marks on. It fails its commits after so many, which
// is how a process dies here: nothing of what it has in memory is written.
type feed struct {
	*topic
	t        *rapid.T
	random   *rand.Rand
	marks    []ingest.Mark
	commits  int // until it fails; negative is never
	served   chan struct{}
	mu       sync.Mutex
	accepted int
	atEnd    map[int32]bool
}

func (f *feed) Accept(ctx context.Context) ([]ingest.Live, error) {
	f.accepted++
	from, to := 0, len(f.partitions)-f.late
	switch f.accepted {
	case 1:
		for _, m := range f.marks { // a partition that was there before is there again
			to = max(to, int(m.Stream)+1)
		}
	case 2:
		from, to = len(f.partitions)-f.late, len(f.partitions)
		for _, m := range f.marks {
			from = max(from, int(m.Stream)+1)
		}
		if from >= to {
			<-ctx.Done()
			return nil, ctx.Err()
		}
	default:
		<-ctx.Done()
		return nil, ctx.Err()
	}
	var streams []ingest.Live
	for i := from; i < to; i++ {
		m := ingest.Mark{Stream: int32(i), Name: fmt.Sprintf("topic/%d", i)}
		for _, have := range f.marks {
			if have.Stream == m.Stream {
				m = have
			}
		}
		streams = append(streams, &partition{f, m, rand.New(rand.NewPCG(f.random.Uint64(), 1))})
	}
	return streams, nil
}

func (f *feed) Commit(context.Context, []ingest.Mark) error {
	if f.commits == 0 {
		return errKilled
	}
	f.commits--
	return nil
}

func (f *feed) Close() error { return nil }

type partition struct {
	f      *feed
	mark   ingest.Mark
	random *rand.Rand
}

func (p *partition) Name() string      { return p.mark.Name }
func (p *partition) Mark() ingest.Mark { return p.mark }

func (p *partition) Next(ctx context.Context) (ingest.Chunk, error) {
	if err := ctx.Err(); err != nil {
		return ingest.Chunk{}, err
	}
	values := p.f.partitions[p.mark.Stream][p.mark.Offset:]
	if len(values) == 0 {
		p.f.reachedEnd(p.mark.Stream)
		select {
		case <-ctx.Done():
			return ingest.Chunk{}, ctx.Err()
		case <-time.After(time.Millisecond):
		}
		return ingest.Chunk{Mark: p.mark, AtEnd: true}, nil
	}
	time.Sleep(time.Duration(p.random.IntN(200)) * time.Microsecond)
	b := &ingest.Block{Stream: p.mark.Stream, Format: formats.ByName("loopgauge")}
	for _, v := range values[:1+p.random.IntN(min(len(values), 20))] {
		b.Data = append(b.Data, v...)
		b.Records = append(b.Records, ingest.Record{Offset: p.mark.Offset, End: len(b.Data)})
		p.mark.Offset++
	}
	p.mark.Format = "loopgauge"
	return ingest.Chunk{Block: b, Mark: p.mark}, nil
}

func (f *feed) reachedEnd(stream int32) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.atEnd[stream] = true
	if len(f.atEnd) == len(f.partitions) && f.served != nil {
		close(f.served)
		f.served = nil
	}
}

// memory is a dataset that is never written.
type memory struct {
	mu    sync.Mutex
	parts map[string]*part
}

type part struct {
	m      *memory
	name   string
	seq    int64
	Rows   []string
	Report Report
}

func (m *memory) Part(name string, first int64) (Part, error) {
	return &part{m: m, name: name, seq: first}, nil
}

func (m *memory) Discard(name string) error {
	maps.DeleteFunc(m.parts, func(have string, _ *part) bool { return have >= name })
	return nil
}

func (p *part) AddEvent(ev *window.Event) error {
	p.Rows = append(p.Rows, row(p.seq, ev))
	p.seq++
	return nil
}

func (p *part) AddEpisode(e *window.Episode) error {
	p.Rows = append(p.Rows, episodeRow(e))
	return nil
}

func (p *part) Close(r Report) error {
	p.Report = r
	p.m.parts[p.name] = p
	return nil
}

func (p *part) Abort() {}

func row(seq int64, ev *window.Event) string {
	c := *ev
	return fmt.Sprintf("event %d %+v", seq, c)
}

func episodeRow(e *window.Episode) string {
	c := *e
	c.Rule = nil
	return fmt.Sprintf("episode %s %+v", e.Rule.Name, c)
}

// recorder is a sink that fails now and then.
type recorder struct {
	mu     sync.Mutex
	got    map[string]string // by id and revision
	differ []string
	n      int
	random *rand.Rand
}

func (r *recorder) Name() string { return "recorder" }

func (r *recorder) Send(_ context.Context, a *sinks.Alert) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.random.IntN(8) == 0 {
		return errors.New("not now")
	}
	r.n++
	key, text := fmt.Sprintf("%s %d", a.ID, a.Revision), string(a.Marshal())
	if before, ok := r.got[key]; ok && before != text {
		r.differ = append(r.differ, before+"\n"+text)
	}
	r.got[key] = text
	return nil
}
