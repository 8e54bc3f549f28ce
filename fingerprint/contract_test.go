package fingerprint

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"strings"
	"testing"

	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
	"github.com/loopgauge/loopgauge/fixtures"
)

// contracts are what the contract suite ranges over: every built-in identity,
// and compositions with every part, every mask and lower case.
func contracts(tb testing.TB) []*Identity {
	tb.Helper()
	var ids []*Identity
	for _, k := range Kinds {
		id, err := k.Make(Options{})
		must(tb, err)
		if id.Name != k.Name {
			tb.Errorf("%s calls itself %s", k.Name, id.Name)
		}
		ids = append(ids, id)
	}
	var all, masks []string
	for _, m := range Masks {
		masks = append(masks, m.Name)
	}
	for _, p := range Parts {
		name := p.Name
		switch name {
		case "last_messages":
			name += ":2"
		case "attr":
			name += ":header:x"
		}
		if name != "last_exchange" { // which is there where last_turn is not
			all = append(all, name)
		}
		ids = append(ids, mustNew(tb, "", Options{Parts: []string{name}}), mustNew(tb, "", Options{Parts: []string{name}, Mask: masks, Lower: true}))
	}
	return append(ids, mustNew(tb, "", Options{Parts: all}), mustNew(tb, "", Options{Parts: all, Mask: masks}))
}

// realRequests are requests of a real log, with all that identities read.
func realRequests(tb testing.TB) []*Request {
	tb.Helper()
	data := fixtures.Read(tb, "tau2/agents.jsonl.zst")
	var requests []*Request
	for line := range bytes.Lines(data) {
		r := request(tb, "method", "POST", "path", "/v1/chat/completions", "query", "b=%41&a", "body", "x", "caller", "sk-1", "user", "u",
			"backend", "openai", "session", "s", "has_tools", "true", "attr:header:x", "1", "attr:b", "2")
		s := &rawjson.Scanner{} // one a request: its texts stay
		s.Reset(line)
		for s.Object(); s.NextKey(); {
			switch string(s.Key) {
			case "model":
				r.Model = s.Text(nil)
			case "messages":
				r.Messages.Logged = true
				for s.Array(); s.NextElement(); {
					r.Messages.Items = append(r.Messages.Items, s.Value())
				}
			case "response":
				readResponse(s, r)
			default:
				s.Skip()
			}
		}
		must(tb, s.End())
		requests = append(requests, r)
	}
	return requests
}

// readResponse finds choices[].message.tool_calls.
func readResponse(s *rawjson.Scanner, r *Request) {
	r.ToolCallsLogged = true
	for s.Object(); s.NextKey(); {
		if string(s.Key) != "choices" {
			s.Skip()
			continue
		}
		for s.Array(); s.NextElement(); {
			for s.Object(); s.NextKey(); {
				if string(s.Key) != "message" {
					s.Skip()
					continue
				}
				for s.Object(); s.NextKey(); {
					if string(s.Key) != "tool_calls" {
						s.Skip()
						continue
					}
					for s.Array(); s.NextElement(); {
						if call := readCall(s); call.Name != nil {
							r.ToolCalls = append(r.ToolCalls, call)
						}
					}
				}
			}
		}
	}
}

// checkContract is what every identity promises for any request:
//   - fingerprints or a cause, never both, never neither;
//   - the same again, whatever the Writer did before;
//   - fingerprints are the hash of the canonical bytes; with a key, its HMAC,
//     and none stays what it was;
//   - nothing is read that Reads does not name.
func checkContract(t *testing.T, id *Identity, r *Request, used *Writer) {
	t.Helper()
	w := NewWriter(nil)
	w.Keep = true
	cause := id.Compute(r, w)
	if (cause == Computable) != (len(w.Prints()) > 0) {
		t.Fatalf("%s: %d fingerprints, cause %q", id.Name, len(w.Prints()), cause)
	}
	again := func(what string, got Cause, prints []Print) {
		t.Helper()
		if got != cause || len(prints) != len(w.Prints()) {
			t.Fatalf("%s: %s: %q and %d fingerprints, first %q and %d", id.Name, what, got, len(prints), cause, len(w.Prints()))
		}
		for i := range prints {
			if prints[i].Fingerprint != w.Prints()[i].Fingerprint {
				t.Fatalf("%s: %s: another fingerprint", id.Name, what)
			}
		}
	}
	n := len(used.Prints())
	again("with a used Writer", id.Compute(r, used), used.Prints()[n:])
	used.Reset()

	reduced := *r
	for field, drop := range map[Field]func(){
		ReadsMessages:   func() { reduced.Messages = Messages{} },
		ReadsResponse:   func() { reduced.ToolCalls, reduced.ToolCallsLogged = nil, false },
		ReadsBody:       func() { reduced.Body, reduced.BodyHash = nil, nil },
		ReadsQuery:      func() { reduced.Query = Query{} },
		ReadsTools:      func() { reduced.HasTools = NotLogged },
		ReadsAttributes: func() { reduced.Attributes = nil },
	} {
		if id.Reads&field == 0 {
			drop()
		}
	}
	reducedWriter := NewWriter(nil)
	again("with what it reads alone", id.Compute(&reduced, reducedWriter), reducedWriter.Prints())

	key := []byte("key")
	keyed := NewWriter(key)
	if got := id.Compute(r, keyed); got != cause {
		t.Fatalf("%s: %q, with a key %q", id.Name, cause, got)
	}
	for i, p := range w.Prints() {
		sum := sha256.Sum256(p.Canonical)
		var want string
		switch id.Name {
		case "fairvisor":
			want = fmt.Sprint(crc32.ChecksumIEEE(p.Canonical))
		case "aisg", "openrouter":
			want = hex.EncodeToString(sum[:])
		default:
			want = hex.EncodeToString(sum[:16])
		}
		if got := p.Fingerprint.String(); got != want {
			t.Fatalf("%s: %s of %q, want %s", id.Name, got, p.Canonical, want)
		}
		mac := hmac.New(sha256.New, key)
		mac.Write(p.Canonical)
		if got, want := keyed.Prints()[i].Fingerprint.String(), hex.EncodeToString(mac.Sum(nil)[:16]); got != want {
			t.Fatalf("%s: with a key %s, want %s", id.Name, got, want)
		}
	}
}

func TestContractOnRealRequests(t *testing.T) {
	used := NewWriter(nil)
	ids := contracts(t)
	computed := map[string]int{}
	for i, r := range realRequests(t) {
		if i%5 > 0 {
			continue
		}
		used.Reset()
		for _, id := range ids {
			checkContract(t, id, r, used)
			if id.Compute(r, used) == Computable {
				computed[id.Name]++
			}
		}
	}
	for _, id := range ids {
		// These agents never say the same twice to a person.
		if computed[id.Name] == 0 && id.Name != "last-exchange" && id.Name != "last_exchange" {
			t.Errorf("%s was computable for no request", id.Name)
		}
	}
}

// In the steady state nothing is allocated, with a key or without. The average is
// rounded down, and the runtime allocates now and then.
func TestContractAllocations(t *testing.T) {
	requests := realRequests(t)[:40]
	scope, err := NewScope([]string{"conversation", "caller", "attr:header:x"})
	must(t, err)
	for _, key := range []string{"", "key"} {
		for _, id := range contracts(t) {
			w := NewWriter([]byte(key))
			pass := func() {
				for _, r := range requests {
					w.Reset()
					id.Compute(r, w)
				}
			}
			pass()
			if n := testing.AllocsPerRun(8, pass); n != 0 {
				t.Errorf("%s, key %q: %v allocations over %d requests", id.Name, key, n, len(requests))
			}
		}
		w := NewWriter([]byte(key))
		var values []ScopeValue
		pass := func() {
			for _, r := range requests {
				session := r.Session
				r.Session = nil
				w.Reset()
				if _, values, _ = scope.Compute(r, w, values[:0]); len(values) != 3 {
					t.Fatal("no scope")
				}
				r.Session = session
			}
		}
		pass()
		if n := testing.AllocsPerRun(8, pass); n != 0 {
			t.Errorf("scope, key %q: %v allocations", key, n)
		}
	}
}

// A giant line does not stay in memory when the next ones are small.
func TestWriterForgetsGiants(t *testing.T) {
	if testing.Short() {
		t.Skip("reads tens of megabytes with every identity")
	}
	giant := strings.Repeat(`\u00e9 1`, 1<<20)
	r := request(t, "caller", "c", "model", "m", "query", "a="+giant, "body", giant, "attr:header:x", giant, "response", `f {"b":1,"a":"`+strings.ReplaceAll(giant, " ", "")+`"}`,
		"messages", `[{"role":"user","content":"`+giant+`"},{"role":"assistant","tool_calls":[{"name":"f","arguments":"`+giant+`"}]},{"role":"tool","content":"`+giant+`"}]`)
	for _, id := range contracts(t) {
		w := NewWriter([]byte("key"))
		w.Keep = true
		id.Compute(r, w)
		w.Reset()
		if n := w.memory(); n > writerMemory {
			t.Errorf("%s: %d bytes are kept", id.Name, n)
		}
		if !w.Keep || w.mac == nil {
			t.Fatalf("%s: the settings are gone", id.Name)
		}
		small := blank()
		small.Session = []byte("s")
		id.Compute(small, w)
		w.Reset()
	}
	w := NewWriter(nil)
	id := mustNew(t, "prompt", Options{})
	id.Compute(r, w)
	if w.memory() <= writerMemory {
		t.Error("the giant is too small to prove anything")
	}
}

// FuzzIdentities holds every identity to the contract on requests whose parts
// are any bytes, and every scope to not panicking.
func FuzzIdentities(f *testing.F) {
	for _, messages := range []string{chatTurn, anthropicTurn, responsesTurn, `"x",1,null,[],{}`, `{"role":"tool"}`, `{"content":{"a":NaN}}`, `{"role":"user","content":"\q"}`} {
		f.Add([]byte("["+messages+"]"), []byte(`{"b":[1,{"c":2,"a":3}],"a":0}`), []byte("a=1&b&a=%41"), uint8(0))
		f.Add([]byte("["+messages+"]"), []byte(`{"a`), []byte(`{"a":["x",true],"b":"c"}`), uint8(0xFF))
	}
	ids := contracts(f)
	names := ScopeNames()
	names[len(names)-1] = "attr:header:x"
	var scopes []*Scope
	for _, name := range names {
		scope, err := NewScope([]string{name})
		if err != nil {
			f.Fatal(err)
		}
		scopes = append(scopes, scope)
	}
	used := NewWriter(nil)
	f.Fuzz(func(t *testing.T, messages, arguments, query []byte, bits uint8) {
		r := blank()
		var s rawjson.Scanner
		s.Reset(messages)
		r.Messages.Logged = bits&1 == 0
		for s.Array(); s.NextElement(); {
			r.Messages.Items = append(r.Messages.Items, s.Value())
		}
		s.Reset(query)
		if s.Skip(); s.End() == nil {
			r.Query.Object = query
		} else {
			r.Query.Raw = query
		}
		if bits&2 == 0 {
			r.ToolCallsLogged, r.ToolCalls = true, []ToolCall{{Name: query, Arguments: arguments}, {Name: messages, Arguments: messages}}
		}
		if bits&4 == 0 {
			r.Caller, r.Model, r.Path, r.Body = query, arguments, messages, messages
		}
		if bits&8 == 0 {
			r.Attributes = []Attribute{{[]byte("header:x"), arguments}, {query, messages}}
			r.HasTools = Yes
		}
		if bits&16 == 0 {
			r.Session, r.User, r.Backend, r.Method = query, query, query, query
		}
		if bits&96 == 96 {
			r.Lost = RedactedContent
		}
		used.Reset()
		for _, id := range ids {
			checkContract(t, id, r, used)
		}
		for _, scope := range scopes {
			key, values, cause := scope.Compute(r, used, nil)
			if (cause == Computable) != (len(values) == 1) || (cause == Computable) == (key == ScopeKey{}) {
				t.Fatalf("%v: %d values, cause %q", scope.Fields, len(values), cause)
			}
		}
	})
}
