package wrap

import "testing"

// TestEnds: who sees from less than all of a line whether records end sees what the
// whole of it says.
func TestEnds(t *testing.T) {
	f := func(name string, lines ...string) {
		t.Helper()
		w := ByName(name)
		whole, ender := w.New().(Joiner), w.New().(Ender)
		held := 0
		for i, line := range lines {
			whole.Unwrap(Line{Text: []byte(line)}, func(Line) {})
			if whole.Open() {
				held++
			}
			if ends := ender.Ends([]byte(line)); ends == whole.Open() {
				t.Errorf("%s: %s, line %d, ends: %t", name, line, i+1, ends)
			}
		}
		if held == 0 || whole.Open() {
			t.Errorf("%s: of %d lines %d are not at their end, at last %t", name, len(lines), held, whole.Open())
		}
	}
	f("fluentbit", `{"log":"a","time":"F","logtag":"P"}`, `{"log":"b","logtag":"F"}`, `{"log":"c","logtag":"F"}`)
	f("fluentbit", `{"log":"a\n","stream":"stdout"}`, `{"log":"a","partial_message":"true","partial_id":"1","partial_last":"false"}`,
		`{"log":"b\n","partial_message":"true","partial_id":"1","partial_last":"true"}`)
	f("docker", `{"log":"a","stream":"stdout","time":"t"}`, `{"log":"b\n","stream":"stdout","time":"t"}`)
	f("journald", `{"MESSAGE":"a","_STREAM_ID":"1"}`, `{"MESSAGE":"a","_STREAM_ID":"1","_LINE_BREAK":"line-max"}`, `{"MESSAGE":"c","_STREAM_ID":"2"}`, `{"MESSAGE":"b","_STREAM_ID":"1","_LINE_BREAK":"nul"}`,
		`{"MESSAGE":"a","CONTAINER_PARTIAL_ID":"1","CONTAINER_PARTIAL_MESSAGE":"true"}`, `{"MESSAGE":"b","CONTAINER_PARTIAL_ID":"1","CONTAINER_PARTIAL_MESSAGE":"false"}`)
	f("cri", "2026-11-21T10:00:00Z stdout P a", "2026-11-21T10:00:00Z stderr P c", "2026-11-21T10:00:00Z stdout F b", "2026-11-21T10:00:00Z stderr F d")
}
