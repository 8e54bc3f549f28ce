package policy

import (
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"
)

// Kafka says how topics are read.
type Kafka struct {
	Group   string        // consumer group
	Start   string        // earliest, latest, or a time as RFC 3339; where nothing was read before
	Session time.Duration // after which a silent reader is taken for dead
	TLS     *KafkaTLS     // nil: not encrypted
	SASL    *KafkaSASL    // nil: no user
}

// KafkaTLS says how connections to brokers are encrypted: names of PEM files.
type KafkaTLS struct {
	CA, Cert, Key string
	ServerName    string
}

// KafkaSASL says as whom brokers know us.
type KafkaSASL struct {
	Mechanism, User string
	Password        Secret
}

// KafkaGroup is the consumer group where a policy names none.
const KafkaGroup = "loopgauge"

// kafkaSession bounds the session timeout as brokers do unless told otherwise.
var kafkaSession = [2]time.Duration{6 * time.Second, 30 * time.Minute}

// mechanisms are the ways to log in at a broker.
var mechanisms = []string{"plain", "scram-sha-256", "scram-sha-512"}

// kafka reads how topics are read. Files are named from where loopgauge runs.
func (r *reader) kafka(n ast.Node, at place) *Kafka {
	k := &Kafka{Group: KafkaGroup, Start: "earliest"}
	r.mapping(n, at, []field{
		{"group", r.text(&k.Group)},
		{"start", r.text(&k.Start)},
		{"session_timeout", r.duration(&k.Session)},
		{"tls", func(n ast.Node, at place) { k.TLS = r.kafkaTLS(n, at) }},
		{"sasl", func(n ast.Node, at place) { k.SASL = r.kafkaSASL(n, at) }},
	})
	if k.Group == "" {
		r.check(r.where(at, "group"), "must not be empty")
	}
	if k.Start != "earliest" && k.Start != "latest" {
		if _, err := time.Parse(time.RFC3339, k.Start); err != nil {
			r.check(r.where(at, "start"), "must be earliest, latest, or a time as in 2026-11-21T10:00:00Z")
		}
	}
	if r.given(at, "session_timeout") && (k.Session < kafkaSession[0] || k.Session > kafkaSession[1]) {
		r.check(r.where(at, "session_timeout"), "must be from 6s to 30m, as brokers want it")
	}
	return k
}

func (r *reader) kafkaTLS(n ast.Node, at place) *KafkaTLS {
	t := &KafkaTLS{}
	r.mapping(n, at, []field{
		{"ca", r.text(&t.CA)},
		{"cert", r.text(&t.Cert)},
		{"key", r.text(&t.Key)},
		{"server_name", r.text(&t.ServerName)},
	})
	if (t.Cert == "") != (t.Key == "") {
		r.lacks(at, "cert and key belong together", "cert", "key")
	}
	return t
}

func (r *reader) kafkaSASL(n ast.Node, at place) *KafkaSASL {
	s := &KafkaSASL{}
	r.mapping(n, at, []field{
		{"mechanism", r.choice(mechanisms, func(m string) { s.Mechanism = m })},
		{"user", r.text(&s.User)},
		{"password", r.secret(&s.Password)},
		{"password_file", r.text(&s.Password.File)},
	})
	if !r.given(at, "mechanism") {
		r.lacks(at, "needs a mechanism: "+strings.Join(mechanisms, ", "), "mechanism")
	}
	if s.User == "" {
		r.lacks(at, "needs a user", "user")
	}
	if r.given(at, "password") == r.given(at, "password_file") {
		r.lacks(at, "needs either password: ${NAME} or password_file", "password", "password_file")
	}
	return s
}
