package parquet

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window"
)

// make makes the event of the request at hand in the frame at work.
func (r *eventReader) make(seq int64) error {
	r.rows.fetch()
	if err := r.request(seq); err != nil {
		return err
	}
	if ev := &r.event; seq < r.next && !r.shared || ev.Time < r.time || ev.Position.Stream < 0 || int(ev.Position.Stream) >= r.logs {
		return errors.New("out of place")
	}
	r.next, r.time = seq+1, r.event.Time
	if err := r.gather(seq); err != nil {
		return err
	}
	if err := r.check(); err != nil {
		return err
	}
	r.n++
	return nil
}

// gather takes the fingerprints of the event from its rows, of which one at
// least is there.
func (r *eventReader) gather(seq int64) error {
	for i := range r.told {
		r.told[i].next = 0
	}
	for i := range r.event.Prints {
		p := &r.event.Prints[i]
		p.Cause, p.Fingerprints, p.Tools = fingerprint.Computable, p.Fingerprints[:0], p.Tools[:0]
	}
	for same := true; same; {
		if err := r.print(r.rows); err != nil {
			return err
		}
		var err error
		if same, err = r.rows.step(seq); err != nil {
			return err
		}
	}
	return nil
}

// print takes the fingerprint, or its absence, from a row.
func (r *eventReader) print(rows *eventColumns) error {
	identity := text(&rows.identity, rows.row)
	i, ordinal := int(rows.identityNo.at(rows.row)), int(rows.ordinal.at(rows.row))
	if i < 0 || i >= len(r.told) {
		return fmt.Errorf("identity %q is not that of the run", identity)
	}
	t := &r.told[i]
	if identity != t.name { // rows share their texts, so to compare these costs nothing
		if identity != r.plan.Identities[i].Name {
			return fmt.Errorf("identity %q is not that of the run", identity)
		}
		t.name = identity
	}
	if ordinal != t.next || ordinal < 0 {
		return fmt.Errorf("fingerprint %d of %s is out of place", ordinal, identity)
	}
	f := rows.fingerprint.at(rows.row)
	if t.next++; f == nil {
		t.next = -1
	}
	if t.into < 0 {
		return nil
	}
	p := &r.event.Prints[t.into]
	if f == nil {
		if cause := rows.cause.at(rows.row); cause != nil { // none: it was computable, and gave none
			p.Cause = *cause
		}
		return nil
	}
	p.Fingerprints = slices.Grow(p.Fingerprints, 1)[:ordinal+1]
	p.Fingerprints[ordinal] = *f // in place: what append copies it to first is waited for
	if tool := text(&rows.tool, rows.row); tool != "" || len(p.Tools) > 0 {
		for len(p.Tools) < len(p.Fingerprints)-1 {
			p.Tools = append(p.Tools, "")
		}
		p.Tools = append(p.Tools, tool)
	}
	return nil
}

// request makes the event of its first row, but for the fingerprints.
func (r *eventReader) request(seq int64) error {
	c := r.rows
	if err := c.request.reach(c.row); err != nil {
		return err
	}
	row, ev := c.row, &r.event
	// One by one: to write all of it over costs as much as to read the row.
	ev.Time, ev.Start, ev.Position = c.time.at(row), c.start.at(row), fingerprint.Position{Offset: seq}
	ev.Status, ev.MaxTokens = int(c.status.at(row)), c.maxTokens.at(row)
	ev.TokensIn, ev.TokensOut, ev.Cost = c.tokensIn.at(row), c.tokensOut.at(row), c.cost.at(row)
	ev.Stream, ev.Cached, ev.Answered, ev.Exclude = c.streamed.at(row), c.cached.at(row), c.answered.at(row) == fingerprint.Yes, 0
	if r.origins {
		if err := c.origin.reach(row); err != nil {
			return err
		}
		ev.ID = text(&c.id, row)
		ev.Position = fingerprint.Position{Stream: c.stream.at(row), Line: c.line.at(row), Offset: c.offset.at(row), Item: c.item.at(row)}
	}
	ev.Method, ev.Path, ev.Caller = text(&c.method, row), text(&c.path, row), text(&c.caller, row)
	ev.User, ev.Session, ev.Model, ev.Backend = text(&c.user, row), text(&c.session, row), text(&c.model, row), text(&c.backend, row)
	for i := range r.scopes {
		r.scopes[i] = -1
	}
	from, to := c.scopesIndex.entries(row)
	for entry := from; entry < to; entry++ {
		index := c.scopesIndex.entry(entry)
		if index == noNumber && to == from+1 {
			break // an empty list
		}
		if index < 0 || int(index) >= len(r.scopes) {
			return fmt.Errorf("scope %d is not that of the run", index)
		}
		r.scopes[index] = entry
	}
	r.values = r.values[:0]
	missing := false
	for i, at := range r.answers.Scopes {
		if err := r.scope(c, r.scopes[at], &ev.Scopes[i], r.want.Scopes[i].Fields); err != nil {
			return err
		}
		missing = missing || r.scopes[at] < 0
	}
	if err := r.choose(c); err != nil || !missing {
		return err
	}
	return r.unlook(c)
}

// choose says how the rules see the event.
func (r *eventReader) choose(c *eventColumns) error {
	if r.asks {
		if err := c.choices.reach(c.row); err != nil {
			return err
		}
	}
	for i, like := range r.answers.Rules {
		if like < 0 {
			continue
		}
		var err error
		if r.event.Rules[i], err = r.choice(c, r.want.Rules[i], r.plan.Rules[like].Name); err != nil {
			return err
		}
	}
	r.answers.Choose(&r.event)
	return nil
}

// unlook leaves out the rules whose scope no rule of the run looked at: the event
// waited while watch was given another policy.
func (r *eventReader) unlook(c *eventColumns) error {
	for i := range r.want.Rules {
		at := r.answers.Scopes[r.want.ScopeOf(i)]
		if r.scopes[at] >= 0 || r.event.Rules[i] == window.NotMatched {
			continue
		}
		looked, err := r.looked(c, at)
		if err != nil {
			return err
		}
		if !looked {
			r.event.Rules[i] = window.NotMatched
		}
	}
	return nil
}

// looked tells whether a rule of the run with this scope looked at the event.
func (r *eventReader) looked(c *eventColumns, scope int) (bool, error) {
	if err := c.choices.reach(c.row); err != nil {
		return false, err
	}
	from, to := c.rule.entries(c.row)
	for entry := from; entry < to; entry++ {
		name := textAt(&c.rule, entry)
		k := slices.IndexFunc(r.plan.Rules, func(rule *window.Rule) bool { return rule.Name == name })
		if k >= 0 && r.plan.ScopeOf(k) == scope {
			return true, nil
		}
	}
	return false, nil
}

// check says what the rules that look at the event do not find in it.
func (r *eventReader) check() error {
	for i, rule := range r.want.Rules {
		if r.event.Rules[i] == window.NotMatched || r.event.Exclude > 0 {
			continue
		}
		if r.told[r.answers.Identities[r.want.IdentityOf(i)]].next == 0 {
			return fmt.Errorf("there is nothing of identity %s", rule.Identity.Name)
		}
		if r.scopes[r.answers.Scopes[r.want.ScopeOf(i)]] < 0 {
			return fmt.Errorf("there is nothing of scope [%s]", strings.Join(rule.Scope.Fields, ", "))
		}
	}
	return nil
}

// scope makes a scope of its entry, -1 if there is none.
func (r *eventReader) scope(c *eventColumns, entry int32, out *window.Scope, fields []string) error {
	*out = window.Scope{}
	if entry < 0 {
		return nil
	}
	// Entries of the columns of a list are at the same places, from the row on.
	index, _ := c.scopesIndex.entries(c.row)
	of := func(first, _ int32) int32 { return first + entry - index }
	key := c.scopesKey.entry(of(c.scopesKey.entries(c.row)))
	if key == nil {
		cause := c.scopesCause.entry(of(c.scopesCause.entries(c.row)))
		if cause == nil || *cause == fingerprint.Computable {
			return errors.New("neither key nor cause of a scope")
		}
		out.Cause = *cause
		return nil
	}
	out.Key, out.FellBack = *key, c.scopesFellBack.entry(of(c.scopesFellBack.entries(c.row))) == fingerprint.Yes
	n := len(r.values)
	for _, field := range fields {
		value, err := r.value(c, field)
		if err != nil {
			return err
		}
		r.values = append(r.values, value)
	}
	out.Values = r.values[n:len(r.values):len(r.values)]
	return nil
}

func (r *eventReader) value(c *eventColumns, field string) (string, error) {
	from, to := c.scopeField.entries(c.row)
	values, _ := c.scopeValue.entries(c.row)
	for i := range to - from {
		if textAt(&c.scopeField, from+i) == field {
			return textAt(&c.scopeValue, values+i), nil
		}
	}
	return "", fmt.Errorf("scope field %s has no value", field)
}

// choice is how a rule sees the request: as the rule of the run does that is
// like it.
func (r *eventReader) choice(c *eventColumns, rule *window.Rule, like string) (window.Choice, error) {
	from, to := c.rule.entries(c.row)
	overrides, _ := c.override.entries(c.row)
	for i := range to - from {
		if textAt(&c.rule, from+i) != like {
			continue
		}
		override := c.override.entry(overrides + i)
		if override == noNumber {
			return window.Plain, nil
		}
		if override < 0 || int(override) >= len(rule.Overrides) {
			return 0, fmt.Errorf("rule %s has no override %d", like, override)
		}
		return window.Choice(override), nil
	}
	return window.NotMatched, nil
}
