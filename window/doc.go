// Package window counts repeats in time and turns them into verdicts and
// episodes.
//
// Requests come in as [Event]s, the compact form of a log record: what was
// judged, and no prompt text. [Order] puts the events of all streams into one
// order, [Engine] runs every [Rule] over them, and out come [Verdict]s and
// [Episode]s. Replaying a file and watching Kafka run this same code, so they
// cannot differ. [State] is what outlives a process. The package reads no
// clock, no file and no environment; time is what the events say, in
// microseconds since 1970, UTC.
package window
