package kafka

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"hash"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/loopgauge/loopgauge/ingest/kafka/kafkatest"
)

// authority signs certificates for the test's time.
type authority struct {
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{dir: t.TempDir()}
	a.cert, a.key = a.issue(t, "ca", &x509.Certificate{IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign})
	return a
}

// issue writes NAME.pem, NAME.key and both as NAME.both.
func (a *authority) issue(t *testing.T, name string, template *x509.Certificate) (*x509.Certificate, *ecdsa.PrivateKey) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	template.SerialNumber, template.Subject = big.NewInt(time.Now().UnixNano()), pkix.Name{CommonName: name}
	template.NotBefore, template.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	parent, signer := a.cert, a.key
	if parent == nil {
		parent, signer = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	must(t, err)
	cert, err := x509.ParseCertificate(der)
	must(t, err)
	packed, err := x509.MarshalPKCS8PrivateKey(key)
	must(t, err)
	certText := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	keyText := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: packed})
	for ending, text := range map[string][]byte{".pem": certText, ".key": keyText, ".both": append(keyText, certText...)} {
		must(t, os.WriteFile(a.file(name+ending), text, 0o600))
	}
	return cert, key
}

func (a *authority) file(name string) string { return filepath.Join(a.dir, name) }

// addUser adds a user that logs in by SCRAM.
func addUser(t *testing.T, b *kafkatest.Broker, user, password string) {
	t.Helper()
	for mechanism, h := range map[int8]func() hash.Hash{1: sha256.New, 2: sha512.New} {
		request := kmsg.NewPtrAlterUserSCRAMCredentialsRequest()
		u := kmsg.NewAlterUserSCRAMCredentialsRequestUpsertion()
		u.Name, u.Mechanism, u.Iterations, u.Salt = user, mechanism, 4096, []byte("salt of the test")
		var err error
		if u.SaltedPassword, err = pbkdf2.Key(h, password, u.Salt, 4096, h().Size()); err != nil {
			t.Fatal(err)
		}
		request.Upsertions = append(request.Upsertions, u)
		response, err := request.RequestWith(t.Context(), b.Client(t))
		if err == nil {
			err = kerr.ErrorForCode(response.Results[0].ErrorCode)
		}
		must(t, err)
	}
}

// TestSecure: TLS with certificates of both sides, and SASL of all kinds,
// against a broker that wants them; and what is wrong is said.
func TestSecure(t *testing.T) {
	a := newAuthority(t)
	a.issue(t, "broker", &x509.Certificate{IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, DNSNames: []string{"kafka.test"}})
	a.issue(t, "client", &x509.Certificate{ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}})
	jaas := func(listener string) string {
		const login = "org.apache.kafka.common.security."
		return "listener.name." + listener + ".plain.sasl.jaas.config=" + login + `plain.PlainLoginModule required user_alice="pa ss";` + "\n" +
			"listener.name." + listener + ".scram-sha-256.sasl.jaas.config=" + login + "scram.ScramLoginModule required;\n" +
			"listener.name." + listener + ".scram-sha-512.sasl.jaas.config=" + login + "scram.ScramLoginModule required;\n"
	}
	b := kafkatest.New(t, fmt.Sprintf("ssl.keystore.type=PEM\nssl.keystore.location=%s\nssl.truststore.type=PEM\nssl.truststore.location=%s\n", a.file("broker.both"), a.file("ca.pem"))+
		"listener.name.mutual.ssl.client.auth=required\nsasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256,SCRAM-SHA-512\n"+jaas("sasl")+jaas("both"),
		"MUTUAL:SSL", "SASL:SASL_PLAINTEXT", "BOTH:SASL_SSL")
	topic := b.Topic(t, 1)
	b.Produce(t, topic, 0, lines(0, 10)...)
	addUser(t, b, "bob", "pä ss")

	ca := func() *TLS { return &TLS{CA: a.file("ca.pem")} }
	mutual := ca()
	mutual.Cert, mutual.Key = a.file("client.pem"), a.file("client.key")
	named := ca()
	named.ServerName = "kafka.test"
	elsewhere := ca()
	elsewhere.ServerName = "other.test"

	f := func(listener string, encrypted *TLS, user *SASL, want string) {
		t.Helper()
		c := config(b, topic)
		c.Brokers, c.TLS, c.SASL, c.Group = []string{b.Listener(listener)}, encrypted, user, topic
		feed, err := Open(t.Context(), c, nil)
		if err == nil {
			defer func() { _ = feed.Close() }()
		}
		switch {
		case want == "" && err != nil:
			t.Errorf("%s %+v: %v", listener, user, err)
		case want == "":
			r := until(t, accept(t, feed), atEnd)
			same(t, r.values, lines(0, 10))
		case err == nil || !strings.Contains(err.Error(), want):
			t.Errorf("%s %+v: %v, want %q", listener, user, err, want)
		case user != nil && strings.Contains(err.Error(), user.Password):
			t.Errorf("the password is in %v", err)
		}
	}
	f("MUTUAL", mutual, nil, "")
	f("SASL", nil, &SASL{"plain", "alice", "pa ss"}, "")
	f("SASL", nil, &SASL{"scram-sha-256", "bob", "pä ss"}, "")
	f("BOTH", ca(), &SASL{"scram-sha-512", "bob", "pä ss"}, "")
	f("BOTH", named, &SASL{"plain", "alice", "pa ss"}, "")

	f("SASL", nil, &SASL{"plain", "alice", "wrong"}, "the brokers do not take this user and password")
	f("SASL", nil, &SASL{"scram-sha-512", "bob", "wrong"}, "the brokers do not take this user and password")
	f("BOTH", &TLS{}, nil, "kafka: tls:")
	f("BOTH", elsewhere, nil, "kafka: tls:")
	f("MUTUAL", ca(), nil, "kafka: tls:")
	f("SASL", nil, &SASL{"kerberos", "carol", "pa ss"}, "there are plain, scram-sha-256, scram-sha-512")
	f("SASL", &TLS{CA: a.file("ca.key")}, nil, "no certificate in it")
	f("SASL", &TLS{Cert: a.file("client.pem")}, nil, "needs its key")
}
