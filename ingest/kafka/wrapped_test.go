package kafka

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/ingest/formats"
)

// TestWrapped: a record that holds a wrapped line is that line, its times are of
// the zone asked for, and its format may be named without what is around it. All
// of it is the same for a topic that is followed and for one that is read to its
// end.
func TestWrapped(t *testing.T) {
	const text = `10.0.0.1:4711 [21/Nov/2026:10:00:00.123] fe be/srv 0/0/1/20/21 200 512 - - ---- 1/1/0/0/0 0/0 "POST /v1/chat/completions HTTP/1.1"`
	cri := func(tag, text string) string { return "2026-11-21T03:51:29.8Z stdout " + tag + " " + text }
	warsaw, err := time.LoadLocation("Europe/Warsaw")
	must(t, err)
	f := func(format, want string, values ...string) {
		t.Helper()
		synctest.Test(t, func(t *testing.T) {
			f := newFake(t, 1)
			f.produce(t, values...)
			config := f.config()
			config.Format, config.Zone = formats.ByName(format), warsaw
			feed, err := Open(t.Context(), config, nil)
			must(t, err)
			live := seeing{rd: ingest.NewReader(0)}
			for l := accept(t, feed); live.records < len(values); {
				chunk, err := l.Next(t.Context())
				must(t, err)
				if chunk.Block != nil {
					live.add(chunk.Block)
				}
			}
			_ = feed.Close()
			if got := live.String(); got != want {
				t.Errorf("followed: %q, want %q", got, want)
			}

			streams, err := Streams(t.Context(), config, time.Time{}, 0)
			must(t, err)
			ended := seeing{rd: ingest.NewReader(0)}
			for b, err := streams[0].Next(); err == nil; b, err = streams[0].Next() {
				ended.add(b)
			}
			streams[0].Close()
			if got := ended.String(); got != want {
				t.Errorf("to its end: %q, want %q", got, want)
			}
		})
	}
	f("", "haproxy at 09:00:00; haproxy at 09:00:00", text, text)
	f("haproxy", "cri+haproxy at 09:00:00; cri+haproxy at 09:00:00", cri("F", text), cri("F", text))
	f("", "vector+haproxy at 09:00:00", fmt.Sprintf(`{"file":"/var/log/gw.log","host":"h","message":%q,"source_type":"file","timestamp":"2026-11-21T03:51:29Z"}`, text))
	f("cri+haproxy", "0: a part of a line whose other parts came as other records of the topic: let the shipper join them; 1: expected [time] like 21/Nov/2026:10:00:00.000; cri+haproxy at 09:00:00",
		cri("P", text[:50]), cri("F", text[50:]), cri("F", text))
}

// seeing is what blocks were read as.
type seeing struct {
	rd      *ingest.Reader
	records int
	got     []string
}

func (s *seeing) add(b *ingest.Block) {
	s.records += len(b.Records)
	s.rd.Read(b, func(r *fingerprint.Request) {
		s.got = append(s.got, b.Format.Name+" at "+time.UnixMicro(r.Time).UTC().Format(time.TimeOnly))
	}, func(skip ingest.Skip) { s.got = append(s.got, fmt.Sprintf("%d: %s", skip.Line, skip.Why)) })
	b.Release()
}

func (s *seeing) String() string { return strings.Join(s.got, "; ") }
