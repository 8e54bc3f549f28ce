package main

import (
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"strings"

	"github.com/loopgauge/loopgauge/ingest/kafka"
	"github.com/loopgauge/loopgauge/sinks"
	topics "github.com/loopgauge/loopgauge/sinks/kafka"
	"github.com/loopgauge/loopgauge/sinks/slack"
	"github.com/loopgauge/loopgauge/window/policy"
)

// sinkKind is a kind of sink.
type sinkKind struct {
	name string // as a policy has it
	// make makes the sink; nil without an error if it hears of no alerts.
	make func(s policy.Sink, k *policy.Kafka) (sinks.Sink, error)
}

// sinkKinds are the kinds of sinks, but for the log, which is always there. A
// new one is one file and a line here; its name is known to package policy,
// which checks the rest of what a policy says of it.
var sinkKinds = []sinkKind{
	{"slack", newSlack},
	{"webhook", newWebhook},
	{"alertmanager", newAlertmanager},
	{"kafka", newTopic},
}

func newSink(s policy.Sink, k *policy.Kafka) (sinks.Sink, error) {
	for _, kind := range sinkKinds {
		if kind.name == s.Kind {
			return kind.make(s, k)
		}
	}
	return nil, fmt.Errorf("there is no sink %s", s.Kind)
}

// channelID is how Slack names a channel for good.
var channelID = regexp.MustCompile(`^[CDG][A-Z0-9]{6,}$`)

func newSlack(s policy.Sink, _ *policy.Kafka) (sinks.Sink, error) {
	if err := onlySettings(s, "token", "channel", "webhook_url"); err != nil {
		return nil, err
	}
	if given(s, "webhook_url") {
		if len(s.Settings) > 1 {
			return nil, errors.New("needs webhook_url alone, or token and channel")
		}
		address, err := webAddress(s, "webhook_url")
		if err != nil {
			return nil, err
		}
		return slack.NewHook(address), nil
	}
	channel, err := setting(s, "channel")
	if err != nil {
		return nil, err
	}
	if !channelID.MatchString(channel) {
		return nil, fmt.Errorf("channel must be its ID, as C0123456789 at the foot of the channel's details, is %q", channel)
	}
	token, err := setting(s, "token")
	if err != nil {
		return nil, err
	}
	return slack.NewBot(token, channel, ""), nil
}

func newWebhook(s policy.Sink, _ *policy.Kafka) (sinks.Sink, error) {
	if err := onlySettings(s, "url", "secret", "shape", "allow_private"); err != nil {
		return nil, err
	}
	o := sinks.WebhookOptions{}
	switch shape := s.Settings["shape"]; shape {
	case "":
	case "aisg":
		o.AISG = true
	default:
		return nil, fmt.Errorf("shape must be aisg or left out, is %q", shape)
	}
	var err error
	if o.AllowPrivate, err = allowPrivate(s); err != nil {
		return nil, err
	}
	if o.URL, err = webAddress(s, "url"); err != nil {
		return nil, err
	}
	if given(s, "secret") {
		if o.Secret, err = setting(s, "secret"); err != nil {
			return nil, err
		}
	}
	return sinks.NewWebhook(o), nil
}

func newAlertmanager(s policy.Sink, _ *policy.Kafka) (_ sinks.Sink, err error) {
	if err := onlySettings(s, "url", "user", "password", "allow_private"); err != nil {
		return nil, err
	}
	o := sinks.AlertmanagerOptions{}
	if o.AllowPrivate, err = allowPrivate(s); err != nil {
		return nil, err
	}
	if o.URL, err = webAddress(s, "url"); err != nil {
		return nil, err
	}
	if strings.Contains(o.URL, "/api/v2") {
		return nil, errors.New("url goes without /api/v2")
	}
	if given(s, "user") || given(s, "password") {
		if o.User, err = setting(s, "user"); err != nil {
			return nil, err
		}
		if o.Password, err = setting(s, "password"); err != nil {
			return nil, err
		}
	}
	return sinks.NewAlertmanager(o), nil
}

// newTopic is nil where a topic gets verdicts only.
func newTopic(s policy.Sink, k *policy.Kafka) (sinks.Sink, error) {
	if err := onlySettings(s, "alerts", "verdicts"); err != nil {
		return nil, err
	}
	if s.Settings["alerts"] == "" && s.Settings["verdicts"] != "" {
		_, err := topicOf(s, "verdicts", k)
		return nil, err
	}
	c, err := topicOf(s, "alerts", k)
	if err != nil {
		return nil, err
	}
	return topics.NewAlerts(c), nil
}

// topicOf is the topic that a setting names.
func topicOf(s policy.Sink, key string, k *policy.Kafka) (kafka.Config, error) {
	name, err := setting(s, key)
	if err != nil {
		return kafka.Config{}, err
	}
	f := logFlags{kafka: k}
	return f.topicConfig(name)
}

// verdictTopic is where a policy wants verdicts; nil if nowhere.
func verdictTopic(p *policy.Policy, log *slog.Logger, dry bool) (to sinks.VerdictTopic, err error) {
	for _, s := range p.Sinks {
		if s.Kind != "kafka" || s.Settings["verdicts"] == "" || dry {
			continue
		}
		if to != nil {
			return nil, fmt.Errorf("%s: verdicts go to one topic only", s.Place)
		}
		c, err := topicOf(s, "verdicts", p.Kafka)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.Place, err)
		}
		to = topics.NewVerdicts(c, log)
	}
	return to, nil
}
