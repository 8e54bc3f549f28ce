package main

import (
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"strings"

	"github.com/loopgauge/loopgauge/sinks"
	topics "github.com/loopgauge/loopgauge/sinks/kafka"
	"github.com/loopgauge/loopgauge/sinks/slack"
	"github.com/loopgauge/loopgauge/window/policy"
)

// sinkKind is a kind of sink.
type sinkKind struct {
	name     string // as a policy has it
	settings []string
	// make makes the sink; nil without an error if it hears of no alerts.
	make func(s *settings, k *policy.Kafka) (sinks.Sink, error)
}

// sinkKinds are the kinds of sinks, but for the log, which is always there. A
// new one is one file and a line here; its name is known to package policy,
// which checks the rest of what a policy says of it, and knows by the names of
// settings which are secrets.
var sinkKinds = []sinkKind{
	{"slack", []string{"token", "channel", "webhook_url"}, newSlack},
	{"webhook", []string{"url", "secret", "shape", "allow_private"}, newWebhook},
	{"alertmanager", []string{"url", "user", "password", "allow_private"}, newAlertmanager},
	{"kafka", []string{"alerts", "verdicts"}, newTopic},
}

func newSink(s policy.Sink, k *policy.Kafka) (sinks.Sink, error) {
	for _, kind := range sinkKinds {
		if kind.name == s.Kind {
			given := &settings{of: s.Settings}
			if given.only(kind.settings); given.err != nil {
				return nil, given.err
			}
			return kind.make(given, k)
		}
	}
	return nil, fmt.Errorf("there is no sink %s", s.Kind)
}

// channelID is how Slack names a channel for good.
var channelID = regexp.MustCompile(`^[CDG][A-Z0-9]{6,}$`)

func newSlack(s *settings, _ *policy.Kafka) (sinks.Sink, error) {
	if s.given("webhook_url") {
		if len(s.of) > 1 {
			return nil, errors.New("needs webhook_url alone, or token and channel")
		}
		return slack.NewHook(s.webAddress("webhook_url")), s.err
	}
	channel := s.text("channel")
	if channel != "" && !channelID.MatchString(channel) {
		s.fail(fmt.Errorf("channel must be its ID, as C0123456789 at the foot of the channel's details, is %q", channel))
	}
	return slack.NewBot(s.text("token"), channel, ""), s.err
}

func newWebhook(s *settings, _ *policy.Kafka) (sinks.Sink, error) {
	shape := s.of["shape"]
	if shape != "" && shape != "aisg" {
		return nil, fmt.Errorf("shape must be aisg or left out, is %q", shape)
	}
	o := sinks.WebhookOptions{AISG: shape == "aisg", AllowPrivate: s.allowPrivate(), URL: s.webAddress("url")}
	if s.given("secret") {
		o.Secret = s.text("secret")
	}
	return sinks.NewWebhook(o), s.err
}

func newAlertmanager(s *settings, _ *policy.Kafka) (sinks.Sink, error) {
	o := sinks.AlertmanagerOptions{AllowPrivate: s.allowPrivate(), URL: s.webAddress("url")}
	if strings.Contains(o.URL, "/api/v2") {
		s.fail(errors.New("url goes without /api/v2"))
	}
	if s.given("user") || s.given("password") {
		o.User, o.Password = s.text("user"), s.text("password")
	}
	return sinks.NewAlertmanager(o), s.err
}

// newTopic is nil where a topic gets verdicts only.
func newTopic(s *settings, k *policy.Kafka) (to sinks.Sink, _ error) {
	verdicts := s.of["verdicts"] != ""
	if s.of["alerts"] != "" || !verdicts {
		to = topics.NewAlerts(s.topic("alerts", k))
	}
	if verdicts { // verdictTopic makes it
		s.topic("verdicts", k)
	}
	return to, s.err
}

// verdictTopic is where a policy wants verdicts; nil if nowhere.
func verdictTopic(p *policy.Policy, log *slog.Logger, dry bool) (sinks.VerdictTopic, error) {
	var to *policy.Sink
	for i := range p.Sinks {
		s := &p.Sinks[i]
		if s.Kind != "kafka" || s.Settings["verdicts"] == "" || dry {
			continue
		}
		if to != nil {
			return nil, fmt.Errorf("%s: verdicts go to one topic only", s.Place)
		}
		to = s
	}
	if to == nil {
		return nil, nil
	}
	s := &settings{of: to.Settings}
	c := s.topic("verdicts", p.Kafka)
	if s.err != nil {
		return nil, fmt.Errorf("%s: %w", to.Place, s.err)
	}
	return topics.NewVerdicts(c, log), nil
}
