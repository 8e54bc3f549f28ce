package window

import (
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window/snapshot"
)

// savedPlan is what a saved state says of the plan that it was saved under:
// what decides which of its rules go on.
type savedPlan struct {
	key        string // tells keys apart; empty if there was none
	hashIDs    bool
	startTimes bool
	identities []savedIdentity
	scopes     [][]string
	exclusions []savedExclusion
	rules      []savedRule
}

type savedIdentity struct{ name, spec string }

type savedExclusion struct{ name, text string }

type savedRule struct {
	name            string
	identity, scope int // indices of the plan then
	counter         CounterSpec
	cooldown        time.Duration
	selection       string // empty if not known
}

// WhichKey tells the key from others, and does not tell it; empty if there is none.
func (o *ExtractOptions) WhichKey() string {
	if len(o.Key) == 0 {
		return ""
	}
	mac := hmac.New(sha256.New, o.Key)
	mac.Write([]byte("loopgauge: which key is this?"))
	return string(mac.Sum(nil)[:16])
}

// describe is what there is to say of a plan.
func describe(p *Plan, o ExtractOptions) *savedPlan {
	d := &savedPlan{hashIDs: o.HashIDs, startTimes: o.EventTimeStart}
	d.key = o.WhichKey()
	for _, id := range p.Identities {
		d.identities = append(d.identities, savedIdentity{id.Name, id.Spec()})
	}
	for _, s := range p.Scopes {
		d.scopes = append(d.scopes, scopeFields(s, o.Sessions))
	}
	for _, x := range p.Exclusions {
		d.exclusions = append(d.exclusions, savedExclusion{x.Name, x.Text})
	}
	for i, r := range p.Rules {
		d.rules = append(d.rules, savedRule{r.Name, p.identity[i], p.scope[i], r.Counter.effective(), r.Cooldown, r.selection()})
	}
	return d
}

// scopeFields are the fields of a scope and, where a session is among them,
// where the policy has it named: under another order they are other scopes.
func scopeFields(s *fingerprint.Scope, sessions []string) []string {
	if sessions == nil || !slices.Contains(s.Fields, "session") && !slices.Contains(s.Fields, "conversation") {
		return s.Fields
	}
	return append(slices.Clone(s.Fields), namedBy+strings.Join(sessions, ", "))
}

// namedBy begins what is saved behind the fields of a scope, and is none.
const namedBy = "named by "

// selection is what decides how the rule sees a request, in the form in which
// it is saved.
func (rule *Rule) selection() string {
	if rule.Selection == "" && rule.plain() {
		return `""` // as a policy has it
	}
	return rule.Selection
}

func (d *savedPlan) code(c *snapshot.Codec) {
	snapshot.Text(c, &d.key)
	c.Bool(&d.hashIDs)
	c.Bool(&d.startTimes)
	snapshot.List(c, &d.identities, 2, func(id *savedIdentity) {
		snapshot.Text(c, &id.name)
		snapshot.Text(c, &id.spec)
	})
	snapshot.List(c, &d.scopes, 1, func(fields *[]string) { snapshot.Texts(c, fields) })
	snapshot.List(c, &d.exclusions, 2, func(x *savedExclusion) {
		snapshot.Text(c, &x.name)
		snapshot.Text(c, &x.text)
	})
	snapshot.List(c, &d.rules, 9, func(r *savedRule) {
		snapshot.Text(c, &r.name)
		snapshot.Size(c, &r.identity, max(len(d.identities)-1, 0))
		snapshot.Size(c, &r.scope, max(len(d.scopes)-1, 0))
		snapshot.Text(c, &r.counter.Kind)
		snapshot.Size(c, &r.counter.Window, most)
		c.Bool(&r.counter.Closed)
		snapshot.Size(c, &r.counter.Period, MaxPeriod)
		snapshot.Size(c, &r.cooldown, most)
		snapshot.Text(c, &r.selection)
	})
	c.Check(len(d.rules) == 0 || len(d.identities) > 0 && len(d.scopes) > 0, "there are rules without identities or scopes")
}

func (d *savedPlan) shape() shape { return shape{len(d.identities), len(d.scopes), len(d.rules)} }

// changed says why nothing counted under d holds under now, empty if it may.
func (d *savedPlan) changed(now *savedPlan) string {
	eventTime := map[bool]string{false: "end", true: "start"}
	hashed := map[bool]string{false: "off", true: "on"}
	switch {
	case d.key != now.key && d.key == "":
		return "there was no fingerprint key, and is one"
	case d.key != now.key && now.key == "":
		return "there was a fingerprint key, and is none"
	case d.key != now.key:
		return "the fingerprint key is another"
	case d.hashIDs != now.hashIDs:
		return fmt.Sprintf("hashing of ids was %s, is %s", hashed[d.hashIDs], hashed[now.hashIDs])
	case d.startTimes != now.startTimes:
		return fmt.Sprintf("event_time was %s, is %s", eventTime[d.startTimes], eventTime[now.startTimes])
	}
	return ""
}

// changedRule says why what rule i of d has counted does not hold for rule k
// of now, empty if it does.
func (d *savedPlan) changedRule(i int, now *savedPlan, k int) string {
	then, is := &d.rules[i], &now.rules[k]
	identity, scope := d.identities[then.identity].spec, d.scopes[then.scope]
	switch {
	case identity != now.identities[is.identity].spec || identity == "":
		return fmt.Sprintf("identity was %s, is %s", identity, now.identities[is.identity].spec)
	case !slices.Equal(scope, now.scopes[is.scope]):
		return fmt.Sprintf("scope was [%s], is [%s]", strings.Join(scope, ", "), strings.Join(now.scopes[is.scope], ", "))
	case then.counter != is.counter:
		return fmt.Sprintf("counter was %s, is %s", then.counter, is.counter)
	}
	return ""
}

// remapping makes events of one plan into events of another.
type remapping struct {
	plan       *Plan
	hide       *Extractor // hashes names that were not; nil if they are as they should be
	same       bool       // nothing to do but that
	identities []int      // by identity: its index then, -1 if there was none
	scopes     []int
	rules      []int // by rule: whose choice it takes, -1 if it sees nothing
	exclusions []int // by exclusion of then: 1 + its index now, 0 if there is none
}

// remap finds the way from d to now; from says which rule of d each rule goes
// on from, -1 if none. If all has changed, fingerprints and scopes mean
// nothing any more.
func (d *savedPlan) remap(p *Plan, now *savedPlan, from []int, hide *Extractor) *remapping {
	m := &remapping{plan: p, hide: hide}
	all := d.changed(now) != ""
	for _, id := range now.identities {
		m.identities = append(m.identities, slices.IndexFunc(d.identities, func(then savedIdentity) bool {
			return !all && then.spec == id.spec && id.spec != ""
		}))
	}
	for _, s := range now.scopes {
		m.scopes = append(m.scopes, slices.IndexFunc(d.scopes, func(then []string) bool { return !all && slices.Equal(then, s) }))
	}
	for k, i := range from {
		if i >= 0 && (d.rules[i].selection != now.rules[k].selection || now.rules[k].selection == "") {
			i = -1
		}
		m.rules = append(m.rules, i)
	}
	for _, x := range d.exclusions {
		m.exclusions = append(m.exclusions, slices.Index(now.exclusions, x)+1)
	}
	m.same = upTo(m.identities, len(d.identities)) && upTo(m.scopes, len(d.scopes)) && upTo(m.rules, len(d.rules)) && slices.Equal(d.exclusions, now.exclusions)
	return m
}

// upTo tells that a list is 0, 1, ... n-1.
func upTo(list []int, n int) bool {
	for i, v := range list {
		if v != i {
			return false
		}
	}
	return len(list) == n
}

func (m *remapping) apply(r *snapshot.Reader, ev *Event) {
	if x := m.hide; x != nil {
		ev.Caller, ev.User, ev.Session = x.person([]byte(ev.Caller)), x.person([]byte(ev.User)), x.person([]byte(ev.Session))
	}
	if !m.same {
		m.move(r, ev)
	}
	if !m.plan.fits(ev) {
		r.Failf("an event that waits is of another plan")
	}
}

func (m *remapping) move(r *snapshot.Reader, ev *Event) {
	if ev.Exclude > len(m.exclusions) {
		r.Failf("there is no exclusion %d", ev.Exclude)
		return
	}
	if ev.Exclude > 0 {
		if ev.Exclude = m.exclusions[ev.Exclude-1]; ev.Exclude > 0 {
			return
		}
		// What took it out is no more, and nothing was made of it.
		ev.Prints, ev.Scopes, ev.Rules = make([]Prints, len(m.identities)), make([]Scope, len(m.scopes)), make([]Choice, len(m.rules))
		for k := range ev.Rules {
			ev.Rules[k] = NotMatched
		}
		return
	}
	ev.Prints = moved(ev.Prints, m.identities, Prints{})
	ev.Scopes = moved(ev.Scopes, m.scopes, Scope{})
	ev.Rules = moved(ev.Rules, m.rules, NotMatched)
	if p := ev.Portion; p != nil && len(p.All) > 0 {
		p.All = moved(p.All, m.rules, NotMatched)
	}
}

// moved is a list in another order.
func moved[T any](then []T, from []int, none T) []T {
	now := make([]T, len(from))
	for k, i := range from {
		now[k] = none
		if i >= 0 {
			now[k] = then[i]
		}
	}
	return now
}

// rule is what is known of rule i: enough to name it, and the fields of its
// scope, beside an episode of it.
func (d *savedPlan) rule(i int) *Rule {
	r := &d.rules[i]
	fields := d.scopes[r.scope]
	if n := len(fields); n > 0 && strings.HasPrefix(fields[n-1], namedBy) {
		fields = fields[:n-1]
	}
	return &Rule{
		Name: r.name, Identity: &fingerprint.Identity{Name: d.identities[r.identity].name}, Scope: &fingerprint.Scope{Fields: fields},
		Counter: r.counter, Cooldown: r.cooldown,
	}
}

// hidden hashes the names that an episode says.
func (ep *Episode) hidden(x *Extractor) {
	ep.Caller, ep.User, ep.Session = x.person([]byte(ep.Caller)), x.person([]byte(ep.User)), x.person([]byte(ep.Session))
	for i, field := range ep.Rule.Scope.Fields {
		if i < len(ep.Scope) && !strings.HasPrefix(field, "attr:header:") { // which is hashed
			ep.Scope[i] = x.shown(field, []byte(ep.Scope[i]))
		}
	}
}
