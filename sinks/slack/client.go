package slack

import (
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/slack-go/slack"

	"github.com/loopgauge/loopgauge/sinks"
)

// timeout bounds one call.
const timeout = 10 * time.Second

func client() *http.Client {
	return &http.Client{
		Timeout: timeout,
		// An alert goes where the policy says.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// passing are the answers of Slack's API that another time may be others.
var passing = []string{"internal_error", "fatal_error", "service_unavailable", "request_timeout", "ratelimited", "rate_limited", "team_added_to_org"}

// failure says of an error of slack-go whether and when to try again.
func failure(err error) error {
	if limited, ok := errors.AsType[*slack.RateLimitedError](err); ok {
		return &sinks.Later{Err: err, After: limited.RetryAfter}
	}
	if answer, ok := errors.AsType[slack.SlackErrorResponse](err); ok && !slices.Contains(passing, answer.Err) {
		return &sinks.Refused{Err: err}
	}
	if code, ok := errors.AsType[slack.StatusCodeError](err); ok && code.Code/100 == 4 &&
		code.Code != http.StatusRequestTimeout && code.Code != http.StatusTooManyRequests {
		return &sinks.Refused{Err: err}
	}
	return err
}

func isAnswer(err error, names ...string) bool {
	answer, ok := errors.AsType[slack.SlackErrorResponse](err)
	return ok && slices.Contains(names, answer.Err)
}
