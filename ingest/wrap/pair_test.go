package wrap

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// TestPairOrder: a pair says the same whichever of its members stands first, at each depth.
func TestPairOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sorted, mixed := anyPairs(t, 4)
		read := func(list string) (string, error) {
			var s rawjson.Scanner
			s.Reset([]byte(list))
			text := appendMembers(nil, &s)
			return string(text), s.End()
		}
		want, wrong := read(sorted)
		got, err := read(mixed)
		if got != want && wrong == nil || (err == nil) != (wrong == nil) {
			t.Errorf("%s is %s, %v, but %s is %s, %v", mixed, got, err, sorted, want, wrong)
		}
	})
}

// anyPairs draws a list of pairs, each key in front of its value, and again with their
// members in any order, and others between.
func anyPairs(t *rapid.T, depth int) (sorted, mixed string) {
	var inOrder, shuffled []string
	for range rapid.IntRange(0, 3).Draw(t, "pairs") {
		value := rapid.SampledFrom([]string{`{"stringValue":"\u0061\"b"}`, `{"intValue":"8"}`, `{"boolValue":true}`, `{}`, `null`, `{"stringValue":"\q"}`, `{"boolValue":tru}`}).Draw(t, "value")
		other := value
		if depth > 0 && rapid.Bool().Draw(t, "nests") {
			value, other = anyPairs(t, depth-1)
			open := rapid.SampledFrom([]string{`{"kvlistValue":{"values":`, `{"kvlistValue": {"values" : `}).Draw(t, "open")
			value, other = open+value+"}}", open+other+"}}"
			if rapid.Bool().Draw(t, "list") {
				value, other = `{"arrayValue":{"values":[`+value+`,{"intValue":1}]}}`, `{"arrayValue":{"values":[`+other+`,{"intValue":1}]}}`
			}
		}
		key := rapid.SampledFrom([]string{`"key":"a"`, `"key": "\u0062"`, `"key":""`}).Draw(t, "key")
		inOrder = append(inOrder, "{"+key+`,"value":`+value+"}")
		members := rapid.Permutation([]string{key, `"value":` + other, `"type" : "\u0063"`}).Draw(t, "members")
		shuffled = append(shuffled, "{"+strings.Join(members, rapid.SampledFrom([]string{",", " , ", ",\n"}).Draw(t, "comma"))+"}")
	}
	return "[" + strings.Join(inOrder, ",") + "]", "[" + strings.Join(shuffled, ",") + "]"
}
