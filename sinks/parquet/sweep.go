package parquet

// Setting is a row of sweep/: what one setting of one rule would have done.
type Setting struct {
	Rule           string   `parquet:"rule,dict"`
	Identity       string   `parquet:"identity,dict"`
	Scope          []string `parquet:"scope,list"`
	Counter        string   `parquet:"counter,dict"`
	WindowSeconds  float64  `parquet:"window_s"`
	Threshold      int32    `parquet:"threshold"`
	Advised        bool     `parquet:"advised"`
	Recommended    bool     `parquet:"recommended"`
	Requests       int64    `parquet:"requests"`
	Share          float64  `parquet:"share"`
	Episodes       int64    `parquet:"episodes"`
	EpisodesPerDay float64  `parquet:"episodes_per_day"`
	Scopes         int64    `parquet:"scopes"`
	Sessions       int64    `parquet:"sessions"`
	Callers        int64    `parquet:"callers"`
	TokensBefore   int64    `parquet:"tokens_before"`
	TokensAfter    int64    `parquet:"tokens_after"`
	CostBefore     float64  `parquet:"cost_before"`
	CostAfter      float64  `parquet:"cost_after"`
	DelayMedian    *float64 `parquet:"delay_median_s,optional"`
	DelayP95       *float64 `parquet:"delay_p95_s,optional"`
	Caught         int64    `parquet:"caught"`
	Missed         int64    `parquet:"missed"`
	Wrong          int64    `parquet:"wrong"`
	Stopped        *int64   `parquet:"stopped,optional"`
}

// AddSweep adds the sweep, in one file: a setting is of all days.
func (d *Dataset) AddSweep(settings []Setting) error {
	return writeFile(d, settings, "sweep", "sweep.parquet")
}
