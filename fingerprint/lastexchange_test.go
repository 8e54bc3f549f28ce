package fingerprint

import "testing"

func TestLastExchange(t *testing.T) {
	id := mustNew(t, "last-exchange", Options{})
	f := func(messages, want string) {
		t.Helper()
		if want[0] == '[' {
			want = `[["last_exchange",` + want + `]]`
		}
		wantCanonicals(t, id, request(t, "messages", "["+messages+"]"), want)
	}
	said := func(role, text string) string { return `{"role":"` + role + `","content":"` + text + `"}` }
	form := func(role, text string) string { return `{"role":"` + role + `","text":"` + text + `"}` }
	q, a, o := said("user", "q"), said("assistant", "Action: ls"), said("user", "Observation: a.txt")
	want := "[" + form("assistant", "Action: ls") + "," + form("user", "Observation: a.txt") + "]"

	// What came before does not matter, nor do system messages, wherever they stand.
	f(q+","+a+","+o, want)
	f(said("system", "14:02")+","+q+","+a+","+said("system", "14:03")+","+a+","+said("system", "14:04")+","+o+","+said("developer", "14:05"), want)
	f(q+","+a+","+o+","+said("user", "go on"), want[:len(want)-1]+","+form("user", "go on")+"]")
	// The first words of the next answer are no answer.
	f(q+","+a+","+o+","+said("assistant", "{"), want[:len(want)-1]+","+form("assistant", "{")+"]")
	f(q+","+said("assistant", "{"), notComputable(NoAnswer))
	f(q, notComputable(NoAnswer))
	f(said("system", "s")+","+q, notComputable(NoAnswer))
	f("", notComputable(NoAnswer))

	// A tool turn is none; what a client says behind it makes one of it.
	for messages, calls := range map[string]string{
		chatTurn:      `[{"calls":[{"arguments":{"a":2,"b":1},"name":"find"},{"arguments":{},"name":"read"}],"role":"assistant","text":"let me see"},{"role":"tool","text":"none"},{"role":"tool","text":"x y"},`,
		anthropicTurn: "",
		responsesTurn: `[{"role":"assistant","text":"let me see"},{"calls":[{"arguments":{"a":2,"b":1},"name":"find"}]},{"calls":[{"arguments":{},"name":"read"}]},{"results":[{"text":"none"}]},{"results":[{"text":"x y"}]},`,
	} {
		f(messages, notComputable(ToolTurn))
		if calls != "" {
			f(messages+","+said("user", "and?"), calls+form("user", "and?")+"]")
		}
	}
	f(`{"role":"tool","tool_call_id":"a","content":"x"}`, notComputable(LossyContent)) // of a call that is not there

	masked := mustNew(t, "last-exchange", Options{Mask: []string{"call_ids"}})
	wantCanonicals(t, masked, request(t, "messages", "["+said("assistant", "Calling call_1a")+","+said("user", "got 7")+"]"), `[["last_exchange",[`+form("assistant", "Calling <call-id>")+","+form("user", "got 7")+`]]]`)
	wantCanonicals(t, masked, request(t, "messages", "["+a+","+o+"]"), `[["last_exchange",`+want+`]]`)
	wantCanonicals(t, masked, request(t, "messages", "["+chatTurn+"]"), notComputable(ToolTurn))

	// Of the end of a longer list what lacks is not known to lack.
	tail := request(t, "messages", "["+q+"]")
	tail.Messages.Tail = true
	wantCanonicals(t, id, tail, notComputable(LossyContent))
	f(`{"role":"assistant"},{"role":"user"}`, notComputable(LossyContent)) // roles alone
}
