package parquet

import (
	"encoding/hex"
	"math"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window"
)

// eventRow is a row of events/: one per request, identity and fingerprint, and
// one without fingerprint where the identity was not computable.
type eventRow struct {
	Time        int64        `parquet:"time,timestamp(microsecond)"`
	Start       int64        `parquet:"start,timestamp(microsecond)"`
	Seq         int64        `parquet:"seq,delta"`
	Stream      int32        `parquet:"stream"`
	Line        int64        `parquet:"line,delta"`
	Offset      int64        `parquet:"offset"`
	Item        int32        `parquet:"item"`
	ID          string       `parquet:"id,optional,dict"`
	Method      string       `parquet:"method,optional,dict"`
	Path        string       `parquet:"path,optional,dict"`
	Caller      string       `parquet:"caller,optional,dict"`
	User        string       `parquet:"user,optional,dict"`
	Session     string       `parquet:"session,optional,dict"`
	Model       string       `parquet:"model,optional,dict"`
	Backend     string       `parquet:"backend,optional,dict"`
	Status      *int32       `parquet:"status,optional"`
	TokensIn    *int64       `parquet:"tokens_in,optional"`
	TokensOut   *int64       `parquet:"tokens_out,optional"`
	Cost        *float64     `parquet:"cost,optional"`
	Streamed    *bool        `parquet:"streamed,optional"`
	Cached      *bool        `parquet:"cached,optional"`
	MaxTokens   *int64       `parquet:"max_tokens,optional"`
	Identity    string       `parquet:"identity,dict"`
	IdentityNo  int32        `parquet:"identity_index"`
	Ordinal     int32        `parquet:"ordinal"`
	Fingerprint string       `parquet:"fingerprint,optional,dict"`
	Cause       string       `parquet:"cause,optional,dict"`
	Tool        string       `parquet:"tool,optional,dict"`
	Scope       []scopeValue `parquet:"scope,list"`
	Scopes      []scopeRow   `parquet:"scopes,list"`
	Rules       []ruleChoice `parquet:"rules,list"`
}

// scopeRow is what counters know a scope by. A scope that no rule needs for
// the request has none.
type scopeRow struct {
	Index    int32  `parquet:"index"`
	Key      string `parquet:"key,optional,dict"`
	Cause    string `parquet:"cause,optional,dict"`
	FellBack bool   `parquet:"fell_back"`
}

// ruleChoice names a rule that looked at the request, and the override that
// was in force, from 0; null is none.
type ruleChoice struct {
	Rule     string `parquet:"rule,dict"`
	Override *int32 `parquet:"override,optional"`
}

// events writes events/.
type events struct {
	days[eventRow]
	plan *window.Plan
	seq  int64 // of the next event, if it has no number of its own
}

func newEvents(d *Dataset, plan *window.Plan) *events {
	return &events{days: days[eventRow]{d: d, table: "events"}, plan: plan}
}

func (e *events) add(ev *window.Event, seq int64) error {
	if err := e.turn(ev.Time); err != nil {
		return err
	}
	row := eventRow{
		Time: ev.Time, Start: ev.Start, Seq: seq,
		Stream: ev.Position.Stream, Line: ev.Position.Line, Offset: ev.Position.Offset, Item: ev.Position.Item,
		ID: ev.ID, Method: ev.Method, Path: ev.Path, Caller: ev.Caller, User: ev.User, Session: ev.Session, Model: ev.Model, Backend: ev.Backend,
		TokensIn: known(ev.TokensIn), TokensOut: known(ev.TokensOut), MaxTokens: known(ev.MaxTokens),
		Streamed: truth(ev.Stream), Cached: truth(ev.Cached),
		Scope: e.scope(ev), Scopes: e.scopes(ev), Rules: e.rules(ev),
	}
	if ev.Status != fingerprint.Unknown {
		status := int32(ev.Status)
		row.Status = &status
	}
	if !math.IsNaN(ev.Cost) {
		cost := ev.Cost
		row.Cost = &cost
	}
	e.seq++
	identities, _ := e.plan.Own()
	for i := range ev.Prints[:min(identities, len(ev.Prints))] {
		p := &ev.Prints[i]
		row.IdentityNo = int32(i)
		row.Identity, row.Ordinal, row.Fingerprint, row.Cause, row.Tool = e.plan.Identities[i].Name, 0, "", "", ""
		if p.Cause != fingerprint.Computable || len(p.Fingerprints) == 0 {
			row.Cause = p.Cause.String()
			e.rows = append(e.rows, row)
		}
		for k, f := range p.Fingerprints {
			row.Ordinal, row.Fingerprint, row.Tool = int32(k), f.String(), p.Name(k)
			e.rows = append(e.rows, row)
		}
	}
	return e.pass()
}

// scope lists every scope field that some rule uses, once.
func (e *events) scope(ev *window.Event) []scopeValue {
	var list []scopeValue
	_, scopes := e.plan.Own()
	for i := range ev.Scopes[:min(scopes, len(ev.Scopes))] {
		fields := e.plan.Scopes[i].Fields
		for k, value := range ev.Scopes[i].Values {
			if !contains(list, fields[k]) {
				list = append(list, scopeValue{fields[k], value})
			}
		}
	}
	return list
}

// scopes lists the scopes that the rules which look at the request have.
func (e *events) scopes(ev *window.Event) []scopeRow {
	var list []scopeRow
	_, scopes := e.plan.Own()
	for i := range ev.Scopes[:min(scopes, len(ev.Scopes))] {
		s := &ev.Scopes[i]
		switch {
		case s.Cause != fingerprint.Computable:
			list = append(list, scopeRow{Index: int32(i), Cause: s.Cause.String()})
		case s.Key != fingerprint.ScopeKey{}:
			list = append(list, scopeRow{Index: int32(i), Key: hex.EncodeToString(s.Key[:]), FellBack: s.FellBack})
		}
	}
	return list
}

func contains(list []scopeValue, field string) bool {
	for _, v := range list {
		if v.Field == field {
			return true
		}
	}
	return false
}

func (e *events) rules(ev *window.Event) []ruleChoice {
	var list []ruleChoice
	for i, choice := range ev.Rules {
		if choice == window.NotMatched {
			continue
		}
		c := ruleChoice{Rule: e.plan.Rules[i].Name}
		if choice >= 0 {
			n := int32(choice)
			c.Override = &n
		}
		list = append(list, c)
	}
	return list
}

// known is null for -1, which stands for not logged.
func known(n int64) *int64 {
	if n == fingerprint.Unknown {
		return nil
	}
	return &n
}

func truth(t fingerprint.Tri) *bool {
	if t == fingerprint.NotLogged {
		return nil
	}
	b := t == fingerprint.Yes
	return &b
}
