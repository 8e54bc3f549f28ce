package fingerprint

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// eachVector calls f with every row of a file of the vectors.
func eachVector[T any](t *testing.T, file string, f func(row int, v T)) {
	t.Helper()
	data, err := os.ReadFile("../fixtures/vectors/" + file)
	must(t, err)
	rows := 0
	s := bufio.NewScanner(bytes.NewReader(data))
	for s.Buffer(nil, 1<<20); s.Scan(); rows++ {
		var v T
		if err := json.Unmarshal(s.Bytes(), &v); err != nil {
			t.Fatalf("%s: row %d: %v", file, rows, err)
		}
		f(rows, v)
	}
	if rows == 0 || s.Err() != nil {
		t.Fatalf("%s: %d rows, error %v", file, rows, s.Err())
	}
}

// compute is the one fingerprint of r, with its canonical bytes.
func compute(t *testing.T, id *Identity, r *Request) (fingerprint, canonical string) {
	t.Helper()
	w := NewWriter(nil)
	w.Keep = true
	if cause := id.Compute(r, w); cause != Computable {
		t.Fatalf("%s: not computable: %s", id.Name, cause)
	}
	if len(w.Prints()) != 1 {
		t.Fatalf("%s: %d fingerprints, want 1", id.Name, len(w.Prints()))
	}
	return w.Prints()[0].Fingerprint.String(), string(w.Prints()[0].Canonical)
}

func blank() *Request {
	r := &Request{}
	r.Reset()
	return r
}

func TestFairvisorVectors(t *testing.T) {
	type vector struct {
		Request struct {
			Method, Path string
			Query        json.RawMessage
			BodyHash     *string `json:"body_hash"`
			Descriptors  map[string]string
		}
		CRC32 uint32
	}
	id := mustNew(t, "fairvisor", Options{})
	eachVector(t, "fairvisor_fingerprints.jsonl", func(row int, v vector) {
		r := blank()
		r.Method, r.Path, r.Query.Object = []byte(v.Request.Method), []byte(v.Request.Path), rawjson.Value(v.Request.Query)
		if v.Request.BodyHash != nil {
			r.BodyHash = []byte(*v.Request.BodyHash)
		}
		for name, value := range v.Request.Descriptors {
			r.Attributes = append(r.Attributes, Attribute{[]byte(name), []byte(value)})
		}
		if got, canonical := compute(t, id, r); got != fmt.Sprint(v.CRC32) {
			t.Errorf("row %d: %s of %q, want %d", row, got, canonical, v.CRC32)
		}
	})
}

// TestFairvisorQueryVectors: requests as they came, with their query as it was
// sent and the headers that limit_keys name. Without crc32 Fairvisor fingerprints
// them anew each time.
func TestFairvisorQueryVectors(t *testing.T) {
	type vector struct {
		Why, Method, Path, Query, Caller string
		Headers                          map[string]string
		LimitKeys                        []string `json:"limit_keys"`
		CRC32                            *uint32
	}
	eachVector(t, "fairvisor_queries.jsonl", func(_ int, v vector) {
		r := blank()
		r.Method, r.Path, r.Query.Raw, r.Caller = []byte(v.Method), []byte(v.Path), []byte(v.Query), []byte(v.Caller)
		for name, value := range v.Headers {
			r.Attributes = append(r.Attributes, Attribute{[]byte("header:" + name), []byte(value)})
		}
		id := mustNew(t, "fairvisor", Options{LimitKeys: append([]string{}, v.LimitKeys...)})
		if v.CRC32 == nil {
			if cause := id.Compute(r, NewWriter(nil)); cause != RepeatedName {
				t.Errorf("%s: %q, want %q", v.Why, cause, RepeatedName)
			}
			return
		}
		if got, canonical := compute(t, id, r); got != fmt.Sprint(*v.CRC32) {
			t.Errorf("%s: %s of %q, want %d", v.Why, got, canonical, *v.CRC32)
		}
	})
}

// items are the elements of a raw JSON list.
func items(t *testing.T, list json.RawMessage) Messages {
	t.Helper()
	m := Messages{Logged: true}
	var s rawjson.Scanner
	s.Reset(list)
	for s.Array(); s.NextElement(); {
		m.Items = append(m.Items, s.Value())
	}
	must(t, s.End())
	return m
}

func TestAISGVectors(t *testing.T) {
	type vector struct {
		Request struct {
			Caller, Model string
			Messages      json.RawMessage
		}
		Canonical, SHA256 string
	}
	id := mustNew(t, "aisg", Options{})
	eachVector(t, "aisg_fingerprints.jsonl", func(row int, v vector) {
		r := blank()
		r.Caller, r.Model, r.Messages = []byte(v.Request.Caller), []byte(v.Request.Model), items(t, v.Request.Messages)
		got, canonical := compute(t, id, r)
		if canonical != v.Canonical {
			t.Errorf("row %d: canonical\n got %s\nwant %s", row, canonical, v.Canonical)
		}
		if got != v.SHA256 {
			t.Errorf("row %d: %s, want %s", row, got, v.SHA256)
		}
	})
}

func TestToolCallVectors(t *testing.T) {
	type vector struct {
		Events []struct{ Name, Arguments, Signature string }
	}
	id := mustNew(t, "tool-call-python", Options{})
	eachVector(t, "toolcall_tracker_sequences.jsonl", func(row int, v vector) {
		for i, e := range v.Events {
			r := blank()
			r.ToolCallsLogged = true
			r.ToolCalls = []ToolCall{{Name: []byte(e.Name), Arguments: []byte(e.Arguments)}}
			if _, canonical := compute(t, id, r); canonical != e.Signature {
				t.Errorf("row %d, call %d: %s, want %s", row, i, canonical, e.Signature)
			}
		}
	})
}

// TestToolCallWithoutArguments: the tool-call proxy takes them for an empty
// object, and an empty text for itself.
func TestToolCallWithoutArguments(t *testing.T) {
	id := mustNew(t, "tool-call-python", Options{})
	f := func(arguments []byte, want string) {
		t.Helper()
		r := blank()
		r.ToolCallsLogged = true
		r.ToolCalls = []ToolCall{{Name: []byte("f"), Arguments: arguments}}
		if _, got := compute(t, id, r); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	f(nil, "f:{}")
	f([]byte{}, "f:")
	f([]byte("{}"), "f:{}")
}

func TestOpenRouterVectors(t *testing.T) {
	data, err := os.ReadFile("../fixtures/vectors/openrouter_doom_loop_fingerprints.json")
	must(t, err)
	type vector struct {
		Name, ToolName, JCS, Fingerprint string
		KeyMaterial                      json.RawMessage
	}
	var file struct{ ToolCallVectors, KeyMaterialVectors []vector }
	must(t, json.Unmarshal(data, &file))
	id := mustNew(t, "openrouter", Options{})
	for _, v := range file.ToolCallVectors {
		r := blank()
		r.ToolCallsLogged = true
		r.ToolCalls = []ToolCall{{Name: []byte(v.ToolName), Arguments: v.KeyMaterial}}
		got, canonical := compute(t, id, r)
		if want := v.ToolName + "\n" + v.JCS; canonical != want {
			t.Errorf("%s: canonical %q, want %q", v.Name, canonical, want)
		}
		if got != v.Fingerprint {
			t.Errorf("%s: %s, want %s", v.Name, got, v.Fingerprint)
		}
	}
	// The bare ones have no tool: what is hashed is the canonical form alone.
	for _, v := range file.KeyMaterialVectors {
		var c canonicalizer
		out, ok := c.append(nil, v.KeyMaterial, openRouterJSON, nil)
		if !ok || string(out) != v.JCS {
			t.Errorf("%s: %q, want %q", v.Name, out, v.JCS)
		}
		w := NewWriter(nil)
		w.emit(out, hash256)
		if got := w.Prints()[0].Fingerprint.String(); got != v.Fingerprint {
			t.Errorf("%s: %s, want %s", v.Name, got, v.Fingerprint)
		}
	}
	if len(file.ToolCallVectors)+len(file.KeyMaterialVectors) < 12 {
		t.Error("vectors are missing")
	}
	// The SDK refuses what is too deep, and a number that JavaScript reads as
	// Infinity. Depth counts values.
	f := func(arguments, want string) {
		t.Helper()
		r := blank()
		r.ToolCallsLogged = true
		r.ToolCalls = []ToolCall{{Name: []byte("f"), Arguments: []byte(arguments)}}
		w := &Writer{Keep: true}
		got := ""
		switch cause := id.Compute(r, w); cause {
		case Computable:
			got = string(w.Prints()[0].Canonical)
		case NotCanonical:
		default:
			t.Errorf("%.20s: %q", arguments, cause)
		}
		if got != want {
			t.Errorf("%.20s: %q, want %q", arguments, got, want)
		}
	}
	f(`{"a":1e400}`, "")
	f(strings.Repeat("[", 65)+"1"+strings.Repeat("]", 65), "")
	f(strings.Repeat("[", 66)+strings.Repeat("]", 66), "")
	f(strings.Repeat("[", 65)+strings.Repeat("]", 65), "f\n"+strings.Repeat("[", 65)+strings.Repeat("]", 65))
	// Nothing is an empty object, and what is no JSON a text.
	f(``, "f\n{}")
	f(" \n", "f\n{}")
	f(` {"a":NaN}`, `f`+"\n"+`" {\"a\":NaN}"`)
	f(`{"a":Infinity}`, `f`+"\n"+`"{\"a\":Infinity}"`)
	f("{\"a\":", `f`+"\n"+`"{\"a\":"`)
	f("\"\t\"", `f`+"\n"+`"\"\t\""`)
	// Blank is what it is to JavaScript.
	f("\uFEFF\u00A0{}\u2028", "f\n{}")
	f("\uFEFF", "f\n{}")
	f("{}\u0085", "f\n\"{}\u0085\"")
	// JavaScript's encoder has no half of a surrogate pair: in a name it is
	// U+FFFD, in an argument an escape.
	r := blank()
	r.ToolCallsLogged = true
	r.ToolCalls = []ToolCall{{Name: []byte("f\xED\xB0\x80\xED\xA0\x80é"), Arguments: []byte(`"\uDC00"`)}}
	if _, got := compute(t, id, r); got != "f\uFFFD\uFFFDé\n\"\\udc00\"" {
		t.Errorf("%q", got)
	}
}
