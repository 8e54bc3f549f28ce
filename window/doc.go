// Package window counts repeats in time and turns them into verdicts and
// episodes.
//
//	Request ─► Extractor ─► Event ─► Order ─► Duplicates ─┬─► Engine ─► Verdict, Episode ─► Incidents
//	                                                      └─► Sweep ─► Swept, Findings
//
// Requests come in as [Event]s, the compact form of a log record: what was
// judged, and no prompt text. [Order] puts the events of all streams into one
// order, [Engine] runs every [Rule] over them, and out come [Verdict]s and
// [Episode]s. Replaying a file and watching Kafka run this same code, so they
// cannot differ. [State] is what outlives a process. The package reads no
// clock, no file and no environment; time is what the events say, in
// microseconds since 1970, UTC.
//
// [Sweep] tells of the same events what every rule would have done that differs in
// counter, window and threshold alone: an engine has one [Counter] for each rule, a
// sweep counts them all in one pass, in a way of its own. What it has for that is in
// the files sweep_*.go, and begins with sweep_target.go.
//
// A hit is one fingerprint of an event, as a counter sees it. Its key is the
// fingerprint and the scope: that of other hits which are the same.
package window
