package main

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"github.com/loopgauge/loopgauge/sinks"
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
	routes := sinks.Routes{Least: map[string]window.Severity{}}
	names := map[string]string{} // by that of the policy
	for _, m := range made {
		list = append(list, m.Named)
		names[m.policy.Name], routes.Least[m.Name()] = m.Name(), m.policy.Least
	}
	for _, r := range p.Routes {
		route := sinks.Route{Match: func(a *sinks.Alert) bool { return r.Match(routeFields(a)) }, To: []string{log.Name()}}
		for _, name := range r.To {
			if to, ok := names[name]; ok { // it is neither the log nor of verdicts only
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
	hints = slices.DeleteFunc(slices.Clone(errs), func(err error) bool { return !isUnset(err) })
	errs = slices.DeleteFunc(errs, isUnset)
	if _, err := verdictTopic(p, nil, false); err != nil && !isUnset(err) && len(errs) == 0 {
		errs = append(errs, err)
	}
	return hints, errors.Join(errs...)
}

// routeFields are what policy.RouteVariables names.
func routeFields(a *sinks.Alert) map[string]any {
	return map[string]any{
		"rule": a.Rule, "identity": a.Identity, "action": a.Action, "severity": string(a.Severity), "scope": a.Scope,
		"session": a.Session, "caller": a.Caller, "user": a.User, "model": a.Model, "backend": a.Backend,
	}
}
