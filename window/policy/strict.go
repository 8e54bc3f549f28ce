package policy

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// Strict is another YAML file of the project, read as strictly as a policy and
// with problems that look the same.
type Strict struct {
	r    *reader
	text []byte
	doc  *ast.MappingNode // nil if the text is no mapping
}

// Member is how one member of a mapping is read.
type Member struct {
	Name string
	Read func(Value)
}

// Value is a value and the place where it stands.
type Value struct {
	r    *reader
	node ast.Node
	at   place
}

// NewStrict parses a text. noun is what such a file is called, members what it
// must have, and doc where it is described: messages name them.
func NewStrict(name string, text []byte, noun, members, doc string) *Strict {
	r := &reader{file: name, kind: kind{noun, members, doc}}
	return &Strict{r: r, text: text, doc: r.document(text)}
}

// Read hands every member to its reader, once.
func (s *Strict) Read(members ...Member) {
	if s.doc != nil {
		Value{r: s.r, node: s.doc}.Mapping(members...)
	}
}

// Missing adds the problem that a member is not there, unless it is misspelt.
func (s *Strict) Missing(member, what string) {
	s.r.check(place{line: 1, column: 1, path: member}, "%s", what)
}

// Err is everything that was wrong, in the order of the file: Errors or nil.
func (s *Strict) Err() error {
	if len(s.r.errors) == 0 {
		return nil
	}
	return s.r.errors.sorted()
}

// Replace gives the text with other lines for one member, from its key to its
// last line. Everything else stays as it is, comments too.
func (s *Strict) Replace(member, lines string) ([]byte, error) {
	if s.doc == nil || s.doc.IsFlowStyle {
		return nil, errors.New("cannot be rewritten: write each member on its own line")
	}
	i := slices.IndexFunc(s.doc.Values, func(v *ast.MappingValueNode) bool { return keyText(v.Key) == member })
	if i < 0 {
		return nil, errors.New("cannot be rewritten: there is no " + member)
	}
	text := unmarked(s.text)
	mark, all := s.text[:len(s.text)-len(text)], splitLines(text)
	from, to := placeOf(s.doc.Values[i].Key, "").line-1, len(all)
	if i+1 < len(s.doc.Values) {
		to = placeOf(s.doc.Values[i+1].Key, "").line - 1
	}
	// Blank lines and comments from the margin on belong to what follows.
	for to > from+1 {
		last := bytes.TrimRight(all[to-1], "\r\n\t ")
		if len(last) > 0 && last[0] != '#' {
			break
		}
		to--
	}
	return slices.Concat(mark, bytes.Join(all[:from], nil), []byte(lines), bytes.Join(all[to:], nil)), nil
}

// splitLines splits text behind what ends a line in YAML: \n, \r\n, and \r alone.
func splitLines(text []byte) (lines [][]byte) {
	for {
		end := bytes.IndexAny(text, "\r\n") + 1
		if end == 0 {
			return append(lines, text)
		}
		if bytes.HasPrefix(text[end-1:], []byte("\r\n")) {
			end++
		}
		lines = append(lines, text[:end])
		text = text[end:]
	}
}

// Problem is one about this value, not yet added to any.
func (v Value) Problem(what string) Problem {
	return Problem{v.r.file, v.at.line, v.at.column, v.at.path, what}
}

// Reject adds a problem about this value.
func (v Value) Reject(what string) { v.r.errors = append(v.r.errors, v.Problem(what)) }

// Lacks adds the problem that a mapping has none of some members, unless one is
// there misspelt, or cannot be read.
func (v Value) Lacks(what string, members ...string) { v.r.lacks(v.at, what, members...) }

// Set tells whether the value was there.
func (v Value) Set() bool { return v.r != nil }

// Mapping hands every member to its reader, once.
func (v Value) Mapping(members ...Member) {
	var entries []entry
	for _, m := range members {
		entries = append(entries, entry{name: m.Name, form: form{read: m.Read}})
	}
	v.mapping(entries)
}

// List hands over every element.
func (v Value) List(read func(Value)) {
	s, ok := v.node.(*ast.SequenceNode)
	if !ok {
		v.misread("must be a list, is %s", kindOf(v.node))
		return
	}
	for i, n := range s.Values {
		read(Value{v.r, n, placeOf(n, fmt.Sprintf("%s[%d]", v.at.path, i))})
	}
}

// Members hands over every member of a mapping whose names the file chooses.
func (v Value) Members(read func(name string, v Value)) {
	list, ok := v.members()
	if !ok {
		v.misread("must be a mapping, is %s", kindOf(v.node))
		return
	}
	seen := map[string]bool{}
	for _, x := range list {
		if seen[x.name] {
			v.r.problem(x.key, "is there twice")
			continue
		}
		seen[x.name] = true
		read(x.name, x.Value)
	}
}

// Shape is what the value is, in words: a text, a list, a mapping, a number.
func (v Value) Shape() string { return kindOf(v.node) }

// IsText tells a text from anything else.
func (v Value) IsText() bool { return kindOf(v.node) == "a text" }

// Text reads a text that is not empty.
func (v Value) Text() string {
	text, ok := v.textOf()
	if ok && strings.TrimSpace(text) == "" {
		v.Reject("must not be empty")
	}
	return text
}

// Plain is a text as it is, also an empty one; "" for anything else.
func (v Value) Plain() string {
	text, _ := stringOf(v.node)
	return text
}

// Integer reads a whole number of at least the least.
func (v Value) Integer(least int) int {
	n, before := 0, len(v.r.errors)
	integer(&n).read(v)
	if len(v.r.errors) == before && n < least {
		v.problem("must be at least %d, is %d", least, n)
	}
	return n
}

// Number reads a number that is not negative.
func (v Value) Number() float64 {
	var x float64
	decimal(&x).read(v)
	return x
}

// OneOf rejects a word that is not one of them.
func (v Value) OneOf(words []string) string {
	var word string
	choice(words, &word).read(v)
	return word
}
