package formats

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// FuzzIsJSON: what isJSON says is what encoding/json does, but for raw control
// characters, which loggers write, and great depth.
func FuzzIsJSON(f *testing.F) {
	for _, seed := range []string{`[{"a":[1.5e3,-0,true,false,null,"\u0141\ud83d",{}]}]`, `[{name}]`, `[{'a': 1}]`, `[{"a":01}]`, `[{"a":nul}]`, `[{"a":tru,"b":1}]`, `[{"a":1},]`, `[{"\q":1}]`, `[{"a":1}] x`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		var s rawjson.Scanner
		got, want := isJSON(&s, in), json.Valid(in)
		raw := bytes.ContainsFunc(in, func(r rune) bool { return r < ' ' })
		deep := bytes.Count(in, []byte("["))+bytes.Count(in, []byte("{")) > rawjson.MaxDepth
		if got && !want && !raw || want && !got && !deep {
			t.Errorf("%q: %t, and encoding/json says %t", in, got, want)
		}
	})
}
