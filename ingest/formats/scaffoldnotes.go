package formats

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
	"github.com/loopgauge/loopgauge/ingest/wrap"
)

// notes stand above the fields: with which command the requests are taken out of the
// records, where they are in lists of them, or some of several kinds, and what cannot be
// read.
func (g *guesser) notes(times CustomField) (notes string) {
	list := g.list()
	inList := func(path string) bool { return strings.HasPrefix(path, list+".") }
	switch from := g.jq(list); {
	case from == "":
	case len(g.records) == 1:
		notes = fmt.Sprintf("# This is one record. If its requests are in a list of it, begin with that, and read that:\n# jq -c '%s[]' LOG | loopgauge formats --scaffold - > THIS.yaml\n", from)
	case heldCalls.MatchString(list) && !slices.ContainsFunc(times.Paths, inList):
		notes = fmt.Sprintf("# If its requests are in a list of each record, begin with that, and read that:\n# jq -c '. as $r | %s[] | . + {record: ($r | del(.%s))}' LOG | loopgauge formats --scaffold - > THIS.yaml\n", from, list)
	}
	switch {
	case g.only != "":
		notes += fmt.Sprintf("# Its records are of several kinds. Those of %s are\n# jq -c '%s | %s' LOG | loopgauge formats --format THIS.yaml -\n", g.onlyOf, cmp.Or(g.from, "arrays[], objects"), g.only)
	case g.paged:
		notes += fmt.Sprintf("# Its requests are in a list of one record. This reads them as they come from\n# jq -c '%s' LOG | loopgauge formats --format THIS.yaml -\n", g.from)
	}
	if len(g.spoiled) > 0 {
		notes += fmt.Sprintf("# Objects without their quotes, as DuckDB writes them into CSV, cannot be read back: have it\n# write JSON instead (COPY ... TO 'LOG.json'), or leave them out: %s\n", strings.Join(g.spoiled, ", "))
	}
	return notes
}

// heldCalls is a list that a trace holds its calls in.
var heldCalls = regexp.MustCompile(`(?i)^(?:spans|observations|calls|generations|runs|requests)$`)

// list is the path to a list of objects with times, if there is no other record, an
// export in one document, or nothing is said beside it.
func (g *guesser) list() (path string) {
	if len(g.records) > 1 && (len(g.talks) > 0 || g.shaped("body") != "" || g.guessed("messages", nil) != "") {
		return ""
	}
	for _, p := range slices.Concat(g.paths, g.deep) {
		list, _, ok := strings.Cut(p, ".0.")
		if ok && g.jq(list) != "" && (path == "" || strings.Count(list, ".") < strings.Count(path, ".")) {
			path = list
		}
	}
	return path
}

// inside gathers from the list that is all there is in the log, if reading looks into it,
// or if it is of requests: the page of an API.
func (g *guesser) inside() *guesser {
	list := g.list()
	if len(g.records) > 1 || list == "" {
		return nil
	}
	in := guesser{format: g.format, from: g.jq(list) + "[]"}
	held := rawjson.Value(g.records[0])
	for name := range strings.SplitSeq(list, ".") {
		in.paged = in.paged || !wrap.HoldsLines(name)
		var s rawjson.Scanner
		s.Reset(held)
		held = nil
		for s.Object(); s.NextNamed(name); {
			held = s.Value()
		}
	}
	if in.record(held); len(in.records) == 0 || in.paged && (in.isOther() || !g.isOther()) {
		return nil
	}
	return &in
}

// ofCalls gathers from calls of a model alone, if the records are of several kinds, or from
// those that have a URL, if others have none and none names a model, a tool or what was
// said.
func (g *guesser) ofCalls() *guesser {
	calls := guesser{format: g.format, from: g.from, paged: g.paged, onlyOf: "calls of a model"}
	path, kind := g.kinds()
	if path != "" {
		calls.only = fmt.Sprintf("select(%s == %q)", g.jq(path), kind)
	} else if path = g.urlOfSome(); path != "" {
		calls.only, calls.onlyOf = fmt.Sprintf("select(%s)", g.jq(path)), "requests"
	} else {
		return nil
	}
	for _, record := range g.records {
		one := guesser{format: g.format, records: [][]byte{record}}
		if values := one.values(path); len(values) > 0 && (kind == "" || string(values[0]) == kind) {
			calls.record(record)
		}
	}
	return &calls
}

// urlOfSome is the path to the URL, if not all records have one: a program writes its
// requests among all else, or a line as one comes and a line when it is over.
func (g *guesser) urlOfSome() string {
	if len(g.talks) > 0 || g.shaped("body") != "" || g.shaped("response") != "" || g.guessed("model", nil) != "" || g.guessed("tool_calls", nil) != "" {
		return ""
	}
	path := g.guessed("url", nil)
	if path == "" || g.jq(path) == "" || len(g.values(path)) == len(g.records) {
		return ""
	}
	return path
}

// kinds is the path to what tells calls of a model from other spans, and how that is said
// of them.
func (g *guesser) kinds() (path, calls string) {
	for _, p := range g.paths {
		if !kindName.MatchString(p) || g.jq(p) == "" {
			continue
		}
		calls, others := "", false
		for _, v := range g.values(p) {
			if kindOfCalls.Match(v) {
				calls = string(v)
			} else {
				others = true
			}
		}
		if calls != "" && others {
			return p, calls
		}
	}
	return "", ""
}

// kindName is of what says the kind of a span, and kindOfCalls what that of a model's
// call is called.
var (
	kindName    = regexp.MustCompile(`(?:[tT]ype|[kK]ind|operation\.name|\.op)$`)
	kindOfCalls = regexp.MustCompile(`(?i)^(?:llm|model|generation|chat_?model|(?:model|llm)_step|(?:gen_ai\.)?chat)$`)
)

// jq is a path as jq has it, which reads JSON alone: "" where that leads into a list, by
// a name that means something between quotes, or into a text with more in it. A name with
// dots in it holds no other one that is known.
func (g *guesser) jq(path string) string {
	if g.format.Pattern != nil || g.format.Columns != nil {
		return ""
	}
	known := g.has(path)
	from, jq := 0, ""
	for at := range len(path) + 1 {
		if at < len(path) && (path[at] != '.' || known && !g.has(path[:at])) {
			continue
		}
		switch name := path[from:at]; {
		case plainName.MatchString(name):
			jq += "." + name
		case strings.Trim(name, "0123456789") == "", strings.ContainsAny(name, `"'\`):
			return ""
		default:
			jq += `."` + name + `"`
		}
		if whole, in := g.inTexts[path[:at]]; in && whole {
			jq = "(" + jq + " | fromjson)"
		} else if in {
			return ""
		}
		from = at + 1
	}
	return jq
}

// plainName is a name that jq reads as it is.
var plainName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
