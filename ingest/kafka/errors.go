package kafka

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"syscall"

	"github.com/segmentio/kafka-go"

	"github.com/loopgauge/loopgauge/ingest"
)

// final are errors that no waiting cures.
var final = []error{
	errDamaged,
	kafka.TopicAuthorizationFailed, kafka.GroupAuthorizationFailed, kafka.ClusterAuthorizationFailed,
	kafka.SASLAuthenticationFailed, kafka.UnsupportedSASLMechanism, kafka.IllegalSASLState,
	kafka.UnsupportedVersion, kafka.InvalidTopic, kafka.InvalidGroupId,
}

// passes tells an error that may pass from one that will not.
func passes(err error) bool {
	return !slices.ContainsFunc(final, func(f error) bool { return errors.Is(err, f) }) && !isTLS(err)
}

// final is an error that will not pass, as refuse has it; nil for one that may.
func (c *Config) final(err error) error {
	if passes(err) {
		return nil
	}
	return c.refuse(err)
}

// isTLS tells that a connection cannot be encrypted as it is configured.
func isTLS(err error) bool {
	_, certificate := errors.AsType[*tls.CertificateVerificationError](err)
	op, _ := errors.AsType[*net.OpError](err)
	alert := op != nil && op.Op == "remote error" // that is how crypto/tls says what the other side does not like
	_, header := errors.AsType[tls.RecordHeaderError](err)
	return certificate || alert || header
}

// answered tells that the error is what a broker has said.
func answered(err error) bool {
	_, ok := errors.AsType[kafka.Error](err)
	return ok
}

// doubt asks what may be wrong where brokers do not give what they are asked for.
// They hang up on who speaks TLS where they do not, and on who does not where they
// want it, or a user.
func (c *Config) doubt(err error) string {
	switch {
	case missing(err):
		return "was the topic deleted?"
	case answered(err):
		return "do all brokers run?"
	case c.TLS != nil && (errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET)):
		return "do the brokers speak TLS there? if not, leave kafka: tls: out of the policy"
	case c.TLS == nil && errors.Is(err, io.ErrUnexpectedEOF):
		return "do the brokers want TLS or a user there? see kafka: tls: and sasl: in the policy"
	}
	return "is this the address of a broker, and does it answer there?"
}

// refuse is an error of the brokers that will not pass, and the way out.
func (c *Config) refuse(err error) error {
	switch {
	case errors.Is(err, kafka.SASLAuthenticationFailed):
		return c.fail(err, "the brokers do not take this user and password: see kafka: sasl: in the policy")
	case errors.Is(err, kafka.UnsupportedSASLMechanism), errors.Is(err, kafka.IllegalSASLState):
		return c.fail(err, "the brokers want another way to log in: see kafka: sasl: in the policy")
	case errors.Is(err, kafka.TopicAuthorizationFailed):
		return c.fail(err, "the user needs the right to READ and DESCRIBE the topic")
	case errors.Is(err, kafka.GroupAuthorizationFailed):
		return c.fail(err, fmt.Sprintf("the user needs the right to READ the group %q", c.Group))
	case isTLS(err):
		return c.fail(err, "see kafka: tls: in the policy")
	}
	return c.fail(err, "")
}

// missing tells that a broker does not know of the topic or the partition.
func missing(err error) bool {
	return errors.Is(err, kafka.UnknownTopicOrPartition) || errors.Is(err, unknownID) || errors.Is(err, inconsistentID)
}

// Errors that kafka-go does not know: there is no topic of this id, or the
// partition is not of it.
const (
	unknownID      = kafka.Error(100)
	inconsistentID = kafka.Error(103)
)

// fail is an error that names the topic. It is never io.EOF, which is how a stream
// ends.
func (c *Config) fail(err error, hint string) error {
	if errors.Is(err, io.EOF) {
		err = fmt.Errorf("%v: the connection was closed", err) //nolint:errorlint // as above
	}
	return &ingest.Error{Path: c.String(), Err: err, Hint: hint}
}
