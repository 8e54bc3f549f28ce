package tune

import (
	"slices"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/window"
)

// documentVersion is the version of the --json document. Fields are added
// under the same version; any other change raises it.
const documentVersion = 1

// Document is what tune --json prints: docs/tune.md describes every field.
type Document struct {
	Version      int                  `json:"version"`
	Loopgauge    string               `json:"loopgauge"`
	Data         DocumentData         `json:"data"`
	Sweep        []DocumentCell       `json:"sweep"`
	Policy       *string              `json:"policy"`
	AlertsPerDay *float64             `json:"alerts_per_day"`
	Advice       []DocumentAdvice     `json:"advice"`
	Profiles     []DocumentProfile    `json:"profiles"`
	Labels       *DocumentLabels      `json:"labels"`
	Episodes     []DocumentEpisode    `json:"episodes"`
	Repeats      []DocumentRepeat     `json:"repeats"` // the longest, at most 10,000
	Against      *replay.DocumentDiff `json:"against"`
}

// DocumentData is the account of what was read, and what the rules could see.
type DocumentData struct {
	replay.Account
	First           *string             `json:"first"`
	Last            *string             `json:"last"`
	Days            float64             `json:"days"`
	LatenessSeconds float64             `json:"lateness_s"`
	Alike           int64               `json:"alike"`
	Conversations   int                 `json:"conversations"`
	OneIn           int                 `json:"conversations_one_in"`
	Scattered       bool                `json:"scattered"`
	Retold          bool                `json:"retold"`
	Chained         bool                `json:"chained"`
	Answers         int64               `json:"answers"`
	AnswersUnlogged int64               `json:"answers_unlogged"`
	Repeats         int                 `json:"repeats"`
	RepeatsDropped  int                 `json:"repeats_dropped"`
	KeysDropped     int64               `json:"keys_dropped"`
	Kinds           map[window.Kind]int `json:"kinds"`
	Coverage        []DocumentCoverage  `json:"coverage"`
}

// DocumentCoverage says how many requests a rule could look at.
type DocumentCoverage struct {
	Rule          string           `json:"rule"`
	Judged        int64            `json:"judged"`
	Counted       int64            `json:"counted"`
	NotMatched    int64            `json:"not_matched"`
	NotComputable map[string]int64 `json:"not_computable"`
	FellBack      int64            `json:"fell_back"`
}

// DocumentCell is one setting of one rule.
type DocumentCell struct {
	Rule string `json:"rule"`
	Setting
}

// DocumentAdvice is the advised setting of one rule. Kind, window and
// threshold are null where no setting catches anything within the limits.
type DocumentAdvice struct {
	Rule           string         `json:"rule"`
	Identity       string         `json:"identity"`
	Scope          []string       `json:"scope"`
	Recommended    bool           `json:"recommended"`
	Kind           *string        `json:"kind"`
	WindowSeconds  *float64       `json:"window_s"`
	Threshold      *int           `json:"threshold"`
	Requests       int64          `json:"requests"`
	Episodes       int64          `json:"episodes"`
	EpisodesPerDay float64        `json:"episodes_per_day"`
	Caught         int            `json:"caught"`
	Loops          int            `json:"loops"`
	Missed         int            `json:"missed"`
	Wrong          int            `json:"wrong"`
	WrongRequests  int64          `json:"wrong_requests"`
	RequestsAfter  int64          `json:"requests_after"`
	TokensBefore   int64          `json:"tokens_before"`
	TokensAfter    int64          `json:"tokens_after"`
	CostBefore     float64        `json:"cost_before"`
	CostAfter      float64        `json:"cost_after"`
	DelayMedian    *float64       `json:"delay_median_s"`
	DelayP95       *float64       `json:"delay_p95_s"`
	Precision      *float64       `json:"precision"`
	Recall         *float64       `json:"recall"`
	F1             *float64       `json:"f1"`
	Score          *DocumentScore `json:"score"`
	Policy         *string        `json:"policy"`
	Train          *Outcome       `json:"train"`
	Test           *Outcome       `json:"test"`
	Current        *Outcome       `json:"current"`
}

// DocumentProfile is one gateway as it is.
type DocumentProfile struct {
	Profile       string           `json:"profile"`
	Reading       string           `json:"reading"`
	Requests      int64            `json:"requests"`
	Share         float64          `json:"share"`
	Episodes      int64            `json:"episodes"`
	Conversations int              `json:"conversations"`
	Caught        int              `json:"caught"`
	Missed        int              `json:"missed"`
	Wrong         int              `json:"wrong"`
	WrongShare    float64          `json:"wrong_share"`
	Long          int              `json:"long"`
	LongWrong     int              `json:"long_wrong"`
	Coverage      float64          `json:"coverage"`
	Matter        []Matter         `json:"differences"`
	Advised       *DocumentSetting `json:"advised"`
}

// DocumentSetting is the setting advised for a profile's identity and scope.
type DocumentSetting struct {
	Rule          string  `json:"rule"`
	Kind          string  `json:"kind"`
	WindowSeconds float64 `json:"window_s"`
	Threshold     int     `json:"threshold"`
	Requests      int64   `json:"requests"`
	Caught        int     `json:"caught"`
	Missed        int     `json:"missed"`
	Wrong         int     `json:"wrong"`
}

// DocumentLabels is what the labels say.
type DocumentLabels struct {
	Sessions    int `json:"sessions"`
	Loops       int `json:"loops"`
	Unseen      int `json:"unseen"`
	UnseenLoops int `json:"unseen_loops"`
	DocumentScore
	Missed []string `json:"missed"`
	Wrong  []string `json:"wrong"`
}

// DocumentScore is how sessions in which something fires agree with their labels,
// with 95 % intervals.
type DocumentScore struct {
	Score
	Precision     *float64 `json:"precision"`
	PrecisionLow  float64  `json:"precision_low"`
	PrecisionHigh float64  `json:"precision_high"`
	Recall        *float64 `json:"recall"`
	RecallLow     float64  `json:"recall_low"`
	RecallHigh    float64  `json:"recall_high"`
	F1            *float64 `json:"f1"`
}

// DocumentKey says which repeat one is, and of what kind.
type DocumentKey struct {
	ID          string            `json:"id"`
	Rule        string            `json:"rule"`
	Scope       map[string]string `json:"scope"`
	Fingerprint string            `json:"fingerprint"`
	Kind        window.Kind       `json:"kind"`
	Evidence    string            `json:"evidence"`
	First       string            `json:"first"`
}

// DocumentEpisode is one repeat that the recommended rules fire on; without a
// recommendation, one that the rules as they are fire on.
type DocumentEpisode struct {
	DocumentKey
	Fired         string           `json:"fired"`
	Last          string           `json:"last"`
	Requests      int64            `json:"requests"`
	RequestsAfter int64            `json:"requests_after"`
	TokensAfter   int64            `json:"tokens_after"`
	CostAfter     float64          `json:"cost_after"`
	Statuses      map[string]int64 `json:"statuses"`
	Session       *string          `json:"session"`
	Caller        *string          `json:"caller"`
	Model         *string          `json:"model"`
}

// DocumentRepeat is one repeat, whatever fires on it.
type DocumentRepeat struct {
	DocumentKey
	Last     string  `json:"last"`
	Requests int64   `json:"requests"`
	Session  *string `json:"session"`
	Caller   *string `json:"caller"`
}

// newDocument gathers a report, but for the long lists: see WriteDocument.
func newDocument(version string, r *Report) *Document {
	d := &Document{Version: documentVersion, Loopgauge: version, Data: r.documentData(), Advice: []DocumentAdvice{}, Profiles: []DocumentProfile{}}
	if d.Policy = replay.TextOrNull(r.Policy()); d.Policy != nil {
		d.AlertsPerDay = new(r.alertsPerDay())
	}
	for i := range r.Advice {
		d.Advice = append(d.Advice, r.documentAdvice(i))
	}
	for _, g := range r.Gateways {
		d.Profiles = append(d.Profiles, DocumentProfile{
			Profile: g.Gateway.Name, Reading: g.Gateway.Reading, Requests: g.Requests, Share: share(g.Requests, r.Result.Account.Judged),
			Episodes: g.Episodes, Conversations: g.Conversations, Caught: g.Caught, Missed: g.Loops - g.Caught,
			Wrong: g.Wrong, WrongShare: share(int64(g.Wrong), int64(g.Normal)), Long: g.Long, LongWrong: g.LongWrong, Coverage: g.Coverage,
			Matter: append([]Matter{}, g.Matter...), Advised: r.advisedFor(g.Gateway),
		})
	}
	if l := r.Labelled; l != nil {
		d.Labels = l.Document()
	}
	if r.Against != nil {
		d.Against = r.Against.Document()
	}
	return d
}

// advisedFor is the advice for a gateway's identity and scope, whichever
// reading of its counter was swept; nil if there is none.
func (r *Report) advisedFor(g Gateway) *DocumentSetting {
	for i := range r.Advice {
		a := &r.Advice[i]
		for _, rule := range g.Rules {
			if !a.Found || !a.Rule.SameKey(rule) {
				continue
			}
			cell := r.Cells[a.Cell]
			return &DocumentSetting{
				a.Rule.Name, cell.Kind, cell.Window.Seconds(), a.Threshold, a.Setting.Requests, a.Outcome.Caught, a.Outcome.Missed(), a.Outcome.Wrong,
			}
		}
	}
	return nil
}

func (r *Report) documentData() DocumentData {
	d := DocumentData{
		Account: r.Result.Account, Days: r.Days, LatenessSeconds: r.Lateness.Value.Seconds(), Alike: r.Result.Order.Alike, Conversations: r.Conversations, OneIn: r.OneIn, Scattered: r.Result.Scattered != "", Retold: r.Result.Retold != "", Chained: r.Result.Chained != "", Answers: r.Result.Links.Answers, AnswersUnlogged: r.Result.Links.Unlogged,
		RepeatsDropped: r.Summed(), Kinds: map[window.Kind]int{}, Coverage: []DocumentCoverage{},
	}
	if r.Result.First != fingerprint.NoTime {
		d.First, d.Last = new(window.Stamp(r.Result.First)), new(window.Stamp(r.Result.Last))
	}
	for a, n := range r.alike() {
		if !a.alone {
			d.Repeats += n
			d.Kinds[a.kind] += n
		}
	}
	d.KeysDropped = r.keysDropped()
	for i := range r.Result.Rules[:len(r.Options.Rules)] {
		a := &r.Result.Rules[i]
		d.Coverage = append(d.Coverage, DocumentCoverage{a.Rule.Name, a.Judged, a.Counted, a.NotMatched, a.Causes(), a.FellBack})
	}
	return d
}

func (r *Report) documentAdvice(i int) DocumentAdvice {
	a := &r.Advice[i]
	o := a.Outcome
	d := DocumentAdvice{
		Rule: a.Rule.Name, Identity: a.Rule.Identity.Name, Scope: append([]string{}, a.Rule.Scope.Fields...), Recommended: slices.Contains(r.Recommended, i),
		Caught: o.Caught, Loops: o.Loops, Missed: o.Missed(), Wrong: o.Wrong, WrongRequests: o.WrongRequests, RequestsAfter: o.Waste,
		Policy: replay.TextOrNull(r.policyRule(i)),
	}
	if a.HasCurrent {
		d.Current = &a.Current
	}
	if a.Found {
		s := &a.Setting
		d.Kind, d.WindowSeconds, d.Threshold = &s.Kind, &s.WindowSeconds, &s.Threshold
		d.Requests, d.Episodes, d.EpisodesPerDay = s.Requests, s.Episodes, s.EpisodesPerDay
		d.TokensBefore, d.TokensAfter, d.CostBefore, d.CostAfter = s.TokensBefore, s.TokensAfter, s.CostBefore, s.CostAfter
		d.DelayMedian, d.DelayP95 = s.DelayMedian, s.DelayP95
		d.Train, d.Test = &a.Train, &a.Test
	}
	if r.Labelled != nil {
		d.Score = new(documentScore(r.Labelled.ByAdvice[i]))
		d.Precision, d.Recall, d.F1 = d.Score.Precision, d.Score.Recall, d.Score.F1
	}
	return d
}

// Document is what documents say of the labels.
func (l *Labelled) Document() *DocumentLabels {
	return &DocumentLabels{
		Sessions: l.Sessions, Loops: l.Loops, Unseen: l.Unseen, UnseenLoops: l.UnseenLoops, DocumentScore: documentScore(l.Together),
		Missed: append([]string{}, l.Missed...), Wrong: append([]string{}, l.Wrong...),
	}
}

func documentScore(s Score) DocumentScore {
	d := DocumentScore{
		Score: s, Precision: replay.NumberOrNull(s.Precision()), Recall: replay.NumberOrNull(s.Recall()), F1: replay.NumberOrNull(s.F1()),
	}
	d.PrecisionLow, d.PrecisionHigh = Interval(s.TruePositive, s.TruePositive+s.FalsePositive)
	d.RecallLow, d.RecallHigh = Interval(s.TruePositive, s.TruePositive+s.FalseNegative)
	return d
}

func share(part, whole int64) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}
