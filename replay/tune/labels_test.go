package tune

import (
	"maps"
	"strings"
	"testing"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window"
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
}

// TestClassOfThree: a rule that does not count the first finds a loop in three.
func TestClassOfThree(t *testing.T) {
	for again, want := range map[bool]Class{false: Neither, true: Loop} {
		rule := &window.Rule{Identity: &fingerprint.Identity{Again: again}}
		for _, kind := range []window.Kind{window.Retry, window.Stuck} {
			if class, _ := (Labels{}).class(&Repeat{Rule: rule, Kind: kind, Requests: 3, top: 3}); class != want {
				t.Errorf("%s: class %d, want %d", kind, class, want)
			}
		}
	}
}

// Sessions are flagged or not, and loops or not.
func TestScore(t *testing.T) {
	r, flagged := &Report{Options: Options{Labels: Labels{}}}, map[string]bool{}
	for _, who := range "abcdEFGHIJK" {
		r.Options.Labels[string(who)] = who >= 'a'
		flagged[string(who)] = strings.ContainsRune("abcEF", who)
	}
	if got, want := r.score(flagged), (Score{TruePositive: 3, FalseNegative: 1, FalsePositive: 2, TrueNegative: 5}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
