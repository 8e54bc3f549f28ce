package live

import (
	"log/slog"
	"time"

	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/window"
)

// sayEvery is how often it is said that lines are not judged.
const sayEvery = time.Minute

// Unjudged tells of lines that are not judged, of rules that are blind and of
// conversations that are none: a log that cannot be read or lacks what is looked
// at, or a clock that ran ahead, must not pass for one without loops.
type Unjudged struct {
	Pipeline *replay.Pipeline // nil where no rule is at work
	Part     bool             // other processes judge some requests by some rules

	blind   blind
	at      time.Time
	account replay.Account
	links   replay.Links // as it began
	stream  string       // of the last such line
	skip    ingest.Skip

	duplicate, scattered, retold, lacking bool // said
}

// Begin begins with what an account says already.
func (u *Unjudged) Begin(now replay.Account) {
	u.at, u.account = time.Now(), now
	if u.Pipeline != nil {
		u.blind.begin(u.Pipeline.Accounts(), u.Part)
		u.links = u.Pipeline.Links
	}
}

// Skip takes in a line of a stream that is not judged.
func (u *Unjudged) Skip(stream string, s ingest.Skip) { u.stream, u.skip = stream, s }

// Look is Say once a minute.
func (u *Unjudged) Look(log *slog.Logger, now replay.Account) {
	if time.Since(u.at) >= sayEvery {
		u.Say(log, now)
	}
}

// Say says that more than one in a hundred lines since it was last looked at
// were not judged, and which rules have become blind; once, that most requests
// were there before, that for an hour nothing could repeat, or not be seen to, and
// that the log lacks requests.
func (u *Unjudged) Say(log *slog.Logger, now replay.Account) {
	lines, malformed, late := now.Lines-u.account.Lines, now.Malformed-u.account.Malformed, now.Late-u.account.Late
	if (malformed+late)*100 > lines {
		attrs := []any{"of", lines, "malformed", malformed, "late", late, "stream", u.stream, "line", u.skip.Line, "why", u.skip.Why}
		if late > 0 && u.Pipeline != nil {
			// What is late by a clock that ran ahead shows here alone.
			attrs = append(attrs, "come_to", window.Stamp(u.Pipeline.Order.Newest()))
		}
		log.Warn("lines are not judged: --verbose says why of each", attrs...)
	}
	u.at, u.account = time.Now(), now
	if u.Pipeline == nil {
		return
	}
	u.blind.say(log, u.Pipeline.Accounts())
	once := func(said *bool, what string) {
		if what != "" && !*said {
			*said = true
			log.Warn(what)
		}
	}
	if now.Judged+now.Duplicate >= fewRequests {
		once(&u.duplicate, now.MostlyDuplicate())
	}
	once(&u.scattered, u.Pipeline.Scattered(time.Hour))
	once(&u.retold, u.Pipeline.Retold(time.Hour))
	links := u.Pipeline.Links
	links.Answers, links.Unlogged = links.Answers-u.links.Answers, links.Unlogged-u.links.Unlogged
	once(&u.lacking, links.String())
}
