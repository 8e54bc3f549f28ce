package wrap

import "testing"

// TestFluentdFronts: a time and a tag stand in front of a record, and else it is a line
// of something else.
func TestFluentdFronts(t *testing.T) {
	f := func(line, want string) {
		t.Helper()
		got := unwrapped(newFluentd(), line)
		if got == "! expected time and tag in front of a record" {
			got = ""
		}
		if got != want {
			t.Errorf("%s gives %q, want %q", line, got, want)
		}
	}
	const record = `{"a":1}`
	f("2026-11-21T03:51:29+00:00\tgw\t"+record, record)
	f("2026-11-21 03:51:29 +0000\tgw\t"+record, record)
	f("2026-11-21 03:51:29.8 +0000 gw: "+record, record)
	f("gw: [1795231889.5, "+record+"]", record)
	f("gw: [1795231889.5, "+record+"] \t\r", record)
	f(`2026-11-21T03:51:29+00:00	gw	{"log":"b\n","a":1}`, "b")
	f(`2026-11-21T03:51:29+00:00	gw	{"message":"b"}`, "b")
	f(`2026-11-21T03:51:29+00:00	gw	{"message":"b","a":1}`, `{"message":"b","a":1}`)
	f(`2026-11-21T03:51:29+00:00	gw	{"status":200}`, `{"date":"2026-11-21T03:51:29+00:00","status":200}`)
	f(`2026-11-21 03:51:29 +0000	gw	{"response_code":200}`, `{"date":"2026-11-21T03:51:29+0000","response_code":200}`)
	f(`gw: [1795231889.5, {"status":200}]`, `{"date":"1795231889.5","status":200}`)
	f(`2026-11-21T03:51:29+00:00	gw	{"status":200,"ts":1}`, `{"status":200,"ts":1}`)
	for _, line := range []string{
		record, " " + record, "\t\t" + record, ": " + record, ", " + record,
		"2026-11-21T03:51:29+00:00\t" + record, "2026-11-21T03:51:29+00:00\tgw\tx\t" + record, "2026-11-21T03:51:29+00:00 x\tgw\t" + record,
		"2026-11-21T03:51:29+00:00\tgw\t ", "2026/11-21T03:51:29+00:00\tgw\t" + record, "2026-11/21T03:51:29+00:00\tgw\t" + record, "26-11-2100T03:51:29\tgw\t" + record,
		"2026-11-21\tgw" + record,
		"2026-11-21 03:51:29 gw: " + record, "2026-11-21T03:51:29 x y z gw: " + record, "x gw y z: " + record,
		"gw: [1795231889.5, " + record, "gw: [17952, " + record + "]", ": [1795231889.5, " + record + "]", "g\tw: [1795231889.5, " + record + "]", "g w: [1795231889.5, " + record + "]",
	} {
		f(line, "")
	}
}
