package main

import (
	"fmt"
	"hash/fnv"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/loopgauge/loopgauge/ingest/kafka/kafkatest"
)

// sessions is how many there are in the log that is made here.
const sessions = 50

// loops makes a log in which some sessions repeat themselves.
func loops(n int, at time.Time) []string {
	lines := make([]string, n)
	for i := range lines {
		s := i * i % sessions
		text := i
		if s%5 == 0 {
			text = s
		}
		lines[i] = fmt.Sprintf(`{"time":"%s","id":"r%d","session":"s%d","caller":"c","model":"m","path":"/v1/chat/completions","messages":[{"role":"user","content":"try %d"}]}`,
			at.Add(time.Duration(i)*time.Second).Format(time.RFC3339), i, s, text)
	}
	return lines
}

// TestTopic: a topic whose partitions share the sessions out gives the verdicts
// that the log gives as a file.
func TestTopic(t *testing.T) {
	t.Parallel()
	b := kafkatest.Start(t)
	dir := t.TempDir()
	at := time.Now().UTC().Add(-5 * time.Hour).Truncate(time.Second)
	lines := loops(5000, at)
	file := filepath.Join(dir, "log.jsonl")
	write(t, file, strings.Join(lines, "\n")+"\n")
	topic := b.Topic(t, 3)
	var records []*kgo.Record
	for i, line := range lines {
		h := fnv.New32()
		fmt.Fprint(h, i*i%sessions)
		records = append(records, &kgo.Record{Topic: topic, Partition: int32(h.Sum32() % 3), Value: []byte(line), Timestamp: at.Add(time.Duration(i) * time.Second)})
	}
	b.ProduceRecords(t, records, kgo.MaxBufferedRecords(100))
	name := "kafka://" + b.Address + "/" + topic

	call := func(want int, args ...string) (out, errs string) {
		t.Helper()
		code, out, errs := ran(t, "", args...)
		if code != want {
			t.Fatalf("%v: exit code %d, want %d\n%s", args, code, want, errs)
		}
		return out, errs
	}
	// verdicts are those of a run, in an order that does not depend on where a
	// request stands.
	verdicts := func(log string, more ...string) []string {
		t.Helper()
		out, _ := call(exitDone, append([]string{"replay", "--quiet", "--lateness", "1m", "--verdicts", "-", log}, more...)...)
		list := strings.Split(strings.TrimSpace(out), "\n")
		slices.Sort(list)
		return list
	}
	want := verdicts(file)
	if got := verdicts(name); !slices.Equal(got, want) {
		t.Errorf("%d verdicts, want %d; %q is not %q", len(got), len(want), got[0], want[0])
	}
	if !slices.ContainsFunc(want, func(v string) bool { return strings.Contains(v, `"fired":true`) }) {
		t.Error("nothing fired")
	}
	since := at.Add(4000 * time.Second).Format(time.RFC3339)
	if got, want := verdicts(name, "--since", since), verdicts(file, "--since", since); !slices.Equal(got, want) || len(got) == 0 {
		t.Errorf("since %s: %d verdicts, want %d", since, len(got), len(want))
	}
	if out, _ := call(exitDone, "replay", "--no-color", name+"?offsets=0:10-20,2:0-5"); !strings.Contains(out, "15 lines") {
		t.Errorf("15 records:\n%s", out)
	}

	// A request is explained by its place, whatever stands before it, as in the
	// file: the first that fires, and the first record of its partition.
	explained := func(what ...string) map[string]any {
		t.Helper()
		out, _ := call(exitDone, append([]string{"explain", "--json", "--lateness", "1m"}, what...)...)
		var x struct {
			Answer  string
			Request struct{ ID, Time string }
			Rules   []struct{ Fingerprints []struct{ Count int } }
		}
		unmarshal(t, out, &x)
		return map[string]any{"id": x.Request.ID, "time": x.Request.Time, "answer": x.Answer, "rules": fmt.Sprint(x.Rules)}
	}
	fired := slices.IndexFunc(want, func(v string) bool { return strings.Contains(v, `"fired":true`) })
	var one struct{ ID string }
	unmarshal(t, want[fired], &one)
	for _, id := range []string{one.ID, "r0"} {
		line := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, `"id":"`+id+`"`) })
		p := records[line].Partition
		offset := 0
		for _, r := range records[:line] {
			if r.Partition == p {
				offset++
			}
		}
		place := fmt.Sprintf("%s/%d:%d", topic, p, offset)
		wanted := explained(fmt.Sprintf("%s:%d", file, line+1))
		for _, asked := range [][]string{{place, name}, {name + strings.TrimPrefix(place, topic)}} {
			if diff := cmp.Diff(wanted, explained(asked...)); diff != "" {
				t.Errorf("%v (-file +topic):\n%s", asked, diff)
			}
		}
		if id == one.ID {
			// What explain needs not is not there: the records before.
			if out, _ := call(exitDone, "explain", fmt.Sprintf("%s/%d:%d", topic, p, offset), fmt.Sprintf("%s?offsets=%d:%d-", name, p, offset)); !strings.Contains(out, place) {
				t.Errorf("explain: %s", out)
			}
		}
	}
	for _, wrong := range []struct{ place, says string }{
		{topic + "/0:99999", "no record 99999 is read of partition 0: there are 0 to "},
		{topic + "/7:1", topic + "/7: no records of this partition are read, but of " + topic + "/0"},
	} {
		if _, errs := call(exitFailed, "explain", wrong.place, name); !strings.Contains(errs, wrong.says) {
			t.Errorf("%s: %s", wrong.place, errs)
		}
	}
	if _, errs := call(exitFailed, "explain", topic+"/0:3", name+"?offsets=0:10-20"); !strings.Contains(errs, "there are 10 to 19") || !strings.Contains(errs, "--since or offsets") {
		t.Errorf("before what is read: %s", errs)
	}
	if out, _ := call(exitDone, "tune", "--no-color", name); !strings.Contains(out, "5,000 ") {
		t.Errorf("tune:\n%s", out)
	}
	if _, errs := call(exitFailed, "replay", "kafka://"+b.Address+"/none"); !strings.Contains(errs, "/none: there is no such topic") {
		t.Errorf("no topic: %s", errs)
	}
	if _, errs := call(exitUsage, "replay", "kafka://"); !strings.Contains(errs, "write it as kafka://host:port/topic") {
		t.Errorf("no name: %s", errs)
	}
}

// TestTopicPolicy: what a policy says of topics is heeded.
func TestTopicPolicy(t *testing.T) {
	file := policyFile(t, "version: 1\nrules: [{name: a, profile: fairvisor}]\nkafka: {sasl: {mechanism: plain, user: u, password: \"${LOOPGAUGE_NOT_THERE}\"}}\n")
	if code, _, errs := ran(t, "", "replay", "--policy", file, "kafka://127.0.0.1:1/t"); code != exitUsage || !strings.Contains(errs, "LOOPGAUGE_NOT_THERE is not set in the environment") {
		t.Errorf("exit code %d\n%s", code, errs)
	}
}
