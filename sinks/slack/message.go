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
const maxField = 2000 // characters of a field, after it

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
	field("Rule", sinks.Clean(strings.Join(a.Rules, ", ")))
	if a.Digest() {
		field("Loops", fmt.Sprintf("%d more than %d in a minute", a.Loops, a.Threshold))
	} else {
		field("Requests", fmt.Sprintf("%d, limit %d in %s", a.Requests, a.Threshold, time.Duration(a.WindowS*float64(time.Second))))
	}
	var scope []string
	for _, name := range slices.Sorted(maps.Keys(a.Scope)) {
		scope = append(scope, name+" "+a.Scope[name])
	}
	field("Scope", sinks.Clean(strings.Join(scope, ", ")))
	field("Model", sinks.Clean(a.Model))
	field("Backend", sinks.Clean(a.Backend))
	field("Caller", sinks.Clean(a.Caller))
	if a.CostAfter != nil {
		field("Cost after the limit", strconv.FormatFloat(*a.CostAfter, 'f', 4, 64)+" USD")
	}
	field("First request", a.First)
	field("Last request", a.Last)
	m.blocks = []slack.Block{
		slack.NewHeaderBlock(plain(m.text)),
		slack.NewSectionBlock(nil, fields, nil),
		slack.NewContextBlock("", plain(fmt.Sprintf("%s, revision %d, %s", sinks.Clean(a.ID), a.Revision, sinks.Clean(a.Fingerprint)))),
	}
	return m
}

// followUp is what stands in the thread below the opening message.
func followUp(a *sinks.Alert) message {
	text := headline(a)
	return message{text: text, blocks: []slack.Block{slack.NewSectionBlock(plain(text+", last at "+a.Last), nil, nil)}}
}

// headline holds no text of the log.
func headline(a *sinks.Alert) string {
	if a.Digest() {
		return digestHeadline(a)
	}
	switch a.State {
	case window.Grown:
		return fmt.Sprintf("Loop has grown to %d requests", a.Requests)
	case window.Closed:
		return fmt.Sprintf("Loop is over after %d requests", a.Requests)
	default:
		return fmt.Sprintf("Loop of %d requests", a.Requests)
	}
}

func digestHeadline(a *sinks.Alert) string {
	switch a.State {
	case window.Grown:
		return fmt.Sprintf("Digest has grown to %d more loops", a.Loops)
	case window.Closed:
		return fmt.Sprintf("Digest is over after %d more loops", a.Loops)
	default:
		return "Many loops at once: the others are in this digest"
	}
}

// plain is text in which nothing acts, within the limit of a field. What is
// cut is cut between characters, not within an escape.
func plain(text string) *slack.TextBlockObject {
	var b strings.Builder
	n := 0
	for _, r := range text {
		s := string(r)
		switch r {
		case '&':
			s = "&amp;"
		case '<':
			s = "&lt;"
		case '>':
			s = "&gt;"
		}
		if n += len(s); n > maxField {
			break
		}
		b.WriteString(s)
	}
	emoji := false
	return &slack.TextBlockObject{Type: slack.PlainTextType, Text: b.String(), Emoji: &emoji}
}
