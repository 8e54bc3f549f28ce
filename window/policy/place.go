package policy

import (
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// place is where a value stands.
type place struct {
	line, column int
	path         string
	text         layout
}

func placeOf(n ast.Node, path string) place {
	at := place{path: path, text: layoutOf(n)}
	if t := n.GetToken(); t != nil && t.Position != nil {
		at.line, at.column = t.Position.Line, t.Position.Column
	}
	// A mapping's own token is the colon of its first member.
	if m, ok := n.(*ast.MappingNode); ok && len(m.Values) > 0 && !m.IsFlowStyle {
		return placeOf(m.Values[0].Key, path)
	}
	return at
}

// layout says how a text stands in the file, so that a place inside it can be
// named.
type layout struct {
	exact  bool // the text stands there as it is: one line, or a literal block
	block  bool // it begins on the next line
	indent int  // columns before each line of it
}

func layoutOf(n ast.Node) layout {
	switch n := n.(type) {
	case *ast.StringNode:
		origin := strings.TrimSpace(n.Token.Origin)
		switch origin {
		case n.Value:
			return layout{exact: !strings.Contains(n.Value, "\n")}
		case `"` + n.Value + `"`, "'" + n.Value + "'":
			return layout{exact: true, indent: 1}
		}
	case *ast.LiteralNode:
		margin := func(s string) int { return len(s) - len(strings.TrimLeft(s, " ")) }
		if strings.HasPrefix(n.Start.Value, "|") {
			return layout{exact: true, block: true, indent: margin(n.Value.Token.Origin) - margin(n.Value.Value)}
		}
	}
	return layout{}
}

// inside is the place of a line and column, from 1, of the text at p; that of
// the text where they cannot be told.
func (p place) inside(line, column int) place {
	switch {
	case !p.text.exact:
	case p.text.block:
		p.line, p.column = p.line+line, p.text.indent+column
	case line == 1:
		p.column += p.text.indent + column - 1
	}
	return p
}
