package slack

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/slack-go/slack"

	"github.com/loopgauge/loopgauge/sinks"
	"github.com/loopgauge/loopgauge/window"
)

// Bot posts one message an incident, keeps it up to date in place, and says
// in its thread that the incident grew or closed.
//
// Which message is an incident's is written on the message, as metadata: after
// a restart it is looked for in the channel's history, so nothing of Slack is
// in the checkpoint, and an opening sent twice is posted once.
type Bot struct {
	api     *slack.Client
	channel string

	mu    sync.Mutex
	posts map[string]string // time stamp of the message by incident, of those open
}

// The metadata of a message.
const (
	metadataType = "loopgauge_alert"
	metadataID   = "id"
)

// The search for a message goes back to an hour before the incident fired,
// since clocks differ, and not farther than so many pages of messages.
const (
	searchBefore = time.Hour
	searchPages  = 10
	searchPage   = 200
)

// NewBot makes a sink that posts to a channel, given by its ID: names can
// change, and history is found by ID only. api is the address of Slack's API,
// ending in a slash; empty for Slack's own.
func NewBot(token, channel, api string) *Bot {
	options := []slack.Option{slack.OptionHTTPClient(sinks.NewClient(api, true))}
	if api != "" {
		options = append(options, slack.OptionAPIURL(api))
	}
	return &Bot{api: slack.New(token, options...), channel: channel, posts: map[string]string{}}
}

// Name implements sinks.Sink.
func (b *Bot) Name() string { return "slack " + b.channel }

// Send implements sinks.Sink.
func (b *Bot) Send(ctx context.Context, a *sinks.Alert) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.send(ctx, a); err != nil {
		return failure(err)
	}
	if a.State == window.Closed {
		delete(b.posts, a.ID)
	}
	return nil
}

func (b *Bot) send(ctx context.Context, a *sinks.Alert) error {
	ts := b.posts[a.ID]
	if ts == "" {
		var err error
		if ts, err = b.find(ctx, a); err != nil {
			return err
		}
	}
	options := append(render(a).options(), slack.MsgOptionMetadata(slack.SlackMetadata{
		EventType: metadataType, EventPayload: map[string]any{metadataID: a.ID, "revision": a.Revision},
	}))
	if ts != "" {
		_, _, _, err := b.api.UpdateMessageContext(ctx, b.channel, ts, options...)
		switch {
		case isAnswer(err, "message_not_found"): // somebody has deleted it
			ts = ""
		case isAnswer(err, "edit_window_closed", "cant_update_message"): // its thread says it alone
		case err != nil:
			return err
		}
	}
	if ts == "" {
		_, posted, err := b.api.PostMessageContext(ctx, b.channel, options...)
		if err != nil {
			return err
		}
		b.posts[a.ID] = posted
		return nil // it says everything already
	}
	b.posts[a.ID] = ts
	if a.State == window.Opened {
		return nil
	}
	_, _, err := b.api.PostMessageContext(ctx, b.channel, append(followUp(a).options(), slack.MsgOptionTS(ts))...)
	return err
}

func (m message) options() []slack.MsgOption {
	return []slack.MsgOption{
		slack.MsgOptionText(m.text, false), slack.MsgOptionBlocks(m.blocks...),
		slack.MsgOptionDisableMarkdown(), slack.MsgOptionDisableLinkUnfurl(), slack.MsgOptionDisableMediaUnfurl(),
	}
}

// find is the time stamp of an incident's message; empty if there is none, or
// if the bot may not read the channel's history.
func (b *Bot) find(ctx context.Context, a *sinks.Alert) (string, error) {
	p := &slack.GetConversationHistoryParameters{ChannelID: b.channel, Limit: searchPage, IncludeAllMetadata: true}
	if fired, err := time.Parse(time.RFC3339, a.Fired); err == nil {
		p.Oldest = fmt.Sprintf("%d.000000", fired.Add(-searchBefore).Unix())
	}
	for range searchPages {
		page, err := b.api.GetConversationHistoryContext(ctx, p)
		if isAnswer(err, "missing_scope", "not_in_channel") {
			return "", nil
		}
		if err != nil {
			return "", err
		}
		for _, m := range page.Messages {
			if m.Metadata.EventType == metadataType && m.Metadata.EventPayload[metadataID] == a.ID {
				return m.Timestamp, nil
			}
		}
		p.Cursor = page.ResponseMetaData.NextCursor
		if !page.HasMore || strings.TrimSpace(p.Cursor) == "" {
			break
		}
	}
	return "", nil
}
