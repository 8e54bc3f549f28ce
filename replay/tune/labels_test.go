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
	long := strings.Repeat("s", 100_000)
	f(`{"session":"`+long+`","loop":true}`, Labels{long: true})
	f("\ufeff{\"session\":\"s\",\"loop\":true,\"who\":\"me\"}\r\n\r\n {\"session\":\"t\",\"loop\":false}", Labels{"s": true, "t": false})
	f("{\"session\":\"s\",\"loop\":true}\n{\"session\":\"s\",\"loop\":null}\n{\"session\":\"t\",\"loop\":null}", Labels{"s": true})
	f("{\"session\":\"s\",\"loop\":true}\n{\"session\":\"s\",\"loop\":true}", Labels{"s": true})
}

// What is no label is said with its place, and with what is wrong with it.
func TestWrongLabels(t *testing.T) {
	const sound = `{"session":"s","loop":true}` + "\n"
	for text, want := range map[string]string{
		sound + `{"session":"s","calls":7}`:                 "l:2: no loop; ",
		`{"session":"s","loop":null}`:                       "l: no labels in it; ",
		`{"loop":true}`:                                     "l:1: no session; ",
		`{"session":"","loop":true}`:                        "l:1: no session; ",
		`  {"session":"s","loop":yes}`:                      "l:1:25: invalid character 'y'",
		`[true]`:                                            "l:1: it is of the wrong type, array; ",
		sound + `{"session":"s","loop":`:                    "l:2:22: unexpected end of JSON input; ",
		sound + `{"session":"` + strings.Repeat("s", 1<<20): "l:2: a line of more than 1048576 bytes; ",
		`{"session":"s","loop":"yes"}`:                      "l:1: loop is neither true nor false; ",
	} {
		if got, err := ReadLabels("l", strings.NewReader(text)); err == nil || !strings.HasPrefix(err.Error(), want) || !strings.HasSuffix(err.Error(), `; each line is {"session": "...", "loop": true or false}`) {
			t.Errorf("%q: %v, %v, want %s", text, got, err, want)
		}
	}
	const both = `l:2: session "s" is labelled true and false`
	if got, err := ReadLabels("l", strings.NewReader(sound+`{"session":"s","loop":false}`)); err == nil || err.Error() != both {
		t.Errorf("%v, %v, want %s", got, err, both)
	}
}
