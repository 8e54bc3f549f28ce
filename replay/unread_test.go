package replay

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/window"
	"github.com/loopgauge/loopgauge/window/policy"
)

// manyLines are of several blocks; some hold no request, and some are longer than
// longestLine.
func manyLines(lines int) string {
	var log strings.Builder
	for i := range lines {
		switch {
		case i%1000 == 777:
			log.WriteString("nonsense\n")
		case i%1500 == 1400:
			fmt.Fprintf(&log, `{"time":%d,"id":"long","session":%q}`+"\n", i, strings.Repeat("x", longestLine))
		default:
			fmt.Fprintf(&log, `{"time":%d,"id":"r%d","session":"s%d","model":%q}`+"\n", i, i, i%50, strings.Repeat("m", 400+i%100))
		}
	}
	return log.String()
}

const longestLine = 2 << 20

func opened(t *testing.T, arg string, stdin io.Reader) ingest.Stream {
	t.Helper()
	sources, err := ingest.Find([]string{arg}, stdin)
	if err != nil {
		t.Fatal(err)
	}
	streams, failed := ingest.OpenAll(sources, 0, ingest.Options{MaxLine: longestLine})
	if len(failed) > 0 {
		t.Fatal(failed)
	}
	return streams[0]
}

// readLog runs no rule over a source.
func readLog(t *testing.T, arg string, stdin io.Reader, event func(*window.Event) error, skip func(ingest.Skip)) *Result {
	t.Helper()
	result, err := Run(t.Context(), Options{
		Streams:         []ingest.Stream{opened(t, arg, stdin)},
		PipelineOptions: PipelineOptions{Plan: &window.Plan{}, Lateness: policy.DefaultLateness, Since: fingerprint.NoTime, Until: fingerprint.NoTime, Event: event, Skip: skip},
	})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// TestLinesOfManyBlocks: where nobody counts lines before they are read they have
// the numbers that they have where somebody does.
func TestLinesOfManyBlocks(t *testing.T) {
	text := manyLines(20_000)
	path := filepath.Join(t.TempDir(), "access.jsonl")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	lines := func(arg string, stdin io.Reader) []string {
		var read, skipped []string
		readLog(t, arg, stdin, func(ev *window.Event) error {
			read = append(read, fmt.Sprintf("%s in line %d at %d", ev.ID, ev.Position.Line, ev.Position.Offset))
			return nil
		}, func(s ingest.Skip) { skipped = append(skipped, fmt.Sprintf("line %d: %s", s.Line, s.Why)) })
		return append(skipped, read...)
	}
	counted, got := lines("-", strings.NewReader(text)), lines(path, nil)
	if diff := cmp.Diff(counted, got); diff != "" {
		t.Error(diff)
	}
	if last := got[len(got)-1]; !strings.HasPrefix(last, "r19999 in line 20000 at ") {
		t.Errorf("the last is %s", last)
	}
}

// TestCutWhileRead: of a file that is cut while it is read, what there is of it is
// judged, and the result says that it is not all.
func TestCutWhileRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "access.jsonl")
	if err := os.WriteFile(path, []byte(strings.Repeat(manyLines(700), 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	cut := false
	result := readLog(t, path, nil, func(ev *window.Event) error {
		at := ev.Position
		if line := int64(bytes.Count(text[:at.Offset], []byte{'\n'})) + 1; at.Line%500 == 0 && line != at.Line {
			t.Errorf("line %d at %d, want %d", at.Line, at.Offset, line)
		}
		if cut {
			return nil
		}
		cut = true
		return os.Truncate(path, 1<<20)
	}, nil)
	err = result.Streams[0].Err
	if a := result.Account; err == nil || !strings.HasPrefix(err.Error(), path+": the file was cut while it was read") || a.Judged == 0 || a.Lines >= 70_000 {
		t.Errorf("%d judged of %d lines, and %v", a.Judged, a.Lines, err)
	}
}

// TestGap: what stands behind a block that could not be read is not given, as
// nobody knows how many lines are missing; why it could not is the stream's error.
func TestGap(t *testing.T) {
	path := filepath.Join(t.TempDir(), "access.jsonl")
	for why, spoil := range map[string]func(s ingest.Stream) error{
		"file already closed":                func(s ingest.Stream) error { s.Close(); return nil },
		"the file was cut while it was read": func(ingest.Stream) error { return os.Truncate(path, 100) },
	} {
		if err := os.WriteFile(path, []byte(manyLines(10_000)), 0o600); err != nil {
			t.Fatal(err)
		}
		missing := unfetched(t, path, spoil)
		l := &lane[int]{items: make(chan laneItem[int], 4)}
		for i := range 3 {
			done := make(chan int, 1)
			if i == 1 {
				close(done)
			} else {
				done <- i
			}
			l.items <- laneItem[int]{block: missing, done: done}
		}
		l.items <- laneItem[int]{err: io.EOF}
		if n, err := l.next(t.Context()); n != 0 || err != nil {
			t.Errorf("first %d, %v", n, err)
		}
		if n, err := l.next(t.Context()); err == nil || !strings.HasPrefix(err.Error(), path+": "+why) {
			t.Errorf("then %d, %v, want %s", n, err, why)
		}
	}
}

// unfetched is the first block of a file, which is spoilt before its text is read.
func unfetched(t *testing.T, path string, spoil func(ingest.Stream) error) *ingest.Block {
	t.Helper()
	s := opened(t, path, nil)
	t.Cleanup(s.Close)
	ingest.Unread(s)
	b, err := s.Next()
	if err != nil {
		t.Fatal(err)
	}
	if err := spoil(s); err != nil {
		t.Fatal(err)
	}
	if b.Fetch() {
		t.Fatal("what was not there was read")
	}
	return b
}
