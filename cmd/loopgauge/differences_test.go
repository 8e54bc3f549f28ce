package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// differences says briefly how verdicts differ, as sorted lines: how many are
// in one of two lists only, by the raw partitions that their requests came
// from; and which requests watch called late, by raw partition.
func (ps *processes) differences(want, got []string, split [][]string) string {
	from := map[string]string{} // partitions by id
	for p, lines := range split {
		for _, line := range lines {
			var r struct{ ID string }
			if json.Unmarshal([]byte(line), &r) == nil {
				from[r.ID] += fmt.Sprintf(" %d", p)
			}
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d verdicts replayed, %d shared", len(want), len(got))
	count := func(what string, n map[string]int) {
		b.WriteString("\n" + what)
		for _, key := range slices.Sorted(maps.Keys(n)) {
			fmt.Fprintf(&b, "\n  %5d of raw partition%s", n[key], key)
		}
	}
	only := func(what string, lines, others []string) {
		n := map[string]int{}
		example := ""
		for _, line := range lines {
			if _, found := slices.BinarySearch(others, line); found {
				continue
			}
			var v struct{ ID string }
			if err := json.Unmarshal([]byte(line), &v); err != nil {
				n[" (no JSON)"]++
			}
			n[from[v.ID]]++
			example = "\n  such as " + line
		}
		count(what, n)
		b.WriteString(strings.TrimSuffix(example, "\n"))
	}
	only("replayed only:", want, got)
	only("shared only:", got, want)
	late := map[string]int{}
	places := map[string]bool{}
	for _, p := range ps.all {
		for _, m := range lateLine.FindAllStringSubmatch(p.out.String(), -1) {
			if !places[m[0]] {
				late[" "+m[1]]++
			}
			places[m[0]] = true
		}
	}
	count("late to watch:", late)
	return b.String()
}

// lateLine is what watch says of a late request with --verbose.
var lateLine = regexp.MustCompile(`msg="request not judged" stream=(\d+) offset=\d+ why="late`)
