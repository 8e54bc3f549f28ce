package sinks

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

// Webhook posts alerts as JSON to a URL.
type Webhook struct {
	url    string
	client *http.Client
}

// webhookTimeout bounds one attempt: a receiver that takes longer is down.
const webhookTimeout = 10 * time.Second

// NewWebhook makes a sink that posts to url.
func NewWebhook(url string) *Webhook {
	return &Webhook{url: url, client: &http.Client{
		Timeout: webhookTimeout,
		// An alert goes where the policy says, not where a receiver sends it.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Name implements Sink.
func (w *Webhook) Name() string { return "webhook " + w.url }

// Send implements Sink. The header Idempotency-Key is the alert's id and
// revision.
func (w *Webhook) Send(ctx context.Context, a *Alert) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, w.url, bytes.NewReader(a.Marshal()))
	if err != nil {
		return &Refused{err}
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Idempotency-Key", a.ID+"-"+strconv.Itoa(a.Revision))
	resp, err := w.client.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10)) // so that the connection is used again
	switch code := resp.StatusCode; {
	case code/100 == 2:
		return nil
	case code/100 == 4 && code != http.StatusRequestTimeout && code != http.StatusTooManyRequests:
		return &Refused{fmt.Errorf("the receiver answered %s", resp.Status)}
	default:
		return fmt.Errorf("the receiver answered %s", resp.Status)
	}
}
