package slack

import (
	"errors"
	"slices"

	"github.com/slack-go/slack"

	"github.com/loopgauge/loopgauge/sinks"
)

// passing are the answers of Slack's API that another time may be others.
var passing = []string{"internal_error", "fatal_error", "service_unavailable", "request_timeout", "ratelimited", "rate_limited", "team_added_to_org"}

// refusals are those that are about the message. All others are about the
// token, the channel, or what the bot may do: a person mends that.
var refusals = []string{
	"invalid_blocks", "invalid_blocks_format", "invalid_arguments", "invalid_arg_name", "invalid_array_arg", "invalid_charset", "invalid_form_data", "invalid_json", "invalid_post_type",
	"invalid_metadata_format", "invalid_metadata_schema", "metadata_too_large", "msg_too_long", "msg_blocks_too_long", "no_text", "too_many_attachments", "markdown_text_conflict",
	"cant_update_message", "edit_window_closed",
}

// failure says of an error of slack-go whether and when to try again.
func failure(err error) error {
	if limited, ok := errors.AsType[*slack.RateLimitedError](err); ok {
		return &sinks.Later{Err: err, After: limited.RetryAfter}
	}
	if answer, ok := errors.AsType[slack.SlackErrorResponse](err); ok {
		switch {
		case slices.Contains(refusals, answer.Err):
			return &sinks.Refused{Err: err}
		case !slices.Contains(passing, answer.Err):
			return &sinks.Denied{Err: err}
		}
	}
	if code, ok := errors.AsType[slack.StatusCodeError](err); ok {
		return sinks.Status(code.Code, err)
	}
	return err
}

func isAnswer(err error, names ...string) bool {
	answer, ok := errors.AsType[slack.SlackErrorResponse](err)
	return ok && slices.Contains(names, answer.Err)
}
