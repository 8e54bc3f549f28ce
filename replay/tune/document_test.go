package tune

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopgauge/loopgauge/replay"
)

// small is of a log with a loop and errors amid it, an agent that is labelled as none,
// and others that repeat nothing.
func small(t *testing.T) *Report {
	t.Helper()
	var log strings.Builder
	add := func(session string, second, status int, says string) {
		fmt.Fprintf(&log, `{"time":"2026-11-01T10:%02d:%02dZ","method":"POST","path":"/v1/chat","caller":"team","session":%q,"model":"m","status":%d,"tokens_in":10,"tokens_out":5,"cost":0.25,"messages":[{"role":"user","content":%q}]}`+"\n",
			second/60, second%60, session, status, says)
	}
	for i := range 12 {
		add("stuck", 3*i+i%2, []int{200, 200, 503}[i%3], "again")
	}
	for i := range 7 {
		add("calm", 120+4*i+i%3, 200, "on purpose")
	}
	for i := range 12 {
		add(fmt.Sprint("other-", i), 240+i, 200, fmt.Sprint("another ", i))
	}
	file := filepath.Join(t.TempDir(), "log.jsonl")
	if err := os.WriteFile(file, []byte(log.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	r := tunedLog(t, file, "loopgauge", Labels{"stuck": true, "calm": false, "gone": true}, 0)
	r.Result.Scattered, r.Result.Links = "some", replay.Links{Answers: 7, Unlogged: 2}
	r.OneIn, r.Sweep[0].Dropped = 4, 3
	r.Against = &replay.Diff{Old: "old.yaml", Same: make([]replay.Loop, 2)}
	return r
}

// TestDocument: what the document says of all, and one row of each list.
func TestDocument(t *testing.T) {
	var text bytes.Buffer
	if err := WriteDocument(&text, "v0", small(t)); err != nil {
		t.Fatal(err)
	}
	var d map[string]any
	if err := json.Unmarshal(text.Bytes(), &d); err != nil {
		t.Fatal(err)
	}
	data := d["data"].(map[string]any)
	data["coverage"] = data["coverage"].([]any)[1]
	for name, row := range map[string]int{"sweep": 2, "advice": 0, "profiles": 0, "episodes": 0, "repeats": 1} {
		d[name] = d[name].([]any)[row]
	}
	got := ""
	for _, name := range slices.Sorted(maps.Keys(d)) {
		line, err := json.Marshal(d[name])
		if err != nil {
			t.Fatal(err)
		}
		got += name + ": " + string(line) + "\n"
	}
	if diff := cmp.Diff(strings.Split(wantDocument, "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("%s", diff)
	}
}

const wantDocument = `advice: {"caught":1,"cost_after":2.75,"cost_before":1.5,"current":{"caught":0,"episodes":0,"loops":1,"requests_after":0,"wrong":0},"delay_median_s":6,"delay_p95_s":6,"episodes":2,"episodes_per_day":2,"f1":0.6666666666666666,"identity":"method+path","kind":"sliding","loops":1,"missed":0,"policy":"  - name: same-path\n    identity: [method, path]\n    scope: [caller]\n    counter: {kind: sliding, window: 10s}\n    threshold: 4\n    action: warn\n","precision":1,"recall":0.5,"recommended":false,"requests":13,"requests_after":4,"rule":"same-path","scope":["caller"],"score":{"f1":0.6666666666666666,"false_negative":1,"false_positive":0,"precision":1,"precision_high":1,"precision_low":0.2065493117918027,"recall":0.5,"recall_high":0.9054687953607992,"recall_low":0.09453120463920084,"true_negative":1,"true_positive":1},"test":{"caught":0,"episodes":1,"loops":0,"requests_after":0,"wrong":1},"threshold":4,"tokens_after":165,"tokens_before":90,"train":{"caught":1,"episodes":1,"loops":1,"requests_after":4,"wrong":0},"window_s":10,"wrong":1,"wrong_requests":9}
against: {"lost":[],"new":[],"policy":"old.yaml","same":2,"until":null}
alerts_per_day: 1
data: {"alike":0,"answers":7,"answers_unlogged":2,"blank":0,"chained":false,"conversations":14,"conversations_one_in":4,"coverage":{"counted":0,"fell_back":0,"judged":31,"not_computable":{"no tool result at the end of the messages":31},"not_matched":0,"rule":"tool-call-result"},"days":0.002905092592592593,"duplicate":0,"excluded":0,"first":"2026-11-01T10:00:00.000000Z","judged":31,"keys_dropped":3,"kinds":{"stuck":8,"unknown":1},"last":"2026-11-01T10:04:11.000000Z","late":0,"lateness_s":0,"lines":31,"malformed":0,"repeats":9,"repeats_dropped":0,"retold":false,"scattered":true}
episodes: {"caller":"key-ca8b22d0db83","cost_after":0.75,"evidence":"the same last messages 12 times, answered 7 of 11","fingerprint":"97e920c8bb2ee5f7496eea4ece015f16","fired":"2026-11-01T10:00:12.000000Z","first":"2026-11-01T10:00:00.000000Z","id":"lp-3a09dd912a9b00c5","kind":"stuck","last":"2026-11-01T10:00:34.000000Z","model":"m","requests":12,"requests_after":3,"rule":"last-messages","scope":{"conversation":"stuck"},"session":"stuck","statuses":{"200":7,"503":4},"tokens_after":45}
labels: {"f1":0.6666666666666666,"false_negative":1,"false_positive":0,"loops":2,"missed":[],"precision":1,"precision_high":1,"precision_low":0.2065493117918027,"recall":0.5,"recall_high":0.9054687953607992,"recall_low":0.09453120463920084,"sessions":3,"true_negative":1,"true_positive":1,"unseen":1,"unseen_loops":1,"wrong":[]}
loopgauge: "v0"
policy: "version: 1\nrules:\n  - name: last-messages\n    profile: loopgauge/last-messages\n    counter: {kind: sliding, window: 10s}\n    threshold: 4\n    action: warn\n"
profiles: {"advised":{"caught":1,"kind":"sliding","missed":0,"requests":4,"rule":"last-messages","threshold":4,"window_s":10,"wrong":0},"caught":1,"conversations":2,"coverage":1,"differences":[],"episodes":2,"long":1,"long_wrong":1,"missed":0,"profile":"loopgauge","reading":"recommended","requests":13,"share":0.41935483870967744,"wrong":1,"wrong_share":0.07692307692307693}
repeats: {"caller":"key-ca8b22d0db83","evidence":"the same last messages 12 times, answered 7 of 11","fingerprint":"97e920c8bb2ee5f7496eea4ece015f16","first":"2026-11-01T10:00:00.000000Z","id":"lp-3a09dd912a9b00c5","kind":"stuck","last":"2026-11-01T10:00:34.000000Z","requests":12,"rule":"last-messages","scope":{"conversation":"stuck"},"session":"stuck"}
sweep: {"callers":1,"caught":1,"cost_after":2.75,"cost_before":1.5,"delay_median_s":6,"delay_p95_s":6,"episodes":2,"episodes_per_day":2,"kind":"sliding","missed":0,"requests":13,"rule":"same-path","scopes":1,"sessions":10,"share":0.41935483870967744,"stopped":13,"threshold":4,"tokens_after":165,"tokens_before":90,"window_s":10,"wrong":1}
version: 1
`
