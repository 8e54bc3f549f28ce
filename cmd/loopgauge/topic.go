package main

import (
	"fmt"
	"log/slog"

	"github.com/loopgauge/loopgauge/ingest/kafka"
	"github.com/loopgauge/loopgauge/window/policy"
)

// topicConfig is how the topic of this name is read, by the policy and the
// flags.
func (f *logFlags) topicConfig(name string) (kafka.Config, error) {
	c, err := kafka.Parse(name)
	if err != nil {
		return c, err
	}
	o, err := f.reading()
	if err != nil {
		return c, err
	}
	c.Format, c.Zone, c.MaxLine, c.Group = o.Format, o.Zone, o.MaxLine, policy.KafkaGroup
	k := f.kafka
	if k == nil {
		return c, nil
	}
	c.Group, c.SessionTimeout = k.Group, k.Session
	if c.Start, err = kafka.ParseStart(k.Start); err != nil {
		return c, err
	}
	if t := k.TLS; t != nil {
		c.TLS = &kafka.TLS{CA: t.CA, Cert: t.Cert, Key: t.Key, ServerName: t.ServerName}
	}
	if s := k.SASL; s != nil {
		password, err := s.Password.Read()
		if err != nil {
			return c, usage(&unsetError{"kafka.sasl.password", err})
		}
		c.SASL = &kafka.SASL{Mechanism: s.Mechanism, User: s.User, Password: password}
	}
	return c, nil
}

// liveConfig is how the topic is read or written for ever: its brokers may be
// away for as long as they like.
func (f *logFlags) liveConfig(name string, log *slog.Logger) (kafka.Config, error) {
	c, err := f.topicConfig(name)
	c.Wait, c.Say = true, func(what string) { log.Warn(what) }
	return c, err
}

// endlessConfig is liveConfig of a topic that is read from start on where nothing is
// known of it. Without one the policy says, and without that it is the first record.
func (f *logFlags) endlessConfig(name, start string, log *slog.Logger) (kafka.Config, error) {
	c, err := f.liveConfig(name, log)
	if start == "" && f.kafka == nil {
		start = "earliest"
	}
	if err != nil || start == "" {
		return c, err
	}
	if c.Start, err = kafka.ParseStart(start); err != nil {
		err = fmt.Errorf("--start: %w", err)
	}
	return c, err
}
