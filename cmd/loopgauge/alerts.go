package main

import (
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"strings"

	"github.com/loopgauge/loopgauge/ingest/kafka"
	"github.com/loopgauge/loopgauge/sinks"
	topics "github.com/loopgauge/loopgauge/sinks/kafka"
	"github.com/loopgauge/loopgauge/sinks/slack"
	"github.com/loopgauge/loopgauge/window"
	"github.com/loopgauge/loopgauge/window/policy"
)

// alertSinks makes the sinks that a policy names, and which of them hear of
// what; the log is one of them always. dry makes none but the log.
func alertSinks(p *policy.Policy, log *slog.Logger, dry bool) ([]sinks.Sink, sinks.Routes, error) {
	own := &sinks.Log{Logger: log}
	if dry {
		return []sinks.Sink{own}, sinks.Routes{}, nil
	}
	made, errs := policySinks(p)
	list, routes := routed(p, own, made)
	return list, routes, errors.Join(errs...)
}

// routed says which of the sinks that were made of a policy's hear of what; the
// log hears of all.
func routed(p *policy.Policy, log sinks.Sink, made []policySink) ([]sinks.Sink, sinks.Routes) {
	list := []sinks.Sink{log}
	routes := sinks.Routes{Least: map[string]window.Severity{}, Always: []string{"log"}}
	names := map[string]string{"log": "log"} // by that of the policy
	for _, m := range made {
		list = append(list, m.Named)
		names[m.policy.Name], routes.Least[m.Name()] = m.Name(), m.policy.Least
	}
	for _, r := range p.Routes {
		route := sinks.Route{Match: func(a *sinks.Alert) bool { return r.Match(routeFields(a)) }}
		for _, name := range r.To {
			if to, ok := names[name]; ok { // it is none of verdicts only
				route.To = append(route.To, to)
			}
		}
		routes.List = append(routes.List, route)
	}
	return list, routes
}

type policySink struct {
	sinks.Named
	policy *policy.Sink
}

// unlike refuses a sink that could not be told from another.
func (s *policySink) unlike(list []policySink) error {
	for _, have := range list {
		switch {
		case have.Name() == s.Name():
			return errors.New("is there twice")
		case have.Called == s.Called:
			return fmt.Errorf("another sink is called %q", s.Called)
		}
	}
	return nil
}

// policySinks makes the sinks of a policy that hear of alerts, but for the log.
func policySinks(p *policy.Policy) (list []policySink, errs []error) {
	for i := range p.Sinks {
		s := &p.Sinks[i]
		if s.Kind == "log" {
			continue
		}
		made, err := newSink(*s, p.Kafka)
		if err == nil && made == nil {
			continue
		}
		one := policySink{policy: s}
		if err == nil {
			one.Named = sinks.Named{Sink: made, Called: made.Name()}
			if s.Name != s.Kind { // it has one of its own
				one.Called = s.Name
			}
			err = one.unlike(list)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", s.Place, err))
			continue
		}
		list = append(list, one)
	}
	return list, errs
}

// checkSinks finds what a start would refuse of a policy's sinks. What only this
// machine lacks, in its environment or a file, is a hint: watch may run on another.
func checkSinks(p *policy.Policy) (hints []error, err error) {
	_, errs := policySinks(p)
	if _, err := verdictTopic(p, nil, false); err != nil && len(errs) == 0 {
		errs = append(errs, err)
	}
	hints = slices.DeleteFunc(slices.Clone(errs), func(err error) bool { return !errors.As(err, new(*unsetError)) })
	errs = slices.DeleteFunc(errs, func(err error) bool { return errors.As(err, new(*unsetError)) })
	return hints, errors.Join(errs...)
}

// routeFields are what policy.RouteVariables names.
func routeFields(a *sinks.Alert) map[string]any {
	return map[string]any{
		"rule": a.Rule, "identity": a.Identity, "action": a.Action, "severity": string(a.Severity), "scope": a.Scope,
		"session": a.Session, "caller": a.Caller, "user": a.User, "model": a.Model, "backend": a.Backend,
	}
}

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
