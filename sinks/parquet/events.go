package parquet

import (
	"math"
	"slices"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window"
)

// eventRow is a row of events/: one per request, identity and fingerprint, and
// one without fingerprint where the identity was not computable.
type eventRow struct {
	Time        int64        `parquet:"time,timestamp(microsecond)"`
	Start       int64        `parquet:"start,timestamp(microsecond)"`
	Seq         int64        `parquet:"seq"`
	Stream      int32        `parquet:"stream"`
	Line        int64        `parquet:"line"`
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
	Answered    *bool        `parquet:"answered,optional"`
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

// events writes events/, day after day. Its columns are those of eventRow.
type events struct {
	days
	plan *window.Plan
	seq  int64 // of the next event, if it has no number of its own

	// Of every row.
	identity, fingerprint, cause, tool *textWriter
	identityNo, ordinal                *numberWriter[int32]

	// Of a request, the same in all of its rows.
	time, start, seqs, line, offset                         *numberWriter[int64]
	stream, item                                            *numberWriter[int32]
	id, method, path, caller, user, session, model, backend *textWriter
	status                                                  *numberWriter[int32]
	tokensIn, tokensOut, maxTokens                          *numberWriter[int64]
	cost                                                    *numberWriter[float64]
	streamed, cached, answered                              *numberWriter[bool]
	scope, scopes, rules                                    *lists
	scopeField, scopeValue                                  *textWriter
	scopesIndex                                             *numberWriter[int32]
	scopesKey, scopesCause                                  *textWriter
	scopesFellBack                                          *numberWriter[bool]
	rule                                                    *textWriter
	override                                                *numberWriter[int32]

	fields  []string // that scopes are made of
	fieldOf [][]int  // of them, by scope
	said    []bool   // by field: it is in the scope of the event at hand
}

func newEvents(d *Dataset, plan *window.Plan) *events {
	w := newColumnar[eventRow](layouts["events"])
	e := &events{
		days: days{d: d, table: "events", out: w}, plan: plan,
		identity: newTextWriter(w, "identity"), fingerprint: newHashWriter(w, "fingerprint"), cause: newTextWriter(w, "cause"), tool: newTextWriter(w, "tool"),
		identityNo: newNumberWriter[int32](w, "identity_index"), ordinal: newNumberWriter[int32](w, "ordinal"),
		time: newNumberWriter[int64](w, "time"), start: newNumberWriter[int64](w, "start"), seqs: newNumberWriter[int64](w, "seq"),
		line: newNumberWriter[int64](w, "line"), offset: newNumberWriter[int64](w, "offset"),
		stream: newNumberWriter[int32](w, "stream"), item: newNumberWriter[int32](w, "item"),
		id: newTextWriter(w, "id"), method: newTextWriter(w, "method"), path: newTextWriter(w, "path"), caller: newTextWriter(w, "caller"),
		user: newTextWriter(w, "user"), session: newTextWriter(w, "session"), model: newTextWriter(w, "model"), backend: newTextWriter(w, "backend"),
		status:   newNumberWriter[int32](w, "status"),
		tokensIn: newNumberWriter[int64](w, "tokens_in"), tokensOut: newNumberWriter[int64](w, "tokens_out"), maxTokens: newNumberWriter[int64](w, "max_tokens"),
		cost:     newNumberWriter[float64](w, "cost"),
		streamed: newNumberWriter[bool](w, "streamed"), cached: newNumberWriter[bool](w, "cached"), answered: newNumberWriter[bool](w, "answered"),
		scopeField: newTextWriter(w, "scope.list.element.field"), scopeValue: newTextWriter(w, "scope.list.element.value"),
		scopesIndex: newNumberWriter[int32](w, "scopes.list.element.index"), scopesKey: newHashWriter(w, "scopes.list.element.key"),
		scopesCause: newTextWriter(w, "scopes.list.element.cause"), scopesFellBack: newNumberWriter[bool](w, "scopes.list.element.fell_back"),
		rule: newTextWriter(w, "rules.list.element.rule"), override: newNumberWriter[int32](w, "rules.list.element.override"),
	}
	e.id.fresh = true
	e.scope, e.scopes, e.rules = w.lists["scope"], w.lists["scopes"], w.lists["rules"]
	for _, s := range plan.Scopes {
		var list []int
		for _, field := range s.Fields {
			at := slices.Index(e.fields, field)
			if at < 0 {
				at = len(e.fields)
				e.fields = append(e.fields, field)
			}
			list = append(list, at)
		}
		e.fieldOf = append(e.fieldOf, list)
	}
	e.said = make([]bool, len(e.fields))
	for _, c := range []*chunk{e.identity.chunk, e.fingerprint.chunk, e.cause.chunk, e.tool.chunk, e.identityNo.chunk, e.ordinal.chunk} {
		c.each = true
	}
	return e
}

// add adds the rows of an event that holds what is of the dataset's rules alone.
func (e *events) add(ev *window.Event, seq int64) error {
	if err := e.turn(ev.Time); err != nil {
		return err
	}
	e.seq++
	rows := e.rows(ev)
	if rows == 0 {
		return nil
	}
	if err := e.out.room(rows); err != nil {
		return err
	}
	e.addPrints(ev)
	e.addRequest(ev, seq)
	e.addScope(ev)
	e.addScopes(ev)
	e.addRules(ev)
	return e.out.ended(rows)
}

// rows are how many an event has: of each identity one for each fingerprint,
// and one without where there is a cause for that.
func (e *events) rows(ev *window.Event) (n int) {
	for i := range ev.Prints {
		n += len(ev.Prints[i].Fingerprints)
		if blind(&ev.Prints[i]) {
			n++
		}
	}
	return n
}

func blind(p *window.Prints) bool {
	return p.Cause != fingerprint.Computable || len(p.Fingerprints) == 0
}

// addPrints adds what differs from row to row.
func (e *events) addPrints(ev *window.Event) {
	for i := range ev.Prints {
		p := &ev.Prints[i]
		row := func(ordinal int) {
			e.identity.addNamed(i, e.plan.Identities[i].Name)
			e.identityNo.add(int32(i))
			e.ordinal.add(int32(ordinal))
		}
		if blind(p) {
			row(0)
			e.fingerprint.null()
			e.cause.add(p.Cause.String())
			e.tool.null()
		}
		for k := range p.Fingerprints {
			row(k)
			e.fingerprint.addFingerprint(&p.Fingerprints[k])
			e.cause.null()
			e.tool.add(p.Name(k))
		}
	}
}

func (e *events) addRequest(ev *window.Event, seq int64) {
	e.time.add(ev.Time)
	e.start.add(ev.Start)
	e.seqs.add(seq)
	e.stream.add(ev.Position.Stream)
	e.line.add(ev.Position.Line)
	e.offset.add(ev.Position.Offset)
	e.item.add(ev.Position.Item)
	e.id.add(ev.ID)
	e.method.add(ev.Method)
	e.path.add(ev.Path)
	e.caller.add(ev.Caller)
	e.user.add(ev.User)
	e.session.add(ev.Session)
	e.model.add(ev.Model)
	e.backend.add(ev.Backend)
	e.status.addIf(ev.Status != fingerprint.Unknown, int32(ev.Status))
	e.tokensIn.addIf(ev.TokensIn != fingerprint.Unknown, ev.TokensIn)
	e.tokensOut.addIf(ev.TokensOut != fingerprint.Unknown, ev.TokensOut)
	e.maxTokens.addIf(ev.MaxTokens != fingerprint.Unknown, ev.MaxTokens)
	e.cost.addIf(!math.IsNaN(ev.Cost), ev.Cost)
	e.streamed.addIf(ev.Stream != fingerprint.NotLogged, ev.Stream == fingerprint.Yes)
	e.cached.addIf(ev.Cached != fingerprint.NotLogged, ev.Cached == fingerprint.Yes)
	e.answered.add(ev.Answered)
}

// addScope lists every scope field that some rule uses, once.
func (e *events) addScope(ev *window.Event) {
	clear(e.said)
	n := 0
	for i := range ev.Scopes {
		for k, value := range ev.Scopes[i].Values {
			if field := e.fieldOf[i][k]; !e.said[field] {
				e.said[field] = true
				e.scopeField.addNamed(field, e.fields[field])
				e.scopeValue.add(value)
				n++
			}
		}
	}
	e.scope.row(n)
}

// addScopes lists the scopes that the rules which look at the request have.
func (e *events) addScopes(ev *window.Event) {
	n := 0
	for i := range ev.Scopes {
		s := &ev.Scopes[i]
		switch {
		case s.Cause != fingerprint.Computable:
			e.scopesKey.null()
			e.scopesCause.add(s.Cause.String())
			e.scopesFellBack.add(false)
		case s.Key != fingerprint.ScopeKey{}:
			e.scopesKey.addBytes(s.Key[:])
			e.scopesCause.null()
			e.scopesFellBack.add(s.FellBack)
		default:
			continue
		}
		e.scopesIndex.add(int32(i))
		n++
	}
	e.scopes.row(n)
}

func (e *events) addRules(ev *window.Event) {
	n := 0
	for i, choice := range ev.Rules {
		if choice == window.NotMatched {
			continue
		}
		e.rule.addNamed(i, e.plan.Rules[i].Name)
		e.override.addIf(choice >= 0, int32(choice))
		n++
	}
	e.rules.row(n)
}
