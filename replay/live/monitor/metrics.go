package monitor

import (
	"maps"
	"runtime"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/replay/live"
	"github.com/loopgauge/loopgauge/sinks"
	"github.com/loopgauge/loopgauge/window"
)

// Metric is one metric of a watch.
type Metric struct {
	Name   string
	Type   Type
	Labels []string
	Help   string

	read func(*view, emit)
}

// Type is a type of Prometheus.
type Type string

// Counters begin at zero with the process, whatever a checkpoint says: what is
// judged again after a crash would look like a reset to Prometheus, and the
// count of all time be added to every rate.
const (
	Counter Type = "counter"
	Gauge   Type = "gauge"
)

func (t Type) value() prometheus.ValueType {
	if t == Counter {
		return prometheus.CounterValue
	}
	return prometheus.GaugeValue
}

// emit takes a value with those of the labels.
type emit func(value float64, labels ...string)

// view is how a run stands when it is asked.
type view struct {
	live.Now
	at      time.Time
	began   time.Time // when it could be asked first
	version string
}

// maxStreams is how many streams have series of their own; the others are one.
// No topic has so many partitions, but a directory may have so many files.
const (
	maxStreams   = 1000
	otherStreams = "(others)"
)

// Metrics are all metrics there are, but those of the Go runtime and the
// process.
var Metrics = []Metric{
	{
		Name: "loopgauge_build_info", Type: Gauge, Labels: []string{"version", "go_version"},
		Help: "What is running; the value is always 1.",
		read: func(v *view, to emit) { to(1, v.version, runtime.Version()) },
	},
	one(Gauge, "loopgauge_ready", "1 when the streams that there were at the start are being read and a checkpoint is written, as /readyz says.",
		func(v *view) int {
			if notReady(&v.Now) != "" {
				return 0
			}
			return 1
		}),
	{
		Name: "loopgauge_heartbeat_timestamp_seconds", Type: Gauge,
		Help: "When the loop last came round.",
		read: func(v *view, to emit) { to.time(v.Heartbeat) },
	},

	{
		Name: "loopgauge_lines_total", Type: Counter, Labels: []string{"fate"},
		Help: "Lines or records read, by what became of them: judged, blank, malformed, duplicate, late or excluded. Those that wait are not among them.",
		read: func(v *view, to emit) {
			now, began := &v.Account, &v.Began.Account
			to.count(now.Judged-began.Judged, "judged")
			to.count(now.Blank-began.Blank, "blank")
			to.count(now.Malformed-began.Malformed, "malformed")
			to.count(now.Duplicate-began.Duplicate, "duplicate")
			to.count(now.Late-began.Late, "late")
			to.count(now.Excluded-began.Excluded, "excluded")
		},
	},
	one(Counter, "loopgauge_read_bytes_total", "Bytes read, unpacked.",
		func(v *view) int64 { return v.Bytes() - v.Began.Bytes() }),
	one(Gauge, "loopgauge_requests_waiting", "Requests held back until every stream has come as far, less the lateness.",
		func(v *view) int { return v.Waiting }),

	{
		Name: "loopgauge_streams", Type: Gauge, Labels: []string{"state"},
		Help: "Streams that are read: active, or idle, which hold nothing back.",
		read: func(v *view, to emit) {
			idle := 0
			for i := range v.Lanes {
				if v.Lanes[i].Idle {
					idle++
				}
			}
			to(float64(len(v.Lanes)-idle), "active")
			to(float64(idle), "idle")
		},
	},
	{
		Name: "loopgauge_stream_lag_records", Type: Gauge, Labels: []string{"stream"},
		Help: "Records of a partition that are known to follow what was taken in.",
		read: func(v *view, to emit) { v.lag(to, false) },
	},
	{
		Name: "loopgauge_stream_lag_bytes", Type: Gauge, Labels: []string{"stream"},
		Help: "Bytes of a followed file that are known to follow what was taken in.",
		read: func(v *view, to emit) { v.lag(to, true) },
	},
	ofStreams("loopgauge_lost_records_total", "Records that were gone before they could be read; of files, times that some were: nobody knows how many.",
		func(l *live.LaneStatus) int64 { return l.Lost }),
	one(Gauge, "loopgauge_unreadable_files", "Followed files, and directories, that could not be read, or were gone, for a minute: what they get is not judged, or late.",
		func(v *view) int { return v.Unreadable }),
	ofStreams("loopgauge_control_records_total", "Control records passed over, which hold no request.",
		func(l *live.LaneStatus) int64 { return l.Control }),
	ofStreams("loopgauge_transactional_batches_total", "Batches that were written in a transaction; aborted ones are judged like the others.",
		func(l *live.LaneStatus) int64 { return l.Transactional }),

	{
		Name: "loopgauge_event_newest_timestamp_seconds", Type: Gauge,
		Help: "Event time that the streams have come to.",
		read: func(v *view, to emit) { v.eventTime(to, v.Newest) },
	},
	{
		Name: "loopgauge_event_judged_timestamp_seconds", Type: Gauge,
		Help: "Event time up to which everything is judged.",
		read: func(v *view, to emit) { v.eventTime(to, v.Frontier) },
	},
	{
		Name: "loopgauge_event_delay_seconds", Type: Gauge,
		Help: "How long ago the event time was up to which everything is judged; 0 while nothing waits and every stream is at its end. Before anything is judged, how long ago watch began.",
		read: func(v *view, to emit) {
			switch {
			case v.caughtUp():
				to(0)
			case v.told(v.Frontier):
				to(max(0, v.at.Sub(time.UnixMicro(v.Frontier)).Seconds()))
			case v.Ready: // brokers may have gone away since
				to(v.at.Sub(v.began).Seconds())
			}
		},
	},

	{
		Name: "loopgauge_rule_requests_total", Type: Counter, Labels: []string{"rule", "outcome"},
		Help: "Requests that a rule was shown: counted, not_matched or not_computable.",
		read: func(v *view, to emit) {
			v.rules(func(name string, now, began *window.RuleAccount) {
				blind, _, _ := now.Blind()
				before, _, _ := began.Blind()
				to.count(now.Counted-began.Counted, name, "counted")
				to.count(now.NotMatched-began.NotMatched, name, "not_matched")
				to.count(blind-before, name, "not_computable")
			})
		},
	},
	{
		Name: "loopgauge_rule_not_computable_total", Type: Counter, Labels: []string{"rule", "cause"},
		Help: "Requests that a rule could not look at, by cause; of causes that have not come up there is no series.",
		read: func(v *view, to emit) {
			v.rules(func(name string, now, began *window.RuleAccount) {
				for c, n := range now.NotComputable {
					if n -= began.NotComputable[c]; n > 0 {
						to.count(n, name, fingerprint.Cause(c).String())
					}
				}
			})
		},
	},
	ofRules(Counter, "loopgauge_rule_fired_total", "Verdicts that fired: one per request and fingerprint.",
		func(a *window.RuleAccount) int64 { return a.Fired }),
	ofRules(Counter, "loopgauge_rule_episodes_total", "Loops as the rule saw them.",
		func(a *window.RuleAccount) int64 { return a.Episodes }),
	ofRules(Gauge, "loopgauge_rule_live_keys", "Keys that the rule's counter holds.",
		func(a *window.RuleAccount) int64 { return int64(a.LiveKeys) }),
	ofRules(Counter, "loopgauge_rule_dropped_keys_total", "Counts, cooldowns and open episodes dropped to stay within the cap on live keys: loops among them may be missed.",
		func(a *window.RuleAccount) int64 { return a.DroppedKeys }),

	one(Gauge, "loopgauge_incidents_open", "Loops that go on.",
		func(v *view) int { return v.Incidents }),
	{
		Name: "loopgauge_alerts_total", Type: Counter, Labels: []string{"state"},
		Help: "Alerts made: opened, grown or closed.",
		read: func(v *view, to emit) {
			for _, state := range []window.IncidentState{window.Opened, window.Grown, window.Closed} {
				to.count(v.Alerts[state], string(state))
			}
		},
	},
	{
		Name: "loopgauge_loops_total", Type: Counter, Labels: []string{"rule", "kind"},
		Help: "Loops that are over, by the rule that fired first and the kind of repeat.",
		read: func(v *view, to emit) {
			// All begin at zero: the first loop of a series that begins with it is no increase.
			loops := map[live.LoopKind]int64{}
			v.rules(func(name string, _, _ *window.RuleAccount) {
				for _, kind := range window.Kinds {
					loops[live.LoopKind{Rule: name, Kind: string(kind)}] = 0
				}
			})
			maps.Copy(loops, v.Loops)
			for of, n := range loops { // any order: the registry sorts
				to.count(n, of.Rule, of.Kind)
			}
		},
	},
	ofSinks(Gauge, "loopgauge_alerts_waiting", "Alerts that a sink does not have yet.",
		func(s *sinks.SinkStats) int64 { return int64(s.Waiting) }),
	ofSinks(Counter, "loopgauge_alerts_sent_total", "Alerts that a sink took.",
		func(s *sinks.SinkStats) int64 { return s.Sent }),
	ofSinks(Counter, "loopgauge_alerts_failed_total", "Attempts to send that failed, and are repeated.",
		func(s *sinks.SinkStats) int64 { return s.Failed }),
	ofSinks(Counter, "loopgauge_alerts_refused_total", "Alerts that a sink did not want, and that will not be sent to it again.",
		func(s *sinks.SinkStats) int64 { return s.Refused }),
	ofSinks(Counter, "loopgauge_alerts_dropped_total", "Alerts that were given up because too many waited for a sink.",
		func(s *sinks.SinkStats) int64 { return s.Dropped }),

	one(Counter, "loopgauge_verdicts_dropped_total", "Verdicts that were given up because their topic took none for too long.",
		func(v *view) int64 { return v.Dropped }),

	one(Counter, "loopgauge_checkpoints_total", "Checkpoints written.",
		func(v *view) int64 { return v.Checkpoints }),
	{
		Name: "loopgauge_checkpoint_timestamp_seconds", Type: Gauge,
		Help: "When the last checkpoint was written.",
		read: func(v *view, to emit) { to.time(v.CheckpointTime) },
	},
	{
		Name: "loopgauge_checkpoint_unsaved_seconds", Type: Gauge,
		Help: "How long there has been something that no checkpoint holds: 0 if there is nothing, so that silence is not an old checkpoint.",
		read: func(v *view, to emit) {
			unsaved := 0.0
			if !v.Unsaved.IsZero() {
				unsaved = max(0, v.at.Sub(v.Unsaved).Seconds())
			}
			to(unsaved)
		},
	},
	one(Gauge, "loopgauge_checkpoint_duration_seconds", "How long the last checkpoint took.",
		func(v *view) float64 { return v.CheckpointTook.Seconds() }),
	one(Gauge, "loopgauge_checkpoint_size_bytes", "Size of the last checkpoint.",
		func(v *view) int { return v.CheckpointBytes }),
}

// one is a metric of one value.
func one[N int | int64 | float64](t Type, name, help string, of func(*view) N) Metric {
	return Metric{Name: name, Type: t, Help: help, read: func(v *view, to emit) { to(float64(of(v))) }}
}

// ofStreams is one that adds up what streams have counted, those that are over too.
func ofStreams(name, help string, of func(*live.LaneStatus) int64) Metric {
	return one(Counter, name, help, func(v *view) int64 {
		n := of(&v.Gone)
		for i := range v.Lanes {
			n += of(&v.Lanes[i])
		}
		return n
	})
}

// ofRules is one of each rule: what there is, or has been counted by this process.
func ofRules(t Type, name, help string, of func(*window.RuleAccount) int64) Metric {
	return Metric{Name: name, Type: t, Labels: []string{"rule"}, Help: help, read: func(v *view, to emit) {
		v.rules(func(name string, now, began *window.RuleAccount) {
			n := of(now)
			if t == Counter {
				n -= of(began)
			}
			to.count(n, name)
		})
	}}
}

// ofSinks is one of each sink.
func ofSinks(t Type, name, help string, of func(*sinks.SinkStats) int64) Metric {
	return Metric{Name: name, Type: t, Labels: []string{"sink"}, Help: help, read: func(v *view, to emit) {
		for i := range v.Sinks {
			to.count(of(&v.Sinks[i]), strings.ToValidUTF8(v.Sinks[i].Name, "\uFFFD"))
		}
	}}
}

func (to emit) count(n int64, labels ...string) { to(float64(n), labels...) }

// time emits a time, and nothing if there is none.
func (to emit) time(t time.Time) {
	if !t.IsZero() {
		to(float64(t.UnixMicro()) / 1e6)
	}
}

// told tells whether the loop has said anything about event times, and t is
// one.
func (v *view) told(t int64) bool { return !v.Heartbeat.IsZero() && t != fingerprint.NoTime }

func (v *view) eventTime(to emit, t int64) {
	if v.told(t) {
		to.time(time.UnixMicro(t))
	}
}

// caughtUp tells whether there is nothing to judge.
func (v *view) caughtUp() bool {
	if v.Waiting > 0 || !v.Ready {
		return false
	}
	for i := range v.Lanes {
		if !v.Lanes[i].AtEnd {
			return false
		}
	}
	return true
}

// lag emits how far streams are behind, files or others. Streams of one name,
// such as a file and what was rotated away under it, are one.
func (v *view) lag(to emit, file bool) {
	behind := map[string]int64{}
	var names []string
	for i := range v.Lanes {
		l := &v.Lanes[i]
		if l.File != file || l.Behind < 0 {
			continue
		}
		name := strings.ToValidUTF8(l.Name, "\uFFFD")
		if _, ok := behind[name]; !ok {
			if len(names) >= maxStreams {
				name = otherStreams
			}
			if _, ok := behind[name]; !ok {
				names = append(names, name)
			}
		}
		behind[name] += l.Behind
	}
	for _, name := range names {
		to.count(behind[name], name)
	}
}

// rules visits the accounts of the rules, and what they began with.
func (v *view) rules(visit func(name string, now, began *window.RuleAccount)) {
	for i := range v.Rules {
		visit(v.Rules[i].Rule.Name, &v.Rules[i], &v.Began.Rules[i])
	}
}
