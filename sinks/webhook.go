package sinks

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"syscall"
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

// webhookTimeout bounds one attempt: a receiver that takes longer is down.
const webhookTimeout = 10 * time.Second

// The headers of a signed alert: the seconds since 1970 at which it was sent,
// and "v1=" with the HMAC-SHA-256 of them, a dot and the body, in hex.
const (
	TimestampHeader = "Loopgauge-Timestamp"
	SignatureHeader = "Loopgauge-Signature"
)

// NewWebhook makes a sink that posts to o.URL.
func NewWebhook(o WebhookOptions) *Webhook {
	return &Webhook{WebhookOptions: o, client: newClient(o.URL, o.AllowPrivate)}
}

// newClient makes a client for one receiver.
func newClient(address string, allowPrivate bool) *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	if !allowPrivate && !namesPrivate(address) {
		transport.Proxy = nil // it would resolve the name itself
		transport.DialContext = (&net.Dialer{Timeout: webhookTimeout, Control: refusePrivate}).DialContext
	}
	return &http.Client{
		Timeout: webhookTimeout, Transport: transport,
		// An alert goes where the policy says, not where a receiver sends it.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// namesPrivate tells whether a URL says itself that it means this machine or
// an address: the policy's author knew.
func namesPrivate(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	_, err = netip.ParseAddr(u.Hostname())
	return err == nil || strings.EqualFold(u.Hostname(), "localhost")
}

// refusePrivate is asked before a connection is made, so a name cannot stand
// for another address when it is looked up again.
func refusePrivate(_, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	if ip := to.Addr().Unmap(); !ip.IsGlobalUnicast() || ip.IsPrivate() {
		return fmt.Errorf("its name stands for the private address %s: allow_private: true allows that", ip)
	}
	return nil
}

// Name implements Sink.
func (w *Webhook) Name() string { return receiverName("webhook", w.URL) }

// receiverName names a sink by its URL, of which what follows the host may be
// secret.
func receiverName(kind, address string) string {
	host := ""
	if u, err := url.Parse(address); err == nil {
		host = u.Host
	}
	return fmt.Sprintf("%s %s %.4x", kind, host, sha256.Sum256([]byte(address)))
}

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
		r.Header.Set(TimestampHeader, timestamp)
		r.Header.Set(SignatureHeader, signature(w.Secret, timestamp, body))
	}
	return post(w.client, r)
}

func signature(secret, timestamp string, body []byte) string {
	h := hmac.New(sha256.New, []byte(secret))
	h.Write([]byte(timestamp + "."))
	h.Write(body)
	return "v1=" + hex.EncodeToString(h.Sum(nil))
}

// post sends a request and says of the answer whether and when to try again.
func post(client *http.Client, r *http.Request) error {
	resp, err := client.Do(r)
	if err != nil {
		if failed, ok := errors.AsType[*url.Error](err); ok {
			err = failed.Err // without the URL, which may be secret
		}
		return err
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10)) // so that the connection is used again
	code := resp.StatusCode
	err = fmt.Errorf("the receiver answered %s", resp.Status)
	switch after, ok := retryAfter(resp.Header.Get("Retry-After")); {
	case code/100 == 2:
		return nil
	case (code == http.StatusTooManyRequests || code == http.StatusServiceUnavailable) && ok:
		return &Later{err, after}
	default:
		return Status(code, err)
	}
}

// retryAfter reads the header of that name: so many seconds, or a date.
func retryAfter(header string) (after time.Duration, ok bool) {
	if seconds, err := strconv.Atoi(header); err == nil {
		return time.Duration(min(max(seconds, 0), 1<<20)) * time.Second, true
	}
	date, err := http.ParseTime(header)
	return time.Until(date), err == nil
}

// refusals are the answers that are about what was sent.
var refusals = []int{http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity}

// Status says of an answer of HTTP that is no success whether to try again.
func Status(code int, err error) error {
	switch {
	case slices.Contains(refusals, code):
		return &Refused{err}
	case code == http.StatusRequestTimeout, code == http.StatusTooManyRequests, code/100 == 5:
		return err
	default: // about who asks, or where
		return &Denied{err}
	}
}
