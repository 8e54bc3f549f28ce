package live

import (
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

var update = flag.Bool("update", false, "write a checkpoint of this version anew")

// TestVersions: a checkpoint of each version, of six lines, is gone on from.
func TestVersions(t *testing.T) {
	var values []string
	for i := range 7 {
		values = append(values, fmt.Sprintf(`{"time":"2026-11-21T10:00:%02dZ","id":"r%d","session":"s","model":"m","messages":[{"role":"user","content":"go"},{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":"{}"}}]},{"role":"tool","content":"no"}],"tool_calls":[{"name":"f","arguments":"{}"}]}`, i*5, i))
	}
	run := func(t *testing.T, dir string, values []string) (n Now, f *feed) {
		t.Helper()
		f = &feed{partitions: [][]string{values}, commits: -1}
		synctest.Test(t, func(t *testing.T) {
			n = runFor(t, dir, time.Minute, "loopgauge", Options{Feed: f.open, Idle: time.Hour, Job: Job{Interval: time.Second}})
		})
		return n, f
	}
	golden := func(of int) string { return fmt.Sprintf("testdata/checkpoint-%d.state", of) }
	if *update {
		dir := t.TempDir()
		run(t, dir, values[:6])
		files, err := filepath.Glob(filepath.Join(dir, "checkpoint-*"))
		if err != nil {
			t.Fatal(err)
		}
		write(t, golden(version), read(t, slices.Max(files)))
	}
	for of := 1; of <= version; of++ {
		dir := t.TempDir()
		write(t, filepath.Join(dir, checkpointName(1)), read(t, golden(of)))
		if n, f := run(t, dir, values); len(f.marks) != 1 || f.marks[0].Offset != 6 || n.Began.Account.Lines != 6 || n.Account.Lines != 7 {
			t.Errorf("version %d: goes on from %+v with %+v, ends with %+v", of, f.marks, n.Began.Account, n.Account)
		}
	}
}
