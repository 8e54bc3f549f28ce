package main

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/loopgauge/loopgauge/ingest/formats"
	"github.com/loopgauge/loopgauge/window/policy"
)

// customName is what a format of the user's may be called: what the output
// and the state of a watch can hold.
var customName = regexp.MustCompile(`^[a-z0-9][a-z0-9_.-]*$`)

// durationUnits are the units of a duration that is logged as a number.
var durationUnits = []string{"s", "ms", "us", "ns"}

// customReader reads a custom format.
type customReader struct {
	*formats.Custom
	pattern policy.Value
}

// parseCustom reads a custom format. The error is policy.Errors, with every
// problem.
func parseCustom(file string, text []byte) (*formats.Custom, error) {
	c := customReader{Custom: &formats.Custom{}}
	s := policy.NewStrict(file, text, "format", "fields", "docs/formats.md")
	s.Read(
		policy.Member{Name: "name", Read: c.readName},
		policy.Member{Name: "pattern", Read: c.readPattern},
		policy.Member{Name: "columns", Read: c.readColumns},
		policy.Member{Name: "separator", Read: c.readSeparator},
		policy.Member{Name: "missing", Read: func(v policy.Value) {
			v.List(func(v policy.Value) { c.Missing = append(c.Missing, plainText(v)) })
		}},
		policy.Member{Name: "timezone", Read: func(v policy.Value) {
			var z zone
			if err := z.Set(v.Text()); err != nil {
				v.Reject(err.Error())
			}
			c.Zone = z.Location
		}},
		policy.Member{Name: "fields", Read: c.readFields},
		policy.Member{Name: "attributes", Read: func(v policy.Value) {
			v.Members(func(name string, v policy.Value) {
				c.Attributes = append(c.Attributes, readCustomField(name, v))
			})
		}},
	)
	if err := s.Err(); err != nil {
		return nil, err
	}
	c.check(file, s)
	return c.Custom, s.Err()
}

func (c *customReader) readName(v policy.Value) {
	if c.Name = v.Text(); !customName.MatchString(c.Name) {
		v.Reject("must consist of a-z, 0-9, - _ and dots")
	} else if formats.ByName(c.Name) != nil {
		v.Reject("is the name of a built-in format: choose another")
	}
}

func (c *customReader) readPattern(v policy.Value) {
	c.pattern = v
	re, err := regexp.Compile(v.Text())
	if err != nil {
		v.Reject(strings.TrimPrefix(err.Error(), "error parsing regexp: ") + " (RE2: no look-around, no back references)")
		return
	}
	c.Pattern = re
}

func (c *customReader) readColumns(v policy.Value) {
	v.List(func(v policy.Value) {
		name := "" // as of the numbers that pandas gives rows
		if !v.IsText() || v.Plain() != "" {
			name = v.Text()
		}
		if slices.Contains(c.Columns, name) {
			v.Reject("is the name of two columns: call one otherwise")
		} else {
			c.Columns = append(c.Columns, name)
		}
	})
}

func (c *customReader) readSeparator(v policy.Value) {
	if separator := v.Plain(); len(separator) == 1 && separator != `"` && separator != " " {
		c.Separator = separator[0]
	} else {
		v.Reject(`must be one character, such as ';' or "\t"`)
	}
}

func (c *customReader) readFields(v policy.Value) {
	var members []policy.Member
	for _, f := range formats.CustomFields {
		members = append(members, policy.Member{Name: f.Name, Read: func(v policy.Value) {
			c.Fields = append(c.Fields, readCustomField(f.Name, v))
		}})
	}
	v.Mapping(members...)
	named := func(name string) bool {
		return slices.ContainsFunc(c.Fields, func(f formats.CustomField) bool { return f.Name == name })
	}
	if !named("time") && !named("end") {
		v.Lacks("time is missing: without it no request can be judged", "time", "end")
	}
}

// check looks at what members say together, and settles what they leave open.
func (c *customReader) check(file string, s *policy.Strict) {
	if len(c.Fields) == 0 {
		s.Missing("fields", "is missing: say where time and the rest stand, as docs/formats.md does")
	}
	switch {
	case c.Pattern != nil && c.Columns != nil:
		c.pattern.Reject("is for text, and columns are for CSV: give one of them")
	case c.Separator != 0 && c.Columns == nil:
		s.Missing("columns", "is missing: separator is for CSV, which has columns")
	case c.Separator == 0:
		c.Separator = ','
	}
	switch {
	case c.Pattern != nil:
		c.checkGroups()
	case c.Columns != nil:
		c.checkColumns(s)
	}
	if c.Name == "" {
		c.Name = strings.ToLower(strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)))
		if !customName.MatchString(c.Name) || formats.ByName(c.Name) != nil {
			s.Missing("name", "is missing: the file's name is no name for a format, or that of a built-in one")
		}
	}
}

// checkGroups wants every first name of a path to be that of a group.
func (c *customReader) checkGroups() {
	groups := slices.DeleteFunc(slices.Clone(c.Pattern.SubexpNames()), func(name string) bool { return name == "" })
	if len(groups) == 0 {
		c.pattern.Reject("has no named group: write (?P<time>...) around what is to be read")
		return
	}
	for _, f := range slices.Concat(c.Fields, c.Attributes) {
		for _, path := range f.Paths {
			first, _, _ := strings.Cut(path, ".")
			if !slices.Contains(groups, first) {
				c.pattern.Reject(fmt.Sprintf("has no group %s, which %s is to be read from; there are %s", first, f.Name, strings.Join(groups, ", ")))
			}
		}
	}
}

// checkColumns wants every path to begin with the name of a column.
func (c *customReader) checkColumns(s *policy.Strict) {
	for _, f := range slices.Concat(c.Fields, c.Attributes) {
		for _, path := range f.Paths {
			if !slices.ContainsFunc(c.Columns, func(name string) bool { return path == name || strings.HasPrefix(path, name+".") }) {
				s.Missing("columns", fmt.Sprintf("have no %s, which %s is to be read from; there are %s", path, f.Name, strings.Join(c.Columns, ", ")))
			}
		}
	}
}

// readCustomField reads a path, a list of paths, or a mapping.
func readCustomField(name string, v policy.Value) formats.CustomField {
	f := formats.CustomField{Name: name}
	paths := func(v policy.Value) {
		add := func(v policy.Value) {
			path := v.Text()
			if strings.HasPrefix(path, "$") || strings.HasPrefix(path, ".") || strings.HasSuffix(path, ".") || formats.HasIndex(path) {
				v.Reject("is no path: write names with dots between them, and numbers for elements of a list, as in choices.0.message")
			}
			f.Paths = append(f.Paths, path)
		}
		if v.IsText() {
			add(v)
			return
		}
		v.List(add)
	}
	switch v.Shape() {
	case "a text", "a list":
		paths(v)
	case "a mapping":
		given := false
		v.Mapping(
			policy.Member{Name: "path", Read: func(v policy.Value) { given = true; paths(v) }},
			policy.Member{Name: "const", Read: func(v policy.Value) { text := plainText(v); given, f.Const = true, &text }},
			policy.Member{Name: "layout", Read: func(v policy.Value) {
				f.Layout = v.Text()
				if name != "time" && name != "end" {
					v.Reject("is for time and end alone")
				} else if why := formats.CheckLayout(f.Layout); why != "" {
					v.Reject(why)
				}
			}},
			policy.Member{Name: "unit", Read: func(v policy.Value) {
				d, err := time.ParseDuration("1" + v.OneOf(durationUnits))
				if f.Unit = d; name != "duration" && err == nil {
					v.Reject("is for duration alone")
				}
			}},
		)
		switch {
		case !given:
			v.Lacks("needs path, or const", "path", "const")
		case f.Const != nil && len(f.Paths) > 0:
			v.Reject("give either path or const")
		}
	default:
		v.Reject("must be a path, a list of paths or a mapping, is " + v.Shape())
	}
	if f.Const != nil && slices.Contains([]string{"time", "end", "duration"}, name) {
		v.Reject("cannot be the same for all requests: give a path")
	}
	return f
}

// plainText reads a text that may be empty.
func plainText(v policy.Value) string {
	if v.IsText() {
		return v.Plain()
	}
	v.Reject("must be a text, is " + v.Shape() + ": put it in quotes")
	return ""
}
