package kafka

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"strings"

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
