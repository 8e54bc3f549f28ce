package main

import (
	"flag"
	"math"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/loopgauge/loopgauge/ingest/kafka/kafkatest"
)

var update = flag.Bool("update", false, "write the outputs that the scripts compare with")

func TestMain(m *testing.M) {
	testscript.Main(tests{m}, map[string]func(){"loopgauge": main})
}

// tests are those of the package, with the broker that some of them start. A limit
// to memory leaves out the ballast: of the thousands of runs in this process each
// had to clear its own, which was two thirds of what they took.
type tests struct{ m *testing.M }

func (t tests) Run() int {
	defer kafkatest.Stop()
	debug.SetMemoryLimit(math.MaxInt64 - 1)
	return t.m.Run()
}

// TestScripts runs the real main over the scripts in testdata. $FIXTURES is
// the project's folder of fixtures; unpack FILE.zst OUT unpacks one.
func TestScripts(t *testing.T) {
	t.Parallel()
	fixtures := absolute(t, "../../fixtures")
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("FIXTURES", fixtures)
			// Or each of the hundreds of processes sleeps for a second at its end.
			env.Setenv("GORACE", "atexit_sleep_ms=0")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"await":  await,
			"exits":  exits,
			"repeat": repeat,
			"unpack": unpack,
			"cut":    cut,
		},
	})
}

// unpack FILE.zst OUT unpacks a fixture.
func unpack(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: unpack FILE.zst OUT")
	}
	packed, err := os.ReadFile(ts.MkAbs(args[0]))
	ts.Check(err)
	z, err := zstd.NewReader(nil)
	ts.Check(err)
	defer z.Close()
	b, err := z.DecodeAll(packed, nil)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), b, 0o600))
}

// await FILE N waits until a file has N lines.
func await(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: await FILE N")
	}
	want, err := strconv.Atoi(args[1])
	ts.Check(err)
	lines := 0
	for range int(patience / (100 * time.Millisecond)) {
		b, _ := os.ReadFile(ts.MkAbs(args[0])) // it may not be there yet
		if lines = strings.Count(string(b), "\n"); lines >= want {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	ts.Fatalf("%s has %d lines at last, not %s", args[0], lines, args[1])
}

// exits CODE COMMAND ARG... runs a command and compares its exit code, which
// testscript's own exec knows only as failed or not.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND ARG...")
	}
	err := ts.Exec(args[1], args[2:]...)
	got := "0"
	if err != nil {
		got = strings.TrimPrefix(err.Error(), "exit status ")
	}
	if got != args[0] {
		ts.Fatalf("exit code is %s, want %s", got, args[0])
	}
}

// repeat FILE TEXT N writes TEXT N times into FILE, for inputs too big to
// stand in a script.
func repeat(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: repeat FILE TEXT N")
	}
	var n int
	for _, c := range args[2] {
		n = n*10 + int(c-'0')
	}
	f, err := os.OpenFile(ts.MkAbs(args[0]), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	ts.Check(err)
	block := strings.Repeat(args[1], 1+65536/len(args[1]))
	per := len(block) / len(args[1])
	for ; n >= per; n -= per {
		_, err = f.WriteString(block)
		ts.Check(err)
	}
	_, err = f.WriteString(strings.Repeat(args[1], n))
	ts.Check(err)
	ts.Check(f.Close())
}

// cut FILE OUT BYTES keeps so much of a file.
func cut(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: cut FILE OUT BYTES")
	}
	n, err := strconv.Atoi(args[2])
	ts.Check(err)
	text, err := os.ReadFile(ts.MkAbs(args[0]))
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), text[:n], 0o600))
}
