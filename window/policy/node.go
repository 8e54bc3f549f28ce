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

func (v Value) problem(format string, args ...any) { v.r.problem(v.at, format, args...) }

// misread is a problem of a value that cannot be read. What is found later of
// that value, or of what is inside it, follows from this one.
func (v Value) misread(format string, args ...any) {
	v.r.spoil(v.at.path)
	v.problem(format, args...)
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

// found is a member of a mapping as it stands there: its name, the place of that, and
// the value.
type found struct {
	name string
	key  place
	Value
}

// members are those that a mapping has, in their order; not ok is none.
func (v Value) members() (list []found, ok bool) {
	m, ok := asMapping(v.node)
	if !ok {
		return nil, false
	}
	for _, x := range m.Values {
		name := keyText(x.Key)
		path := member(v.at.path, name)
		list = append(list, found{name, placeOf(x.Key, path), Value{v.r, x.Value, placeOf(x.Value, path)}})
	}
	return list, true
}

// mapping reads the members of a mapping. Members that are not known, and members
// given twice, are problems. The one that a member was meant to be is not missed
// besides.
// Hidden ones are no members, but have something to say.
func (v Value) mapping(members []entry, hidden ...entry) {
	list, ok := v.members()
	if !ok {
		v.misread("must be a mapping, is %s", kindOf(v.node))
		return
	}
	r := v.r
	given := func(name string) bool {
		return slices.ContainsFunc(list, func(x found) bool { return x.name == name })
	}
	seen := map[string]bool{}
	for _, x := range list {
		i := slices.IndexFunc(members, func(e entry) bool { return e.name == x.name })
		h := slices.IndexFunc(hidden, func(e entry) bool { return e.name == x.name })
		switch {
		case h >= 0:
			hidden[h].read(Value{r, x.node, x.key})
		case i < 0:
			names := named(members, func(e entry) string { return e.name })
			r.problem(x.key, "unknown field%s", suggest(x.name, names))
			if meant := Meant(x.name, names); meant != "" && !given(meant) {
				r.spoil(member(v.at.path, meant))
			}
		case seen[x.name]:
			r.problem(x.key, "is there twice")
		default:
			seen[x.name] = true
			if r.places == nil {
				r.places = map[string]place{}
			}
			r.places[x.at.path] = x.at
			members[i].read(x.Value)
		}
	}
}

func keyText(k ast.MapKeyNode) string { return k.(*ast.StringNode).Value } // refused lets no other through

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

func texts(to *[]string) form {
	return words(to, func(string) string { return "" }, object{"type": "string"})
}

// words are a list of texts, of which those are taken with which there is no
// problem.
func words(to *[]string, problem func(string) string, items object) form {
	return form{func(v Value) {
		*to = []string{}
		v.List(func(v Value) {
			text, ok := v.textOf()
			if !ok {
				return
			}
			if what := problem(text); what != "" {
				v.misread("%s", what)
				return
			}
			*to = append(*to, text)
		})
	}, array(items)}
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

func (v Value) textOf() (string, bool) {
	if text, ok := stringOf(v.node); ok {
		return text, true
	}
	v.misread("must be a text, is %s", kindOf(v.node))
	return "", false
}

func text(to *string) form {
	return form{func(v Value) { *to, _ = v.textOf() }, object{"type": "string"}}
}

// choice is one of several words.
func choice[T ~string](words []T, to *T) form { return choiceOf(words, words, to) }

// choiceOf is one of words, of which some are told.
func choiceOf[T ~string](words, told []T, to *T) form {
	return form{func(v Value) {
		text, ok := v.textOf()
		switch {
		case !ok:
		case !slices.Contains(words, T(text)):
			v.misread("%q is unknown%s", text, suggest(text, namesOf(told)))
		default:
			*to = T(text)
		}
	}, object{"enum": words}}
}

func boolean(to *bool) form {
	return form{func(v Value) {
		if b, ok := v.node.(*ast.BoolNode); ok {
			*to = b.Value
			return
		}
		v.problem("must be true or false, is %s", kindOf(v.node))
	}, object{"type": "boolean"}}
}

func integer(to *int) form {
	return form{func(v Value) {
		i, ok := v.node.(*ast.IntegerNode)
		if !ok || octal.MatchString(i.Token.Value) {
			v.misread("must be a whole number, is %s", kindOf(v.node))
			return
		}
		switch x := i.Value.(type) {
		case int64:
			*to = int(x)
		case uint64:
			*to = int(min(x, math.MaxInt64))
		}
	}, object{"type": "integer"}}
}

// within is an integer that must be of a range.
func within(to *int, least, most int) form {
	return form{integer(to).read, object{"type": "integer", "minimum": least, "maximum": most}}
}

var digits = regexp.MustCompile(`^-?[0-9]{19,}$`)

// octal is what some readers of YAML take for 8 where others read 10, or the
// other way round: 010.
var octal = regexp.MustCompile(`^[-+]?0[0-9_]+$`)

var scientific = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?[eE][+-]?[0-9]+$`)

// decimal is a number that is not negative.
func decimal(to *float64) form {
	return form{func(v Value) {
		x, ok := decimalOf(v.node)
		if !ok {
			v.misread("must be a number, is %s", kindOf(v.node))
			return
		}
		if *to = x; x < 0 {
			v.problem("must not be negative")
		}
	}, object{"type": "number", "minimum": 0}}
}

func decimalOf(n ast.Node) (x float64, ok bool) {
	switch n := n.(type) {
	case *ast.FloatNode:
		return n.Value, true
	case *ast.IntegerNode:
		ok = !octal.MatchString(n.Token.Value)
		switch x := n.Value.(type) {
		case int64:
			return float64(x), ok
		case uint64:
			return float64(x), ok
		}
	case *ast.StringNode: // the parser takes 1e-06 for a text
		x, err := strconv.ParseFloat(n.Value, 64)
		return x, err == nil && n.Token.Type == token.StringType && scientific.MatchString(n.Value)
	}
	return 0, false
}

// duration is 90s, 10m, 1h30m or 7d.
func duration(to *time.Duration) form {
	return form{func(v Value) {
		if i, ok := v.node.(*ast.IntegerNode); ok {
			v.misread("needs a unit: write %vs for seconds", i.Value)
			return
		}
		text, ok := stringOf(v.node)
		if !ok {
			v.misread("must be a duration as in 90s or 10m, is %s", kindOf(v.node))
			return
		}
		d, ok := ParseDuration(text)
		if !ok {
			v.misread("%q is no duration: write it as 90s, 10m, 1h30m or 7d, from 1us to 3650d", text)
			return
		}
		*to = d
	}, object{"type": "string", "pattern": `^([0-9]+d([0-9.]+(us|µs|ms|s|m|h))*|([0-9.]+(us|µs|ms|s|m|h))+)$`, "description": "; as in 90s, 10m, 7d"}}
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
