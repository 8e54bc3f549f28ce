package sinks

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/loopgauge/loopgauge/window"
)

// WebhookOptions are where alerts are posted, and as what.
type WebhookOptions struct {
	URL    string
	Secret string // signs what is sent; empty: unsigned
	AISG   bool   // the form of AISG's own webhook, openings only
	// AllowPrivate lets the URL's host name stand for an address of a private
	// network or of this machine.
	AllowPrivate bool
}

// Webhook posts alerts as JSON to a URL.
type Webhook struct {
	WebhookOptions
	client *http.Client
}

// The headers of a signed alert: the seconds since 1970 at which it was sent,
// and "v1=" with the HMAC-SHA-256 of them, a dot and the body, in hex.
const (
	timestampHeader = "Loopgauge-Timestamp"
	signatureHeader = "Loopgauge-Signature"
)

// NewWebhook makes a sink that posts to o.URL.
func NewWebhook(o WebhookOptions) *Webhook {
	return &Webhook{WebhookOptions: o, client: NewClient(o.URL, o.AllowPrivate)}
}

// Name implements Sink.
func (w *Webhook) Name() string { return receiverName("webhook", w.URL) }

// aisgAlert is what AISG posts.
type aisgAlert struct {
	Event     string   `json:"event"`
	Timestamp string   `json:"timestamp"`
	ProjectID string   `json:"project_id"`
	RequestID string   `json:"request_id"`
	Data      aisgData `json:"data"`
}

type aisgData struct {
	Fingerprint     string `json:"fingerprint"`
	HitCount        int64  `json:"hit_count"`
	Model           string `json:"model"`
	CooldownSeconds int64  `json:"cooldown_seconds"`
}

// body is what is posted; nil if the form has no word for such an alert.
func (w *Webhook) body(a *Alert) []byte {
	if !w.AISG {
		return a.Marshal()
	}
	if a.State != window.Opened || a.Digest() {
		return nil
	}
	b, err := json.Marshal(aisgAlert{
		Event: "loop.detected", Timestamp: a.Time, ProjectID: a.Caller, RequestID: a.ID,
		Data: aisgData{a.Fingerprint, a.Requests, a.Model, int64(a.CooldownS)},
	})
	if err != nil {
		panic(err) // see Marshal
	}
	return b
}

// Send implements Sink. The header Idempotency-Key is the alert's id and
// revision.
func (w *Webhook) Send(ctx context.Context, a *Alert) error {
	body := w.body(a)
	if body == nil {
		return nil
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, w.URL, bytes.NewReader(body))
	if err != nil {
		return &Refused{err}
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Idempotency-Key", a.ID+"-"+strconv.Itoa(a.Revision))
	if w.Secret != "" {
		timestamp := strconv.FormatInt(time.Now().Unix(), 10)
		r.Header.Set(timestampHeader, timestamp)
		r.Header.Set(signatureHeader, signature(w.Secret, timestamp, body))
	}
	return post(w.client, r)
}

func signature(secret, timestamp string, body []byte) string {
	h := hmac.New(sha256.New, []byte(secret))
	h.Write([]byte(timestamp + "."))
	h.Write(body)
	return "v1=" + hex.EncodeToString(h.Sum(nil))
}
