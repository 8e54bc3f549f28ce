package main

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/loopgauge/loopgauge/ingest/kafka"
	"github.com/loopgauge/loopgauge/window/policy"
)

// settings are those that a policy gives of a sink. The first that is wrong is kept,
// and one that this machine lacks only where none is; what is then read is of no
// account.
type settings struct {
	of  map[string]string
	err error
}

func (s *settings) fail(err error) {
	if s.err == nil || isUnset(s.err) && !isUnset(err) {
		s.err = err
	}
}

// only refuses settings that the sink does not have.
func (s *settings) only(known []string) {
	for _, key := range slices.Sorted(maps.Keys(s.of)) {
		name, file := strings.CutSuffix(key, inFile)
		if slices.Contains(known, name) && (!file || policy.IsSecret(name)) {
			continue
		}
		if meant := policy.Meant(key, known); meant != "" {
			s.fail(fmt.Errorf("has no setting %q; did you mean %s?", key, meant))
		}
		s.fail(fmt.Errorf("has no setting %q: only %s", key, strings.Join(known, ", ")))
	}
}

// inFile ends the name of a setting that names the file with a secret.
const inFile = "_file"

// given tells whether a setting is there, or its file is named.
func (s *settings) given(key string) bool {
	_, text := s.of[key]
	_, file := s.of[key+inFile]
	return text || file
}

func (s *settings) allowPrivate() bool {
	allow := s.of["allow_private"]
	if allow != "" && allow != "true" && allow != "false" {
		s.fail(fmt.Errorf("allow_private must be true or false, is %q", allow))
	}
	return allow == "true"
}

// webAddress is a setting that is the URL of a web server. Its value may be a
// secret, and is not said.
func (s *settings) webAddress(key string) string {
	address := s.text(key)
	if u, err := url.Parse(address); address != "" && (err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http") {
		s.fail(fmt.Errorf("%s must begin with https:// or http:// and a host", key))
	}
	return address
}

// topic is the topic that a setting names.
func (s *settings) topic(key string, k *policy.Kafka) (c kafka.Config) {
	if name := s.text(key); name != "" {
		f := logFlags{kafka: k}
		var err error
		if c, err = f.topicConfig(name); err != nil {
			s.fail(err)
		}
	}
	return c
}

// text is a setting that must be there, else it is empty; ${NAME} is taken from the
// environment, and a secret perhaps from the file that is named for it.
func (s *settings) text(key string) string {
	text, from := s.of[key], policy.Secret{File: s.of[key+inFile]}
	switch {
	case text == "" && from.File == "":
		s.fail(fmt.Errorf("needs %s", key))
		return ""
	case text != "" && from.File != "":
		s.fail(fmt.Errorf("needs %s or %s%s, not both", key, key, inFile))
		return ""
	case from.File == "":
		name, ok := strings.CutPrefix(text, "${")
		if !ok {
			return text
		}
		from.Env = strings.TrimSuffix(name, "}")
	}
	text, err := from.Read()
	if err != nil {
		s.fail(&unsetError{key, err})
	}
	return text
}

// unsetError is a setting that this machine does not have: that where watch
// runs may.
type unsetError struct {
	key string
	err error
}

func (e *unsetError) Error() string { return e.key + ": " + e.err.Error() }

func isUnset(err error) bool {
	_, ok := errors.AsType[*unsetError](err)
	return ok
}
