package sinks

import (
	"crypto/sha256"
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
)

// AttemptTime bounds one attempt: a receiver that takes longer is down.
const AttemptTime = 10 * time.Second

// NewClient makes a client for one receiver. Unless it may be private, its name must
// not stand for an address of a private network or of this machine.
func NewClient(address string, allowPrivate bool) *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	if !allowPrivate && !namesPrivate(address) {
		transport.Proxy = nil // it would resolve the name itself
		transport.DialContext = (&net.Dialer{Timeout: AttemptTime, Control: refusePrivate}).DialContext
	}
	return &http.Client{
		Timeout: AttemptTime, Transport: transport,
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

// receiverName names a sink by its URL, of which what follows the host may be
// secret.
func receiverName(kind, address string) string {
	host := ""
	if u, err := url.Parse(address); err == nil {
		host = u.Host
	}
	return fmt.Sprintf("%s %s %.4x", kind, host, sha256.Sum256([]byte(address)))
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
