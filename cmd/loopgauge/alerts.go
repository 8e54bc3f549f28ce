package main

import (
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/loopgauge/loopgauge/sinks"
	"github.com/loopgauge/loopgauge/window/policy"
)

// alertSinks makes the sinks that a policy names; the log is one of them
// always. dry makes none but the log.
func alertSinks(p *policy.Policy, log *slog.Logger, dry bool) ([]sinks.Sink, error) {
	list := []sinks.Sink{&sinks.Log{Logger: log}}
	if dry {
		return list, nil
	}
	var errs []error
	for _, s := range p.Sinks {
		if s.Name == "log" {
			continue
		}
		made, err := newSink(s)
		if err == nil && slices.ContainsFunc(list, func(have sinks.Sink) bool { return have.Name() == made.Name() }) {
			err = errors.New("is there twice")
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", s.Place, err))
			continue
		}
		list = append(list, made)
	}
	return list, errors.Join(errs...)
}

func newSink(s policy.Sink) (sinks.Sink, error) {
	switch s.Name {
	case "log":
		return &sinks.Log{}, nil
	case "webhook":
		address, err := setting(s, "url")
		if err != nil {
			return nil, err
		}
		if u, err := url.Parse(address); err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
			return nil, fmt.Errorf("url must be that of a web server, is %q", address)
		}
		return sinks.NewWebhook(address), nil
	default:
		return nil, errors.New("this version knows the sinks log and webhook only")
	}
}

// setting is a setting that must be there; ${NAME} is taken from the
// environment.
func setting(s policy.Sink, key string) (string, error) {
	text, ok := s.Settings[key]
	if !ok || text == "" {
		return "", fmt.Errorf("needs %s", key)
	}
	name, ok := strings.CutPrefix(text, "${")
	if !ok {
		return text, nil
	}
	name = strings.TrimSuffix(name, "}")
	if text = os.Getenv(name); text == "" {
		return "", fmt.Errorf("%s: %s is not set in the environment", key, name)
	}
	return text, nil
}
