package slack

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/slack-go/slack"

	"github.com/loopgauge/loopgauge/sinks"
	"github.com/loopgauge/loopgauge/window"
)

// Slack takes 2000 characters a field and 10 fields a section. Escaping makes
// five characters of one.
const (
	maxField  = 2000 // characters of a field, after it
	maxFields = 10
)

// message is what one alert looks like. Text of the log stands only in blocks
// of plain_text, where Slack makes nothing of mentions, links and marks; text,
// which is for notifications, holds none.
type message struct {
	text   string
	blocks []slack.Block
}

func render(a *sinks.Alert) message {
	m := message{text: headline(a)}
	var fields []*slack.TextBlockObject
	field := func(name, value string) {
		if value != "" {
			fields = append(fields, plain(name+"\n"+value))
		}
	}
	field("Repeats", sinks.Clean(a.Repeats))
	field("Rule", sinks.Clean(strings.Join(a.Rules, ", ")))
	field("Severity", string(a.Severity))
	of := "request"
	if a.Digest() {
		of = "loop"
		field("Loops", fmt.Sprintf("%d more than %d in a minute", a.Loops, a.Threshold))
	} else {
		field("Requests", fmt.Sprintf("%d in %s, limit %s", a.Requests, lasted(a), a.Limit()))
	}
	field("Scope", sinks.Clean(a.ScopeText()))
	for _, who := range a.Whose() {
		field(strings.ToUpper(who.Name[:1])+who.Name[1:], sinks.Clean(who.Value))
	}
	field("Model", sinks.Clean(a.Model))
	field("Backend", sinks.Clean(a.Backend))
	if a.TokensAfter != nil {
		field("Tokens after the limit", strconv.FormatInt(*a.TokensAfter, 10))
	}
	if a.CostAfter != nil {
		field("Cost after the limit", sinks.Dollars(*a.CostAfter))
	}
	field("First "+of, a.First)
	field("Last "+of, a.Last)
	m.blocks = []slack.Block{slack.NewHeaderBlock(plain(m.text))}
	for some := range slices.Chunk(fields, maxFields) {
		m.blocks = append(m.blocks, slack.NewSectionBlock(nil, some, nil))
	}
	for _, line := range details(a) {
		m.blocks = append(m.blocks, slack.NewSectionBlock(plain(line), nil, nil))
	}
	if links := links(a); links != "" {
		m.blocks = append(m.blocks, slack.NewSectionBlock(slack.NewTextBlockObject(slack.MarkdownType, links, false, true), nil, nil))
	}
	m.blocks = append(m.blocks,
		slack.NewContextBlock("", plain(strings.TrimSuffix(fmt.Sprintf("%s, revision %d, %s", sinks.Clean(a.ID), a.Revision, sinks.Clean(a.Fingerprint)), ", "))))
	return m
}

// lasted is how long a loop went on, to the second if it took one.
func lasted(a *sinks.Alert) string {
	d := a.Lasted()
	if d < time.Second {
		return d.Round(time.Millisecond).String()
	}
	return window.Lasting(d.Round(time.Second))
}

// details are what else there is to say, a line each.
func details(a *sinks.Alert) (lines []string) {
	if a.Kind != "" {
		lines = append(lines, strings.TrimSuffix("Kind: "+a.Kind+", "+sinks.Clean(a.Evidence), ", ")) // a digest has no evidence
	}
	if settings := a.Settings(); settings != "" {
		lines = append(lines, "Would not have fired: "+sinks.Clean(settings))
	}
	if r := a.Response; r != nil {
		lines = append(lines, "The client would have seen, of "+sinks.CleanUpTo(r.String(), maxBody))
	}
	why := a.Explain
	if x := a.Example; x != nil {
		one := "One of them: " + x.ID
		if x.Session != "" {
			one += ", session " + sinks.Clean(x.Session)
		}
		lines, why = append(lines, one), x.Explain
	}
	if why != "" {
		lines = append(lines, "Why: "+sinks.CleanUpTo(why, maxField))
	}
	return lines
}

// maxBody is how much is shown of what a client would have seen, in characters.
const maxBody = 700

// maxLinks is how much Slack takes of a text, in bytes at most.
const maxLinks = 3000

// links are the policy's. Their values are escaped as URLs are, so that no text
// of the log can end one; their names are the policy's, and escaped all the
// same.
func links(a *sinks.Alert) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(a.Links)) { // any order: sorted
		link := "<" + escape(a.Links[name]) + "|" + escape(strings.ReplaceAll(name, "|", " ")) + ">"
		if b.Len()+len(link) > maxLinks {
			break
		}
		if b.Len() > 0 {
			b.WriteString("  ")
		}
		b.WriteString(link)
	}
	return b.String()
}

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

func escape(text string) string { return escaper.Replace(text) }

// followUp is what stands in the thread below the opening message.
func followUp(a *sinks.Alert) message {
	text := headline(a)
	return message{text: text, blocks: []slack.Block{slack.NewSectionBlock(plain(text+", last at "+a.Last), nil, nil)}}
}

// headline holds no text of the log.
func headline(a *sinks.Alert) string {
	if a.Digest() {
		return a.DigestHeadline()
	}
	kind := ""
	if a.Kind != "" && a.Kind != string(window.Unknown) {
		kind = " (" + a.Kind + ")"
	}
	switch a.State {
	case window.Grown:
		return fmt.Sprintf("Loop%s has grown to %d requests", kind, a.Requests)
	case window.Closed:
		return fmt.Sprintf("Loop%s is over after %d requests", kind, a.Requests)
	default:
		return fmt.Sprintf("Loop%s of %d requests", kind, a.Requests)
	}
}

// plain is text in which nothing acts, within the limit of a field. What is
// cut is cut between characters, not within an escape.
func plain(text string) *slack.TextBlockObject {
	var b strings.Builder
	n := 0
	for _, r := range text {
		s := escape(string(r))
		if n += len(s); n > maxField {
			break
		}
		b.WriteString(s)
	}
	return &slack.TextBlockObject{Type: slack.PlainTextType, Text: b.String(), Emoji: new(false)}
}
