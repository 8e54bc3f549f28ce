package parquet

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/loopgauge/loopgauge/window"
)

// episodeRow is a row of episodes/: one loop as one rule saw it.
type episodeRow struct {
	ID            string        `parquet:"id"`
	Rule          string        `parquet:"rule,dict"`
	Profile       string        `parquet:"profile,optional,dict"`
	Identity      string        `parquet:"identity,dict"`
	Counter       string        `parquet:"counter,dict"`
	WindowSeconds float64       `parquet:"window_s"`
	Threshold     int32         `parquet:"threshold"`
	Action        string        `parquet:"action,dict"`
	Scope         []scopeValue  `parquet:"scope,list"`
	Session       string        `parquet:"session,optional,dict"`
	Caller        string        `parquet:"caller,optional,dict"`
	User          string        `parquet:"user,optional,dict"`
	Model         string        `parquet:"model,optional,dict"`
	Backend       string        `parquet:"backend,optional,dict"`
	Tool          string        `parquet:"tool,optional,dict"`
	Method        string        `parquet:"method,optional,dict"`
	Path          string        `parquet:"path,optional,dict"`
	Fingerprint   string        `parquet:"fingerprint"`
	First         int64         `parquet:"first,timestamp(microsecond)"`
	Fired         int64         `parquet:"fired,timestamp(microsecond)"`
	Last          int64         `parquet:"last,timestamp(microsecond)"`
	Requests      int64         `parquet:"requests"`
	RequestsAfter int64         `parquet:"requests_after"`
	TokensAfter   *int64        `parquet:"tokens_after,optional"`
	CostAfter     *float64      `parquet:"cost_after,optional"`
	MaxCount      int32         `parquet:"max_count"`
	Statuses      []statusCount `parquet:"statuses,list"`
	Kind          string        `parquet:"kind,optional,dict"`
	Evidence      string        `parquet:"evidence,optional"`
}

// statusCount is how many of the requests that fired ended with a status; null
// is not logged.
type statusCount struct {
	Status   *int32 `parquet:"status,optional"`
	Requests int64  `parquet:"requests"`
}

// maxEpisodes is how many rows are kept in memory before they are written:
// episodes do not come in the order of their days.
const maxEpisodes = 1 << 16

type episodes struct {
	d    *Dataset
	days map[string][]episodeRow
	rows int
	part int
}

func newEpisodes(d *Dataset) *episodes { return &episodes{d: d, days: map[string][]episodeRow{}} }

func (e *episodes) add(ep *window.Episode) error {
	row := episodeRow{
		ID: ep.ID, Rule: ep.Rule.Name, Profile: ep.Rule.Profile, Identity: ep.Rule.Identity.Name, Counter: ep.Rule.Counter.Kind,
		WindowSeconds: ep.Rule.Counter.Window.Seconds(), Threshold: int32(ep.Rule.Threshold), Action: string(ep.Rule.Action),
		Session: ep.Session, Caller: ep.Caller, User: ep.User, Model: ep.Model, Backend: ep.Backend,
		Tool: ep.Tool, Method: ep.Method, Path: ep.Path,
		Fingerprint: ep.Fingerprint.String(), First: ep.First, Fired: ep.Fired, Last: ep.Last,
		Requests: ep.Requests, RequestsAfter: ep.After.Requests, MaxCount: int32(ep.MaxCount),
		Kind: string(ep.Kind), Evidence: ep.Evidence,
	}
	for i, field := range ep.Rule.Scope.Fields {
		row.Scope = append(row.Scope, scopeValue{field, ep.Scope[i]})
	}
	if ep.After.TokensKnown {
		row.TokensAfter = new(ep.After.Tokens)
	}
	if ep.After.CostKnown {
		row.CostAfter = new(ep.After.Cost.Dollars())
	}
	for _, s := range ep.Statuses {
		c := statusCount{Requests: s.N}
		if s.Status >= 0 {
			c.Status = new(int32(s.Status))
		}
		row.Statuses = append(row.Statuses, c)
	}
	day := date(ep.Fired)
	e.days[day] = append(e.days[day], row)
	if e.rows++; e.rows >= maxEpisodes {
		return e.flush()
	}
	return nil
}

// flush writes what is in memory, a file a day.
func (e *episodes) flush() error {
	for _, day := range slices.Sorted(maps.Keys(e.days)) {
		slices.SortStableFunc(e.days[day], func(a, b episodeRow) int { return cmp.Compare(a.Fired, b.Fired) })
		if err := writeFile(e.d, e.days[day], "episodes", day, fmt.Sprintf("%s-%04d.parquet", cmp.Or(e.d.part, "episodes"), e.part)); err != nil {
			return err
		}
	}
	clear(e.days)
	e.rows = 0
	e.part++
	return nil
}
