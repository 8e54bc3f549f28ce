package ingest

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/loopgauge/loopgauge/ingest/otlp/otlptest"
)

// TestFollowExports: a file that grows export by export is followed, also when an
// export is not written whole, by another process, and when it is rotated.
func TestFollowExports(t *testing.T) {
	look := func() { time.Sleep(2 * lookSeldom) }
	f := func(how string, o Options, part int, export func(id string) string, want, lost string) {
		t.Helper()
		follow(t, how, []string{""}, o, func(s *site) {
			a, b, d := export("a"), export("b"), export("d")
			s.add("spans.bin", a+b[:part])
			s.c.begin(nil)
			look()
			s.add("spans.bin", b[part:])
			look()
			s.c.save()
			s.add("spans.bin", export("c"))
			look()
			s.c.kill() // what it saw of c is forgotten
			s.add("spans.bin", d[:2])
			s.c.restart()
			time.Sleep(2 * quiet)
			s.rename("spans.bin", "spans-2026-11-21T10-00-00.000.bin")
			s.add("spans-2026-11-21T10-00-00.000.bin", d[2:])
			s.add("spans.bin", export("e"))
			look()
			bySpan(s.c)
		}, want, lost)
	}
	plain := func(id string) string {
		return string(framedExports(otlptest.FromJSON(t, spans("000000000000000"+id, 5000)))) // longer than what tells files apart
	}
	packed := func(id string) string {
		return string(framedExports(zst(t, spans("000000000000000"+id, 5000))))
	}
	const told = "spans.bin: the last export is cut; read up to byte 16179"
	f("protobuf", Options{}, 100, plain, "0: a b c d (otel); 1: e (otel)", told)
	f("JSON, each export as zstd", Options{}, 100, packed, "0: a b c d (otel); 1: e (otel)", "spans.bin: the compressed data ends early; read up to byte 16179")
	f("a length alone", Options{}, 4, packed, "0: a b c d (otel); 1: e (otel)", "spans.bin: the compressed data ends early; read up to byte 16179")
	f("the latest alone", Options{Latest: true}, 100, plain, "0: b c d (otel); 1: e (otel)", told)
	follow(t, "one export alone, copied slowly", []string{""}, Options{}, func(s *site) {
		data := string(otlptest.FromJSON(t, spans("000000000000000a", 5000)))
		s.add("spans.bin", data[:3000])
		s.c.begin(nil)
		look()
		s.add("spans.bin", data[3000:])
		look()
		bySpan(s.c)
	}, "0: a (otel)", "")
	follow(t, "rotated with half an export", []string{""}, Options{}, func(s *site) {
		s.add("spans.bin", plain("a")+plain("b")[:100])
		s.c.begin(nil)
		look()
		s.rename("spans.bin", "spans-2026-11-21T10-00-00.000.bin")
		time.Sleep(5 * quiet)
		bySpan(s.c)
	}, "0: a (otel)", "spans.bin: the last export is cut; read up to byte 5393")
	for how, while := range map[string]func(s *site, do func()){
		"begun anew": func(_ *site, do func()) { do() },
		"begun anew while nothing ran": func(s *site, do func()) {
			s.down()
			do()
			s.c.restart()
		},
	} {
		follow(t, how, []string{""}, Options{}, func(s *site) { // by a Collector that was restarted
			same := func(id string) string { // up to behind what tells files apart
				line := bytes.Replace(spans("000000000000000"+id, 1), []byte(`"resource":{}`), fmt.Appendf(nil, `"resource":{"attributes":[{"key":"k","value":{"stringValue":"%s"}}]}`, strings.Repeat("x", 3000)), 1)
				return string(framedExports(otlptest.FromJSON(t, line)))
			}
			s.add("spans.bin", same("a")+same("b"))
			s.c.begin(nil)
			look()
			while(s, func() { s.put("spans.bin", same("c")) })
			look()
			look()
			bySpan(s.c)
		}, "0: a b (otel); 1: c (otel)", "spans.bin: truncated, and no copy lies beside it: what it got behind byte 6894 is lost, if that was anything")
	}
}

// bySpan names what was seen by the ends of the spans' ids.
func bySpan(c *consumer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, lines := range c.seen.lines {
		for i, line := range lines {
			_, id, _ := strings.Cut(line, `"spanId":"000000000000000`)
			lines[i] = fmt.Sprintf(`{"time":1,"id":"%.1s"}`, id)
		}
	}
}
