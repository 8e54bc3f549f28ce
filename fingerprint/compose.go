package fingerprint

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// chosen is a part of an identity with its argument.
type chosen struct {
	part  *Part
	order int
	label string // as in the canonical form
	open  []byte // what stands there before the value
	n     int
	name  string
}

// compose makes an identity of o.Parts.
func compose(o Options) (*Identity, error) {
	if len(o.Parts) == 0 {
		return nil, errors.New("no parts")
	}
	parts, err := choose(o.Parts)
	if err != nil {
		return nil, err
	}
	var labels []string
	for i := range parts {
		p := &parts[i]
		p.open = append(rawjson.AppendString([]byte("["), []byte(p.label)), ',')
		labels = append(labels, p.label)
	}
	return newComposed(strings.Join(labels, "+"), o, parts)
}

// choose finds the parts named. The order of the names does not matter: that of
// Parts is the canonical one.
func choose(names []string) ([]chosen, error) {
	var parts []chosen
	for _, text := range names {
		c, err := choosePart(text)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(parts, func(p chosen) bool { return p.label == c.label }) {
			return nil, fmt.Errorf("part %q is there twice", text)
		}
		parts = append(parts, c)
	}
	slices.SortStableFunc(parts, func(a, b chosen) int {
		return cmp.Or(cmp.Compare(a.order, b.order), cmp.Compare(a.label, b.label))
	})
	return parts, nil
}

func choosePart(text string) (chosen, error) {
	if text == callerOrNone {
		return chosen{part: &callerOrNonePart, order: callerOrder, label: callerOrNonePart.Name}, nil
	}
	name, argument, hasArgument := strings.Cut(text, ":")
	i := slices.IndexFunc(Parts, func(p Part) bool { return p.Name == name })
	if i < 0 {
		return chosen{}, unknown("part", name, PartNames())
	}
	c := chosen{part: &Parts[i], order: i, label: text}
	switch name {
	case "last_messages":
		n, err := strconv.Atoi(argument)
		if err != nil || n < 1 || n > 1000 {
			return c, fmt.Errorf("part %q: write last_messages:N with N from 1 to 1000", text)
		}
		c.n, c.label = n, name+":"+strconv.Itoa(n)
	case "attr":
		if argument == "" {
			return c, fmt.Errorf("part %q: write attr:NAME", text)
		}
		c.name = argument
	default:
		if hasArgument {
			return c, fmt.Errorf("part %q takes nothing behind a colon", text)
		}
	}
	return c, nil
}

// newComposed makes an identity of chosen parts, in canonical order.
func newComposed(name string, o Options, parts []chosen) (*Identity, error) {
	if err := o.refuseBut("parts", "mask", "normalize"); err != nil {
		return nil, err
	}
	m, err := newMask(o.Mask)
	if err != nil {
		return nil, err
	}
	id := &Identity{Name: name, rules: textRules{mask: m, lower: o.Lower}}
	perCall := false
	for _, p := range parts {
		id.Reads |= p.part.Reads
		id.Sees |= p.part.sees
		id.Again = id.Again || p.part.Name == lastExchangePart
		perCall = perCall || p.part.Name == toolCallPart
	}
	id.compute = func(r *Request, w *Writer) Cause {
		if !perCall {
			cause := w.composed(r, parts, -1)
			if cause == Computable && id.Sees&SeesResults != 0 {
				w.called(w.turn.calls...)
			}
			return cause
		}
		calls, cause := w.issuedCalls(r)
		for i := 0; i < len(calls) && cause == Computable; i++ {
			if cause = w.composed(r, parts, i); cause == Computable {
				w.called(calls[i])
			}
		}
		return cause
	}
	return id, nil
}

// composed emits the hash of the parts as one JSON array of [name, value]
// pairs: no value can run into another. call is the index of the issued call
// that it is of, if it is of one.
func (w *Writer) composed(r *Request, parts []chosen, call int) Cause {
	dst := append(w.canonical[:0], '[')
	for i := range parts {
		p := &parts[i]
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, p.open...)
		var cause Cause
		if p.part.append == nil {
			dst = w.appendIssued(dst, call, call+1, true)
		} else if dst, cause = p.part.append(w, r, dst, p.n, p.name); cause != Computable {
			w.canonical = dst
			return r.deepest(cause, parts[i+1:])
		}
		dst = append(dst, ']')
	}
	w.emit(append(dst, ']'), hash128)
	return Computable
}

// deepest is why a request lacks a part: what became of the messages or the
// body is mostly why the model and others are missing too.
func (r *Request) deepest(cause Cause, parts []chosen) Cause {
	for _, p := range parts {
		switch {
		case p.part.sees == 0:
		case p.part.Name == "body":
			if r.Body == nil && r.BodyHash == nil {
				return cmp.Or(r.Lost, NoBody)
			}
		case r.Messages.Digest == nil && r.needMessages() != Computable:
			return r.needMessages()
		}
	}
	return cause
}

// refuseBut refuses the options that are given, but those that the identity uses.
func (o Options) refuseBut(used ...string) error {
	for _, option := range []struct {
		name  string
		given bool
	}{
		{"parts", len(o.Parts) > 0},
		{"mask", len(o.Mask) > 0},
		{"normalize", o.Lower},
		{"limit_keys", len(o.LimitKeys) > 0},
		{"body_hash", o.IgnoreBody || o.RequireBody},
	} {
		if option.given && !slices.Contains(used, option.name) {
			return &OptionError{option.name}
		}
	}
	return nil
}

// OptionError says that an identity has no use for an option.
type OptionError struct{ Option string }

func (e *OptionError) Error() string { return e.Option + " means nothing to this identity" }
