package slack

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/slack-go/slack"

	"github.com/loopgauge/loopgauge/sinks"
	"github.com/loopgauge/loopgauge/window"
)

// Slack takes 2000 characters a field and 10 fields a section. Escaping makes
// five characters of one.
const (
	maxValue = 350  // characters of one value, before escaping
	maxField = 2000 // characters of a field, after it
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
	field("Rule", clean(strings.Join(a.Rules, ", ")))
	field("Requests", fmt.Sprintf("%d, limit %d in %s", a.Requests, a.Threshold, time.Duration(a.WindowS*float64(time.Second))))
	var scope []string
	for _, name := range slices.Sorted(maps.Keys(a.Scope)) {
		scope = append(scope, name+" "+a.Scope[name])
	}
	field("Scope", clean(strings.Join(scope, ", ")))
	field("Model", clean(a.Model))
	field("Backend", clean(a.Backend))
	field("Caller", clean(a.Caller))
	if a.CostAfter != nil {
		field("Cost after the limit", strconv.FormatFloat(*a.CostAfter, 'f', 4, 64)+" USD")
	}
	field("First request", a.First)
	field("Last request", a.Last)
	m.blocks = []slack.Block{
		slack.NewHeaderBlock(plain(m.text)),
		slack.NewSectionBlock(nil, fields, nil),
		slack.NewContextBlock("", plain(fmt.Sprintf("%s, revision %d, %s", clean(a.ID), a.Revision, clean(a.Fingerprint)))),
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
	switch a.State {
	case window.Grown:
		return fmt.Sprintf("Loop has grown to %d requests", a.Requests)
	case window.Closed:
		return fmt.Sprintf("Loop is over after %d requests", a.Requests)
	default:
		return fmt.Sprintf("Loop of %d requests", a.Requests)
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

// clean is a value of the log on one line: without control and format
// characters, which could hide or turn around what follows, and not too long.
func clean(text string) string {
	n := 0
	var b strings.Builder
	for _, r := range text {
		if n++; n > maxValue {
			b.WriteRune('…')
			break
		}
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r) {
			r = '\uFFFD'
		}
		b.WriteRune(r)
	}
	return b.String()
}
