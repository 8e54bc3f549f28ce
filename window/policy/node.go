package policy

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"github.com/loopgauge/loopgauge/window"
)

// reader turns YAML nodes into values and gathers what is wrong with them.
type reader struct {
	file   string
	kind   kind
	errors Errors
	wrong  map[string]bool  // paths of the values that could not be read, or whose names are misspelt
	places map[string]place // of the members of mappings that are there, by their paths
}

// kind is what a reader calls its file.
type kind struct{ noun, members, doc string }

var policyKind = kind{"policy", "version and rules", "docs/policy.md"}

func (r *reader) problem(at place, format string, args ...any) {
	r.errors = append(r.errors, Problem{r.file, at.line, at.column, at.path, fmt.Sprintf(format, args...)})
}

// misread is a problem of a value that cannot be read. What is found later of
// that value, or of what is inside it, follows from this one.
func (r *reader) misread(at place, format string, args ...any) {
	r.spoil(at.path)
	r.problem(at, format, args...)
}

func (r *reader) spoil(path string) {
	if r.wrong == nil {
		r.wrong = map[string]bool{}
	}
	r.wrong[path] = true
}

// check is a problem that shows once all is read, unless a misread value is
// the cause of it.
func (r *reader) check(at place, format string, args ...any) {
	for path := at.path; path != ""; path = path[:max(0, strings.LastIndexAny(path, ".["))] {
		if r.wrong[path] {
			return
		}
	}
	r.problem(at, format, args...)
}

// lacks is a problem of a mapping for want of one of some members, unless one is
// there misspelt, or cannot be read.
func (r *reader) lacks(at place, what string, members ...string) {
	if !slices.ContainsFunc(members, func(name string) bool { return r.wrong[member(at.path, name)] }) {
		r.check(at, "%s", what)
	}
}

// given tells whether a member of the mapping at a place is there.
func (r *reader) given(at place, name string) bool {
	_, given := r.places[member(at.path, name)]
	return given
}

// where is the place of a member of the mapping at a place: where it stands, or the
// mapping if it does not.
func (r *reader) where(at place, name string) place {
	path := member(at.path, name)
	if here, given := r.places[path]; given {
		return here
	}
	at.path = path
	return at
}

// member is the path of a member of a mapping.
func member(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func asMapping(n ast.Node) (*ast.MappingNode, bool) {
	switch n := n.(type) {
	case *ast.MappingNode:
		return n, true
	case *ast.MappingValueNode:
		return ast.Mapping(n.GetToken(), false, n), true
	}
	return nil, false
}

// field is how a member of a mapping is read.
type field struct {
	name string
	read func(n ast.Node, at place)
}

// mapping reads the members of a mapping. Members without a field, and members
// given twice, are problems. The field that a member was meant to be is not missed
// besides.
// Hidden fields are no members, but have something to say.
func (r *reader) mapping(n ast.Node, at place, fields []field, hidden ...field) {
	m, ok := asMapping(n)
	if !ok {
		r.misread(at, "must be a mapping, is %s", kindOf(n))
		return
	}
	given := func(name string) bool {
		return slices.ContainsFunc(m.Values, func(v *ast.MappingValueNode) bool { return keyText(v.Key) == name })
	}
	seen := map[string]bool{}
	for _, v := range m.Values {
		name := keyText(v.Key)
		path := member(at.path, name)
		i := slices.IndexFunc(fields, func(f field) bool { return f.name == name })
		h := slices.IndexFunc(hidden, func(f field) bool { return f.name == name })
		switch {
		case h >= 0:
			hidden[h].read(v.Value, placeOf(v.Key, path))
		case i < 0:
			names := named(fields, func(f field) string { return f.name })
			r.problem(placeOf(v.Key, path), "unknown field%s", suggest(name, names))
			if meant := Meant(name, names); meant != "" && !given(meant) {
				r.spoil(member(at.path, meant))
			}
		case seen[name]:
			r.problem(placeOf(v.Key, path), "is there twice")
		default:
			seen[name] = true
			here := placeOf(v.Value, path)
			if r.places == nil {
				r.places = map[string]place{}
			}
			r.places[path] = here
			fields[i].read(v.Value, here)
		}
	}
}

func keyText(k ast.MapKeyNode) string {
	if s, ok := k.(*ast.StringNode); ok {
		return s.Value
	}
	return strings.TrimSpace(k.String())
}

func kindOf(n ast.Node) string {
	switch n := n.(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
		return "a mapping"
	case *ast.SequenceNode:
		return "a list"
	case *ast.NullNode:
		return "empty"
	case *ast.StringNode:
		if n.Token.Type == token.StringType && digits.MatchString(n.Value) { // the parser takes it for a text
			return "one that is too large"
		}
		return "a text"
	case *ast.LiteralNode:
		return "a text"
	case *ast.IntegerNode:
		if octal.MatchString(n.Token.Value) {
			return "one that begins with 0"
		}
		return "a number"
	case *ast.FloatNode:
		return "a number with a fraction"
	case *ast.InfinityNode, *ast.NanNode:
		return "not finite"
	case *ast.BoolNode:
		return "true or false"
	}
	return "something else"
}

// list reads the elements of a list.
func (r *reader) list(n ast.Node, at place, read func(n ast.Node, at place)) {
	s, ok := n.(*ast.SequenceNode)
	if !ok {
		r.misread(at, "must be a list, is %s", kindOf(n))
		return
	}
	for i, v := range s.Values {
		read(v, placeOf(v, fmt.Sprintf("%s[%d]", at.path, i)))
	}
}

func (r *reader) texts(to *[]string) func(ast.Node, place) {
	return r.words(to, func(string) string { return "" })
}

// words reads a list of texts, and takes those with which there is no problem.
func (r *reader) words(to *[]string, problem func(string) string) func(ast.Node, place) {
	return func(n ast.Node, at place) {
		*to = []string{}
		r.list(n, at, func(n ast.Node, at place) {
			text, ok := r.textOf(n, at)
			if !ok {
				return
			}
			if what := problem(text); what != "" {
				r.misread(at, "%s", what)
				return
			}
			*to = append(*to, text)
		})
	}
}

func stringOf(n ast.Node) (string, bool) {
	switch n := n.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.LiteralNode:
		return n.Value.Value, true
	}
	return "", false
}

func (r *reader) textOf(n ast.Node, at place) (string, bool) {
	if text, ok := stringOf(n); ok {
		return text, true
	}
	r.misread(at, "must be a text, is %s", kindOf(n))
	return "", false
}

func (r *reader) text(to *string) func(ast.Node, place) {
	return func(n ast.Node, at place) { *to, _ = r.textOf(n, at) }
}

// choice reads one of several words.
func (r *reader) choice(words []string, set func(string)) func(ast.Node, place) {
	return r.choiceOf(words, words, set)
}

// choiceOf takes one of words, and tells of some.
func (r *reader) choiceOf(words, told []string, set func(string)) func(ast.Node, place) {
	return func(n ast.Node, at place) {
		text, ok := r.textOf(n, at)
		switch {
		case !ok:
		case !slices.Contains(words, text):
			r.misread(at, "%q is unknown%s", text, suggest(text, told))
		default:
			set(text)
		}
	}
}

func (r *reader) boolean(to *bool) func(ast.Node, place) {
	return func(n ast.Node, at place) {
		if b, ok := n.(*ast.BoolNode); ok {
			*to = b.Value
			return
		}
		r.problem(at, "must be true or false, is %s", kindOf(n))
	}
}

func (r *reader) integer(to *int) func(ast.Node, place) {
	return func(n ast.Node, at place) {
		i, ok := n.(*ast.IntegerNode)
		if !ok || octal.MatchString(i.Token.Value) {
			r.misread(at, "must be a whole number, is %s", kindOf(n))
			return
		}
		switch v := i.Value.(type) {
		case int64:
			*to = int(v)
		case uint64:
			*to = int(min(v, math.MaxInt64))
		}
	}
}

var digits = regexp.MustCompile(`^-?[0-9]{19,}$`)

// octal is what some readers of YAML take for 8 where others read 10, or the
// other way round: 010.
var octal = regexp.MustCompile(`^[-+]?0[0-9_]+$`)

var scientific = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?[eE][+-]?[0-9]+$`)

func (r *reader) number(to *float64) func(ast.Node, place) {
	return func(n ast.Node, at place) {
		switch n := n.(type) {
		case *ast.FloatNode:
			*to = n.Value
		case *ast.IntegerNode:
			if octal.MatchString(n.Token.Value) {
				r.misread(at, "must be a number, is %s", kindOf(n))
				return
			}
			switch v := n.Value.(type) {
			case int64:
				*to = float64(v)
			case uint64:
				*to = float64(v)
			}
		case *ast.StringNode:
			// The parser takes 1e-06 for a text.
			v, err := strconv.ParseFloat(n.Value, 64)
			if err != nil || n.Token.Type != token.StringType || !scientific.MatchString(n.Value) {
				r.misread(at, "must be a number, is %s", kindOf(n))
				return
			}
			*to = v
		default:
			r.misread(at, "must be a number, is %s", kindOf(n))
			return
		}
		if *to < 0 {
			r.problem(at, "must not be negative")
		}
	}
}

// duration reads 90s, 10m, 1h30m or 7d.
func (r *reader) duration(to *time.Duration) func(ast.Node, place) {
	return func(n ast.Node, at place) {
		if i, ok := n.(*ast.IntegerNode); ok {
			r.misread(at, "needs a unit: write %vs for seconds", i.Value)
			return
		}
		text, ok := stringOf(n)
		if !ok {
			r.misread(at, "must be a duration as in 90s or 10m, is %s", kindOf(n))
			return
		}
		d, ok := ParseDuration(text)
		if !ok {
			r.misread(at, "%q is no duration: write it as 90s, 10m, 1h30m or 7d, from 1us to 3650d", text)
			return
		}
		*to = d
	}
}

// maxDuration is the most of any duration, as it is of the lateness.
const maxDuration = window.MaxLateness

// ParseDuration reads a duration as policies write it: 90d, 36h, 1d12h, 10s. It is
// at most ten years and of whole microseconds; ok is false for anything else.
func ParseDuration(text string) (d time.Duration, ok bool) {
	var days time.Duration
	if head, tail, ok := strings.Cut(text, "d"); ok {
		n, err := strconv.Atoi(head)
		if err != nil || n < 0 || n > 3650 {
			return 0, false
		}
		days = time.Duration(n) * 24 * time.Hour
		if text = tail; text == "" {
			return days, true
		}
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 || d > maxDuration-days || d%time.Microsecond != 0 {
		return 0, false
	}
	return d + days, true
}
