package main

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/loopgauge/loopgauge/window/policy"
)

func allowPrivate(s policy.Sink) (bool, error) {
	switch allow := s.Settings["allow_private"]; allow {
	case "", "false":
		return false, nil
	case "true":
		return true, nil
	default:
		return false, fmt.Errorf("allow_private must be true or false, is %q", allow)
	}
}

// onlySettings finds settings that a sink does not have.
func onlySettings(s policy.Sink, known ...string) error {
	for _, key := range slices.Sorted(maps.Keys(s.Settings)) {
		name, file := strings.CutSuffix(key, inFile)
		if !slices.Contains(known, name) || file && !policy.IsSecret(name) {
			if meant := policy.Meant(key, known); meant != "" {
				return fmt.Errorf("has no setting %q; did you mean %s?", key, meant)
			}
			return fmt.Errorf("has no setting %q: only %s", key, strings.Join(known, ", "))
		}
	}
	return nil
}

// inFile ends the name of a setting that names the file with a secret.
const inFile = "_file"

// given tells whether a setting is there, or its file is named.
func given(s policy.Sink, key string) bool {
	_, text := s.Settings[key]
	_, file := s.Settings[key+inFile]
	return text || file
}

// webAddress is a setting that is the URL of a web server. Its value may be a
// secret, and is not said.
func webAddress(s policy.Sink, key string) (string, error) {
	address, err := setting(s, key)
	if err != nil {
		return "", err
	}
	if u, err := url.Parse(address); err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return "", fmt.Errorf("%s must begin with https:// or http:// and a host", key)
	}
	return address, nil
}

// setting is a setting that must be there; ${NAME} is taken from the
// environment, and a secret perhaps from the file that is named for it.
func setting(s policy.Sink, key string) (string, error) {
	text, from := s.Settings[key], policy.Secret{File: s.Settings[key+inFile]}
	switch {
	case text == "" && from.File == "":
		return "", fmt.Errorf("needs %s", key)
	case text != "" && from.File != "":
		return "", fmt.Errorf("needs %s or %s%s, not both", key, key, inFile)
	case from.File == "":
		name, ok := strings.CutPrefix(text, "${")
		if !ok {
			return text, nil
		}
		from.Env = strings.TrimSuffix(name, "}")
	}
	text, err := from.Read()
	if err != nil {
		return "", &unsetError{key, err}
	}
	return text, nil
}

// unsetError is a setting that this machine does not have: that where watch
// runs may.
type unsetError struct {
	key string
	err error
}

func (e *unsetError) Error() string { return e.key + ": " + e.err.Error() }
