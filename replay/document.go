package replay

import (
	"strconv"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window"
)

// documentVersion is the version of the --json document. Fields are added
// under the same version; any other change raises it.
const documentVersion = 1

// Document is what --json prints: docs/output.md describes every field.
type Document struct {
	Version   int               `json:"version"`
	Loopgauge string            `json:"loopgauge"`
	Policy    string            `json:"policy_hash"`
	Data      DocumentData      `json:"data"`
	Rules     []DocumentRule    `json:"rules"`
	Episodes  []DocumentEpisode `json:"episodes"` // at most 100,000; the rules' episodes count all
	Against   *DocumentDiff     `json:"against"`
	Enforced  *DocumentEnforced `json:"enforced"`
}

// DocumentData is the account of what was read.
type DocumentData struct {
	Account
	Streams          []DocumentStream `json:"streams"`
	First            *string          `json:"first"`
	Last             *string          `json:"last"`
	LatenessSeconds  float64          `json:"lateness_s"`
	LatenessMeasured bool             `json:"lateness_measured"`
	DisorderSeconds  *float64         `json:"disorder_s"`
	Tied             int64            `json:"tied"`
	Alike            int64            `json:"alike"`
	Scattered        bool             `json:"scattered"`
	Retold           bool             `json:"retold"`
	Chained          bool             `json:"chained"`
	Answers          int64            `json:"answers"`
	AnswersUnlogged  int64            `json:"answers_unlogged"`
	Unpriced         []Unpriced       `json:"unpriced"`
}

// DocumentStream is one log.
type DocumentStream struct {
	Name   string  `json:"name"`
	Format string  `json:"format"`
	Lines  int64   `json:"lines"`
	Bytes  int64   `json:"bytes"`
	Error  *string `json:"error"`
}

// DocumentRule is one rule with its account.
type DocumentRule struct {
	Name          string           `json:"name"`
	Profile       *string          `json:"profile"`
	Identity      string           `json:"identity"`
	Scope         []string         `json:"scope"`
	Kind          string           `json:"kind"`
	WindowSeconds float64          `json:"window_s"`
	Threshold     int              `json:"threshold"`
	Action        string           `json:"action"`
	Judged        int64            `json:"judged"`
	Counted       int64            `json:"counted"`
	NotMatched    int64            `json:"not_matched"`
	NotComputable map[string]int64 `json:"not_computable"`
	FellBack      int64            `json:"fell_back"`
	ChatSet       int64            `json:"chat_set"`
	ChatInvalid   int64            `json:"chat_invalid"`
	Fired         int64            `json:"fired"`
	Episodes      int64            `json:"episodes"`
	DroppedKeys   int64            `json:"dropped_keys"`
}

// DocumentEpisode is one loop as one rule saw it.
type DocumentEpisode struct {
	ID            string            `json:"id"`
	Rule          string            `json:"rule"`
	Scope         map[string]string `json:"scope"`
	Fingerprint   string            `json:"fingerprint"`
	First         string            `json:"first"`
	Fired         string            `json:"fired"`
	Last          string            `json:"last"`
	Requests      int64             `json:"requests"`
	RequestsAfter int64             `json:"requests_after"`
	TokensAfter   *int64            `json:"tokens_after"`
	CostAfter     *float64          `json:"cost_after"`
	CostPerHour   *float64          `json:"cost_per_hour"`
	MaxCount      int               `json:"max_count"`
	Statuses      map[string]int64  `json:"statuses"`
	Session       *string           `json:"session"`
	Caller        *string           `json:"caller"`
	User          *string           `json:"user"`
	Model         *string           `json:"model"`
	Backend       *string           `json:"backend"`
	Tool          *string           `json:"tool"`
	Method        *string           `json:"method"`
	Path          *string           `json:"path"`
}

// NewDocument gathers a run's outcome.
func NewDocument(version, policyHash string, s Summary) *Document {
	r := s.Result
	d := &Document{
		Version: documentVersion, Loopgauge: version, Policy: policyHash,
		Data: DocumentData{
			Account: r.Account, Streams: []DocumentStream{}, Tied: r.Order.Tied, Alike: r.Order.Alike, Scattered: r.Scattered != "", Retold: r.Retold != "", Chained: r.Chained != "", Answers: r.Links.Answers, AnswersUnlogged: r.Links.Unlogged, Unpriced: append([]Unpriced{}, r.Unpriced...),
			LatenessSeconds: s.Lateness.Value.Seconds(), LatenessMeasured: s.Lateness.Measured,
		},
		Rules: []DocumentRule{}, Episodes: []DocumentEpisode{},
	}
	if s.Lateness.Measured {
		d.Data.DisorderSeconds = new(s.Lateness.Disorder.Seconds())
	}
	if r.First != fingerprint.NoTime {
		d.Data.First, d.Data.Last = new(window.Stamp(r.First)), new(window.Stamp(r.Last))
	}
	for _, st := range r.Streams {
		ds := DocumentStream{Name: st.Name, Format: st.Format, Lines: st.Lines, Bytes: st.Bytes}
		if st.Err != nil {
			ds.Error = TextOrNull(st.Err.Error())
		}
		d.Data.Streams = append(d.Data.Streams, ds)
	}
	for i := range r.Rules {
		d.Rules = append(d.Rules, documentRule(&r.Rules[i]))
	}
	for i := range s.Episodes {
		d.Episodes = append(d.Episodes, NewDocumentEpisode(&s.Episodes[i]))
	}
	if s.Against != nil {
		d.Against = s.Against.Document()
	}
	d.Enforced = documentEnforced(r.Enforced)
	return d
}

func documentRule(a *window.RuleAccount) DocumentRule {
	r := a.Rule
	return DocumentRule{
		Name: r.Name, Profile: TextOrNull(r.Profile), Identity: r.Identity.Name, Scope: append([]string{}, r.Scope.Fields...),
		Kind: r.Counter.Kind, WindowSeconds: r.Counter.Window.Seconds(), Threshold: r.Threshold, Action: string(r.Action),
		Judged: a.Judged, Counted: a.Counted, NotMatched: a.NotMatched, NotComputable: a.Causes(),
		FellBack: a.FellBack, ChatSet: a.ChatSet, ChatInvalid: a.ChatInvalid, Fired: a.Fired, Episodes: a.Episodes, DroppedKeys: a.DroppedKeys,
	}
}

// NewDocumentEpisode is an episode as documents have it.
func NewDocumentEpisode(e *window.Episode) DocumentEpisode {
	d := DocumentEpisode{
		ID: e.ID, Rule: e.Rule.Name, Scope: e.Rule.Scope.Named(e.Scope), Fingerprint: e.Fingerprint.String(),
		First: window.Stamp(e.First), Fired: window.Stamp(e.Fired), Last: window.Stamp(e.Last),
		Requests: e.Requests, RequestsAfter: e.After.Requests, MaxCount: e.MaxCount, Statuses: map[string]int64{},
		Session: TextOrNull(e.Session), Caller: TextOrNull(e.Caller), User: TextOrNull(e.User), Model: TextOrNull(e.Model), Backend: TextOrNull(e.Backend),
		Tool: TextOrNull(e.Tool), Method: TextOrNull(e.Method), Path: TextOrNull(e.Path),
	}
	for _, s := range e.Statuses {
		d.Statuses[strconv.Itoa(s.Status)] = s.N
	}
	if e.After.TokensKnown {
		d.TokensAfter = &e.After.Tokens
	}
	if e.After.CostKnown {
		d.CostAfter = new(e.After.Cost.Dollars())
		if rate, ok := perHour(*d.CostAfter, e.Last-e.Fired); ok {
			d.CostPerHour = &rate
		}
	}
	return d
}
