package kafka

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"syscall"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/sasl"
	"github.com/segmentio/kafka-go/sasl/plain"
	"github.com/segmentio/kafka-go/sasl/scram"
)

// TLS says how connections are encrypted. The files are PEM.
type TLS struct {
	CA         string // file of the authorities that vouch for the brokers; empty: the system's
	Cert, Key  string // files of our certificate and its key, if the brokers want one
	ServerName string // that the brokers' certificates are for; empty: the host's
}

func (t *TLS) config() (*tls.Config, error) {
	if t == nil {
		return nil, nil
	}
	c := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: t.ServerName}
	if t.CA != "" {
		text, err := os.ReadFile(t.CA)
		if err != nil {
			return nil, err
		}
		if c.RootCAs = x509.NewCertPool(); !c.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("%s: no certificate in it", t.CA)
		}
	}
	if (t.Cert == "") != (t.Key == "") {
		return nil, errors.New("a certificate needs its key, and a key its certificate")
	}
	if t.Cert != "" {
		pair, err := tls.LoadX509KeyPair(t.Cert, t.Key)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.Cert, err)
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}

// SASL says as whom the brokers know us.
type SASL struct {
	Mechanism      string // plain, scram-sha-256 or scram-sha-512
	User, Password string
}

// mechanisms are the ways to prove who one is.
var mechanisms = []string{"plain", "scram-sha-256", "scram-sha-512"}

func (s *SASL) mechanism() (sasl.Mechanism, error) {
	if s == nil {
		return nil, nil
	}
	switch s.Mechanism {
	case "plain":
		return plain.Mechanism{Username: s.User, Password: s.Password}, nil
	case "scram-sha-256":
		return s.scram(scram.SHA256)
	case "scram-sha-512":
		return s.scram(scram.SHA512)
	}
	return nil, fmt.Errorf("no SASL mechanism is called %q; there are %s", s.Mechanism, strings.Join(mechanisms, ", "))
}

func (s *SASL) scram(a scram.Algorithm) (sasl.Mechanism, error) {
	m, err := scram.Mechanism(a, s.User, s.Password)
	if err != nil { // it holds the password
		return nil, errors.New("the user or the password has characters that SCRAM does not allow")
	}
	return m, nil
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
