package parquet

import (
	"cmp"
	"encoding/hex"
	"math"
	"slices"

	"github.com/parquet-go/parquet-go"

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

// batch is how many rows are handed over at once. It divides rowGroup.
const batch = 512

// events writes events/. Events come in the order of time, so that one day
// after the other is written.
type events struct {
	d     *Dataset
	plan  *window.Plan
	day   string
	until int64 // the end of the day
	out   *eventWriter
	seq   int64
	// Scratch.
	hex    []byte
	fields []string
}

func newEvents(d *Dataset, plan *window.Plan) *events { return &events{d: d, plan: plan} }

func (e *events) add(ev *window.Event) error {
	if e.out == nil || ev.Time >= e.until {
		if err := e.begin(ev.Time); err != nil {
			return err
		}
	}
	e.request(ev)
	e.seq++
	identities, _ := e.plan.Own()
	for i := range ev.Prints[:min(identities, len(ev.Prints))] {
		p := &ev.Prints[i]
		if p.Cause != fingerprint.Computable || len(p.Fingerprints) == 0 {
			e.print(i, 0)
			text(e.out, colCause, p.Cause.String())
			if err := e.out.write(); err != nil {
				return err
			}
		}
		for k := range p.Fingerprints {
			e.print(i, k)
			e.hex = p.Fingerprints[k].Append(e.hex[:0])
			text(e.out, colFingerprint, e.hex)
			text(e.out, colTool, p.Name(k))
			if err := e.out.write(); err != nil {
				return err
			}
		}
	}
	return nil
}

// begin begins the file of a day.
func (e *events) begin(time int64) error {
	if err := e.close(); err != nil {
		return err
	}
	day := date(time)
	out, err := newEventWriter(e.d, "events", day, cmp.Or(e.d.part, "events")+".parquet")
	if err != nil {
		return err
	}
	const length = 24 * 60 * 60 * 1_000_000
	e.day, e.until, e.out = day, time-(time%length+length)%length+length, out
	return nil
}

// request puts what all rows of a request say.
func (e *events) request(ev *window.Event) {
	w := e.out
	w.clear(0, colCount-1)
	w.int64(colTime, ev.Time)
	w.int64(colStart, ev.Start)
	w.int64(colSeq, e.seq)
	w.int32(colStream, ev.Position.Stream)
	w.int64(colLine, ev.Position.Line)
	w.int64(colOffset, ev.Position.Offset)
	w.int32(colItem, ev.Position.Item)
	text(w, colID, ev.ID)
	text(w, colMethod, ev.Method)
	text(w, colPath, ev.Path)
	text(w, colCaller, ev.Caller)
	text(w, colUser, ev.User)
	text(w, colSession, ev.Session)
	text(w, colModel, ev.Model)
	text(w, colBackend, ev.Backend)
	if ev.Status != fingerprint.Unknown {
		w.int32(colStatus, int32(ev.Status))
	}
	e.known(colTokensIn, ev.TokensIn)
	e.known(colTokensOut, ev.TokensOut)
	if !math.IsNaN(ev.Cost) {
		w.put(colCost, parquet.DoubleValue(ev.Cost))
	}
	e.truth(colStreamed, ev.Stream)
	e.truth(colCached, ev.Cached)
	e.known(colMaxTokens, ev.MaxTokens)
	e.scope(ev)
	e.scopes(ev)
	e.rules(ev)
}

// print begins a row of an identity's fingerprint, which it puts not yet.
func (e *events) print(identity, ordinal int) {
	e.out.clear(colIdentity, colTool)
	text(e.out, colIdentity, e.plan.Identities[identity].Name)
	e.out.int32(colIdentityNo, int32(identity))
	e.out.int32(colOrdinal, int32(ordinal))
}

// known leaves -1 out, which stands for not logged.
func (e *events) known(col int, n int64) {
	if n != fingerprint.Unknown {
		e.out.int64(col, n)
	}
}

func (e *events) truth(col int, t fingerprint.Tri) {
	if t != fingerprint.NotLogged {
		e.out.put(col, parquet.BooleanValue(t == fingerprint.Yes))
	}
}

func (e *events) close() error {
	if e.out == nil {
		return nil
	}
	err := e.out.close()
	e.out = nil
	return err
}

// scope lists every scope field that some rule uses, once.
func (e *events) scope(ev *window.Event) {
	e.fields = e.fields[:0]
	_, scopes := e.plan.Own()
	for i := range ev.Scopes[:min(scopes, len(ev.Scopes))] {
		fields := e.plan.Scopes[i].Fields
		for k, value := range ev.Scopes[i].Values {
			if !slices.Contains(e.fields, fields[k]) {
				e.fields = append(e.fields, fields[k])
				text(e.out, colScopeField, fields[k])
				text(e.out, colScopeValue, value)
			}
		}
	}
}

// scopes lists the scopes that the rules which look at the request have.
func (e *events) scopes(ev *window.Event) {
	w := e.out
	_, scopes := e.plan.Own()
	for i := range ev.Scopes[:min(scopes, len(ev.Scopes))] {
		s := &ev.Scopes[i]
		if s.Cause == fingerprint.Computable && s.Key == (fingerprint.ScopeKey{}) {
			continue
		}
		w.int32(colScopesIndex, int32(i))
		if s.Cause != fingerprint.Computable {
			w.null(colScopesKey)
			text(w, colScopesCause, s.Cause.String())
			w.put(colScopesFellBack, parquet.BooleanValue(false))
			continue
		}
		e.hex = hex.AppendEncode(e.hex[:0], s.Key[:])
		text(w, colScopesKey, e.hex)
		w.null(colScopesCause)
		w.put(colScopesFellBack, parquet.BooleanValue(s.FellBack))
	}
}

// rules lists the rules that look at the request.
func (e *events) rules(ev *window.Event) {
	for i, choice := range ev.Rules {
		if choice == window.NotMatched {
			continue
		}
		text(e.out, colRulesRule, e.plan.Rules[i].Name)
		if choice < 0 {
			e.out.null(colRulesOverride)
			continue
		}
		e.out.int32(colRulesOverride, int32(choice))
	}
}

// known is null for -1, which stands for not logged.
func known(n int64) *int64 {
	if n == fingerprint.Unknown {
		return nil
	}
	return &n
}
