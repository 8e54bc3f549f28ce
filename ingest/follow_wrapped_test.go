package ingest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fixtures"
	"github.com/loopgauge/loopgauge/ingest/formats"
)

// TestFollowWrapped: a record over several lines counts when it is whole, or
// never will be.
func TestFollowWrapped(t *testing.T) {
	look := func() { time.Sleep(2 * lookSeldom) }
	cri := func(tag, text string) string { return "2026-11-21T03:51:29.8Z stdout " + tag + " " + text + "\n" }
	f := func(name string, o Options, first string, do func(*site), want string) {
		t.Helper()
		follow(t, name, []string{""}, o, func(s *site) {
			s.add("app.log", first)
			s.c.begin(nil)
			look()
			do(s)
			look()
			s.c.mu.Lock()
			defer s.c.mu.Unlock()
			lines := s.c.seen.lines
			for i := range lines { // by how many there are
				lines[i] = []string{strings.Repeat("+", len(lines[i]))}
			}
		}, want, "")
	}
	long := "{\n\"id\":\"a\",\n" + strings.Repeat("\"x\":1,\n", 3*headLines) + "\"y\":\"" + strings.Repeat("y", unknownBytes) + "\",\n"
	f("half a record waits", Options{}, cri("F", record("a"))+cri("P", "{"), func(*site) { time.Sleep(10 * quiet) }, "0: + (cri+loopgauge)")
	f("and its end comes", Options{}, cri("F", record("a"))+cri("P", "{"), func(s *site) {
		time.Sleep(2 * quiet)
		s.add("app.log", cri("F", record("a")[1:]))
	}, "0: +++ (cri+loopgauge)")
	f("but not in a rotated file", Options{}, cri("F", record("a"))+cri("P", "{"), func(s *site) {
		s.rename("app.log", "app.log.1")
		time.Sleep(2 * quiet)
	}, "0: ++ (cri+loopgauge)")
	f("the first is long", Options{}, long, func(s *site) { time.Sleep(2 * quiet); s.add("app.log", "\"time\":1,\"id\":\"a\"}\n") }, "0: "+strings.Repeat("+", 3*headLines+4)+" (json+loopgauge)")
	f("a format by its name", Options{Format: formats.ByName("loopgauge")}, "{\n", func(s *site) { time.Sleep(2 * quiet); s.add("app.log", "\"time\":1,\"id\":\"a\"}\n") }, "0: ++ (json+loopgauge)")
	f("its first line is of something else", Options{Format: formats.ByName("loopgauge")}, cri("F", "started"), func(s *site) { s.add("app.log", cri("F", record("a"))) }, "0: ++ (cri+loopgauge)")
	f("bare lines do not wait", Options{Format: formats.ByName("loopgauge")}, "odd\n", func(*site) {}, "0: +")
	mine := formats.NewCustom(&formats.Custom{Name: "mine", Fields: []formats.CustomField{{Name: "time", Paths: []string{"time"}}}})
	for _, o := range []Options{{Format: formats.ByName("loopgauge")}, {Format: mine}} {
		f("nothing but something else, "+o.Format.Name, o, cri("F", "started"), func(*site) { time.Sleep(2 * quiet) }, "0: +"+map[string]string{"mine": " (mine)"}[o.Format.Name])
	}
	f("the last record without its newline", Options{}, "{\n\"time\":1,\n\"id\":\"a\"}\n{\n\"time\":2,\n\"id\":\"b\"}", func(*site) { time.Sleep(2 * quiet) }, "0: ++++++ (json+loopgauge)")
	f("the only one", Options{}, "{\n\"time\":2,\n\"id\":\"b\"}", func(*site) { time.Sleep(quiet) }, "0: +++ (json+loopgauge)")
	f("no part of one", Options{}, strings.TrimSpace(object("log", record("a"), "stream", "stdout", "time", "t")), func(*site) { time.Sleep(3 * quiet) }, "")
	follow(t, "the latest records alone", []string{""}, Options{Latest: true}, func(s *site) {
		s.add("app.log", cri("F", record("a"))+cri("P", "{"))
		s.c.begin(nil)
		look()
		s.add("app.log", cri("F", record("b")[1:]))
		look()
		s.c.mu.Lock()
		defer s.c.mu.Unlock()
		if n := len(s.c.seen.lines[0]); n != 2 {
			t.Errorf("%d lines, want 2: the record that was begun, and all of it", n)
		}
		s.c.seen.lines = nil
	}, "", "")
}

// TestFollowTooLong: a record over several lines that is too long is given up at
// the same line however it came.
func TestFollowTooLong(t *testing.T) {
	part, last := "2026-11-21T03:51:29.8Z stdout P "+strings.Repeat("x", 40)+"\n", "2026-11-21T03:51:29.8Z stdout F "+record("a")+"\n"
	log := last + strings.Repeat(part, 5) + last + last
	for step := 1; step < len(log); step += 29 {
		follow(t, "", []string{""}, Options{MaxLine: 100}, func(s *site) {
			s.c.begin(nil)
			for rest := log; rest != ""; {
				n := min(step, len(rest))
				s.add("app.log", rest[:n])
				rest = rest[n:]
				time.Sleep(lookOften)
			}
			time.Sleep(3 * lookSeldom)
			s.c.mu.Lock()
			defer s.c.mu.Unlock()
			n := 0
			for _, line := range s.c.seen.lines[0] {
				if line == "too long" {
					n++
				}
			}
			if n != 3 || s.c.seen.marks[0].Line != 8 || s.c.seen.marks[0].Offset != int64(len(log)) {
				t.Errorf("in steps of %d: %d given up, at %+v", step, n, s.c.seen.marks[0])
			}
			s.c.seen.lines = nil
		}, "", "")
	}
}

// TestFollowZone: times without a zone are of the zone asked for.
func TestFollowZone(t *testing.T) {
	dir := t.TempDir()
	line := string(fixtures.Read(t, "formats/haproxy/httplog.log"))
	line = line[:strings.IndexByte(line, '\n')+1]
	warsaw, err := time.LoadLocation("Europe/Warsaw")
	must(t, err)
	at := func(zone *time.Location) (got int64) {
		synctest.Test(t, func(t *testing.T) {
			path := write(t, dir, "app.log", []byte(line))
			feed, err := Follow([]string{path}, Options{Zone: zone}, nil)
			must(t, err)
			list, err := feed.Accept(t.Context())
			must(t, err)
			for got == 0 {
				chunk, err := list[0].Next(t.Context())
				must(t, err)
				if chunk.Block != nil {
					NewReader(0).Read(chunk.Block, func(r *fingerprint.Request) { got = r.Time }, nil)
				}
			}
			must(t, feed.Close())
		})
		return got
	}
	if utc, there := at(nil), at(warsaw); utc-there != time.Hour.Microseconds() && utc-there != 2*time.Hour.Microseconds() {
		t.Errorf("%d in UTC, %d in Warsaw", utc, there)
	}
}

// TestFollowTable: after a restart the columns of a table are known, which stand in its
// first line alone, whatever the format is called; also that of one's own, and not of
// another of its name; also where Docker wrote the table down.
func TestFollowTable(t *testing.T) {
	mine := func(name string) *formats.Format {
		return formats.NewCustom(&formats.Custom{Name: name, Fields: []formats.CustomField{{Name: "time", Paths: []string{"startTime"}}, {Name: "id", Paths: []string{"request_id"}}}})
	}
	for _, named := range []*formats.Format{nil, formats.ByName("litellm-spend"), formats.ByName("table+litellm-spend"), mine("mine"), mine("caddy")} {
		followTable(t, named, func(line string) string { return line + "\n" })
	}
	for _, named := range []*formats.Format{nil, formats.ByName("litellm-spend"), formats.ByName("docker+table+litellm-spend"), mine("mine"), mine("caddy")} {
		followTable(t, named, func(line string) string {
			return `{"log":"` + line + `\n","stream":"stdout","time":"2026-11-21T10:00:00Z"}` + "\n"
		})
	}
}

func followTable(t *testing.T, named *formats.Format, written func(line string) string) {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, "app.csv", []byte(written("startTime,request_id,spend")+written("2026-11-21T10:00:00Z,a,1")))
	path := filepath.Join(dir, "app.csv")
	got := ""
	from := []Mark(nil)
	read := func() {
		synctest.Test(t, func(t *testing.T) {
			feed, err := Follow([]string{path}, Options{Format: named}, from)
			must(t, err)
			list, err := feed.Accept(t.Context())
			must(t, err)
			for before := got; got == before; {
				chunk, err := list[0].Next(t.Context())
				must(t, err)
				if from = []Mark{chunk.Mark}; chunk.Block != nil {
					NewReader(fingerprint.AllFields).Read(chunk.Block, func(r *fingerprint.Request) { got += string(r.ID) + ";" }, func(s Skip) { got += s.Why })
				}
			}
			must(t, feed.Close())
		})
	}
	read()
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	must(t, err)
	_, err = file.WriteString(written("2026-11-21T10:00:01Z,b,1"))
	must(t, err)
	must(t, file.Close())
	read()
	if got != "a;b;" {
		t.Errorf("from %+v: read %s", from, got)
	}
}
