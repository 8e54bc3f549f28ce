package fingerprint

import (
	"strings"
	"testing"
)

func TestRetold(t *testing.T) {
	long := "[[ ## question ## ]] " + strings.Repeat("find the price, ", 8)
	f := func(size int, messages string, more ...string) {
		t.Helper()
		begin, got := NewWriter(nil).Retold(request(t, append([]string{"messages", strings.ReplaceAll(messages, "LONG", long)}, more...)...))
		if got != size || size > 0 && string(begin) != long[:longestBegin] {
			t.Errorf("%s: %q, %d, want %d", messages, begin, got, size)
		}
	}
	const user = `{"role":"user","content":"LONG"}`
	f(len(long)+1, `[{"role":"system","content":"a"},`+user+`]`)
	f(len(long), `[{"role":"user","content":[{"type":"image_url","image_url":{"url":"a"}},{"type":"text","text":"LONG"},{"type":"text","text":"a"}]}]`)
	// Behind it stands something else, or before it.
	f(len(long)+3, `[{"role":"system","content":"a"},`+user+`,{"role":"user","content":"a"}]`)
	f(len(long)+3, `[{"role":"user","content":"a"},`+user+`]`)
	f(len(long)+longestBegin+1, `[{"role":"user","content":[{"type":"text","text":"LONG"}]},{"role":"user","content":"`+strings.Repeat("a", longestBegin)+`"}]`)
	f(0, `[{"role":"user","content":"a"}]`)
	f(0, `[{"role":"user","content":null}]`)
	f(0, `[]`)
	// Its steps are told apart.
	f(0, `[{"role":"user","content":"LONG\nAction: a[b]\nObservation: c\nAction: a[b]\nObservation: c\nThought:"}]`)
	// The model has said something, or may have.
	f(0, `[{"role":"user","content":"a"},{"role":"assistant","content":"a"},`+user+`]`)
	f(0, `[{"type":"function_call","call_id":"1","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"1","output":"a"},`+user+`]`)
	f(0, `[`+user+`,{"role":"system","content":"a"}]`)
	f(0, `[`+strings.Repeat(user+",", fewItems)+user+`]`)
}
