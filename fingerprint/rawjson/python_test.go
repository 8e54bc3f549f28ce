package rawjson

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

func TestAppendPython(t *testing.T) {
	f := func(in, want string) {
		t.Helper()
		got, ok := AppendPython(nil, []byte(in))
		if !ok {
			got = nil
		}
		if string(got) != want {
			t.Errorf("%s\ngot  %s\nwant %s", in, got, want)
		}
		if ok && !json.Valid(got) {
			t.Errorf("%s: no JSON: %s", in, got)
		}
	}
	f(`None`, `null`)
	f(` True `, `true`)
	f(`-1.5e3`, `-1.5e3`)
	f(`inf`, `null`)
	f(`1_000`, `"1_000"`)
	f(`'it\'s "so"'`, `"it's \"so\""`)
	f(`"it's\n\t\r\\ \xe9 \u0141 \U0001f4e6 \ud83d"`, `"it's\n\t\r\\ é Ł 📦 \ud83d"`)
	f("'\x1b'", `"\u001b"`)
	f(`b'raw'`, `"raw"`)
	f(`{}`, `{}`)
	f(`{'a': 1, 'b': [True, None, (1,), ()], 2: {'x'}}`, `{"a":1,"b":[true,null,[1],[]],"2":["x"]}`)
	f(`{1, 2}`, `[1,2]`)
	f(`{(1, 'a'): 2, frozenset({3}): {'b': {}}}`, `{"[1,\"a\"]":2,"[[3]]":{"b":{}}}`)
	f(`Choices(finish_reason='stop', message=Message(content=None, tool_calls=[Call(id='c')]))`,
		`{"finish_reason":"stop","message":{"content":null,"tool_calls":[{"id":"c"}]}}`)
	f(`datetime.datetime(2026, 11, 21, tzinfo=datetime.timezone.utc)`, `[2026,11,21,"datetime.timezone.utc"]`)
	f(`[<object object at 0x7f>, Kind.A]`, `[null,"Kind.A"]`)
	f(`Empty()`, `{}`)
	// The str() of pydantic's, which does not say what it is of.
	f(`id='resp_1' error=None output=[Call(arguments='{"x":1}', name='f', type='function_call')] usage={'n': 8}`,
		`{"id":"resp_1","error":null,"output":[{"arguments":"{\"x\":1}","name":"f","type":"function_call"}],"usage":{"n":8}}`)
	// Cut by a logger, or no Python at all.
	for _, cut := range []string{``, `{`, `{'a'`, `{'a':`, `{'a': 1`, `[1, `, `'abc`, `'a\`, `'\x4`, `'\q'`, `X(a=1`, `<x`, `1 2`, `a=1 b`, `a=1 b=`, `a=1 b=[`, `a==1`, `{'a': 1}}`, `;`} {
		f(cut, ``)
	}
	f(strings.Repeat("[", 1000), ``)
	// A user may write so: as names in names it would double with each.
	f(strings.Repeat("{", 100)+"1"+strings.Repeat(": 1}", 100), ``)
	f(`{({1: 2},): 3}`, ``)
}

// FuzzPython: whatever is accepted becomes JSON.
func FuzzPython(f *testing.F) {
	for _, seed := range []string{`{'a': (1, 2.5, None), "b": X(y='\u0141\'', z=[])}`, `a=1 b=[X(c=2)]`, `[<a b>, b'\x00', {1}]`, `'` + "\xff" + `'`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		before := bytes.Clone(in)
		if out, ok := AppendPython(nil, in); ok && !json.Valid(out) {
			t.Errorf("%q: %s", in, out)
		}
		if !bytes.Equal(in, before) {
			t.Error("the input was changed")
		}
	})
}
