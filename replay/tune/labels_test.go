package tune

import (
	"maps"
	"strings"
	"testing"
)

func TestReadLabels(t *testing.T) {
	f := func(text string, want Labels) {
		t.Helper()
		got, err := ReadLabels("l", strings.NewReader(text))
		if err != nil || !maps.Equal(got, want) {
			t.Errorf("%q: %v, %v, want %v", text, got, err, want)
		}
	}
	f(`{"session":"s","loop":true}`, Labels{"s": true})
	f("\ufeff{\"session\":\"s\",\"loop\":true,\"who\":\"me\"}\r\n\r\n {\"session\":\"\",\"loop\":false}", Labels{"s": true, "": false})
	f("{\"session\":\"s\",\"loop\":true}\n{\"session\":\"s\",\"loop\":true}", Labels{"s": true})
}
