package slack

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/slack-go/slack"

	"github.com/loopgauge/loopgauge/sinks"
	"github.com/loopgauge/loopgauge/window"
)

// Hook posts openings and closings to an incoming webhook, which can change
// no message and knows no thread.
type Hook struct {
	url    string
	client *http.Client
}

// NewHook makes a sink that posts to the URL of an incoming webhook.
func NewHook(address string) *Hook { return &Hook{address, sinks.NewClient(address, true)} }

// Name implements sinks.Sink. The URL is a secret.
func (h *Hook) Name() string {
	return fmt.Sprintf("slack webhook %.4x", sha256.Sum256([]byte(h.url)))
}

// Send implements sinks.Sink.
func (h *Hook) Send(ctx context.Context, a *sinks.Alert) error {
	if a.State == window.Grown {
		return nil
	}
	m := render(a)
	err := slack.PostWebhookCustomHTTPContext(ctx, h.url, h.client, &slack.WebhookMessage{
		Text: m.text, Blocks: &slack.Blocks{BlockSet: m.blocks}, Parse: "none", UnfurlLinks: new(false), UnfurlMedia: new(false),
	})
	if failed, ok := errors.AsType[*url.Error](err); ok {
		err = failed.Err // without the URL
	}
	return failure(err)
}
