package live

import (
	"bytes"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/ingest/formats"
	"github.com/loopgauge/loopgauge/window"
)

// TestUnjudged: a watch of lines that it cannot judge says so, once.
func TestUnjudged(t *testing.T) {
	line := func(second int) string { return fmt.Sprintf(`{"time":%d,"id":"%d"}`, 1_800_000_000+second, second) }
	long := 5 * sayEvery
	f := func(name string, want, blind int, what string, lines ...string) {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			file := filepath.Join(dir, "app.log")
			write(t, file, strings.Join(lines, "\n")+"\n")
			synctest.Test(t, func(t *testing.T) {
				var said bytes.Buffer
				runFor(t, filepath.Join(dir, "state"), long, "loopgauge", Options{
					Feed: following(file, ingest.Options{Format: formats.ByName("loopgauge")}),
					Job:  Job{Log: slog.New(slog.NewTextHandler(&said, nil)), Duplicates: window.DefaultDuplicates},
				})
				if text := said.String(); strings.Count(text, "lines are not judged") != want || what != "" && strings.Count(text, what) != 1 {
					t.Errorf("want %d such lines, and once %s:\n%s", want, what, text)
				} else if n := strings.Count(text, "rule is blind"); n != blind {
					t.Errorf("%d rules are blind, want %d:\n%s", n, blind, text)
				}
			})
		})
	}
	var many []string
	for i := range 200 {
		many = append(many, line(i))
	}
	f("all", 1, 0, "of=2 malformed=2 late=0", "no JSON", "nor this")
	f("late", 1, 0, "of=3 malformed=0 late=1", line(0), line(60), line(1))
	f("ahead", 1, 0, "come_to=2027-01-15T10:40:01.000000Z", line(0), line(9600), line(9601), line(1))
	f("few", 0, 4, "", append(slices.Clone(many), "no JSON")...)
	f("none", 0, 4, "", many...)

	var same []string
	for i := range 200 {
		same = append(same, fmt.Sprintf(`{"time":%d,"id":"same"}`, 1_800_000_000+i))
	}
	f("ids that are of no request", 0, 0, `msg="99 % of the requests have the id of one shortly before, or are spans of its call`, same...)
	var alone []string
	for i := range 200 {
		alone = append(alone, fmt.Sprintf(`{"time":%d,"id":"%d","session":"s%d"}`, 1_800_000_000+20*i, i, i))
	}
	f("conversations of one request for an hour", 0, 4, "nearly every request is a conversation of its own", alone...)

	var sample []string // of a conversation, without every third request
	for i := range 400 {
		if i > 3 && i%3 == 0 {
			continue
		}
		sample = append(sample, fmt.Sprintf(`{"time":%d,"session":"s","model":"m","tool_calls":[{"id":"c%d","name":"f","arguments":"{}"}],"messages":[{"role":"user","content":"go"},{"role":"assistant","tool_calls":[{"id":"c%d","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c%d","content":"%d"}]}`, 1_800_000_000+i, i, i-1, i-1, i))
	}
	f("a sample of the requests", 0, 0, "requests or responses are missing from the log: 49 % of the results of calls (131 of 265) come without", sample...)

	long = sayEvery / 2 // said at its end
	f("all, in a short watch", 1, 0, "of=2 malformed=2 late=0", "no JSON", "nor this")
}

// What is not judged is said while watch runs, once a minute, with where the last of
// it stands.
func TestUnjudgedWhileItRuns(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "app.log")
	synctest.Test(t, func(t *testing.T) {
		var said bytes.Buffer
		write(t, file, "no JSON\nnor this\n")
		go func() {
			time.Sleep(3 * sayEvery / 2)
			write(t, file, "no JSON\nnor this\nnor that\n")
		}()
		o := Options{Feed: following(file, ingest.Options{Format: formats.ByName("loopgauge")})}
		o.Log = slog.New(slog.NewTextHandler(&said, nil))
		runFor(t, filepath.Join(dir, "state"), 4*sayEvery, "loopgauge", o)
		for _, want := range []string{"of=2 malformed=2 late=0 stream=" + file + " line=2 why=", "of=1 malformed=1 late=0 stream=" + file + " line=3 why="} {
			if strings.Count(said.String(), want) != 1 {
				t.Errorf("not said once: %s\n%s", want, said.String())
			}
		}
	})
}
