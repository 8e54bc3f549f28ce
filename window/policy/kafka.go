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
	var groupAt, startAt, sessionAt place
	r.mapping(n, at, []field{
		{"group", r.text(&k.Group, &groupAt)},
		{"start", r.text(&k.Start, &startAt)},
		{"session_timeout", r.duration(&k.Session, &sessionAt)},
		{"tls", func(n ast.Node, at place) { k.TLS = r.kafkaTLS(n, at) }},
		{"sasl", func(n ast.Node, at place) { k.SASL = r.kafkaSASL(n, at) }},
	})
	if k.Group == "" {
		r.check(groupAt, "must not be empty")
	}
	if k.Start != "earliest" && k.Start != "latest" {
		if _, err := time.Parse(time.RFC3339, k.Start); err != nil {
			r.check(startAt, "must be earliest, latest, or a time as in 2026-11-21T10:00:00Z")
		}
	}
	if sessionAt.line > 0 && (k.Session < kafkaSession[0] || k.Session > kafkaSession[1]) {
		r.check(sessionAt, "must be from 6s to 30m, as brokers want it")
	}
	return k
}

func (r *reader) kafkaTLS(n ast.Node, at place) *KafkaTLS {
	t := &KafkaTLS{}
	var ignored place
	r.mapping(n, at, []field{
		{"ca", r.text(&t.CA, &ignored)},
		{"cert", r.text(&t.Cert, &ignored)},
		{"key", r.text(&t.Key, &ignored)},
		{"server_name", r.text(&t.ServerName, &ignored)},
	})
	if (t.Cert == "") != (t.Key == "") {
		r.lacks(at, "cert and key belong together", "cert", "key")
	}
	return t
}

func (r *reader) kafkaSASL(n ast.Node, at place) *KafkaSASL {
	s := &KafkaSASL{}
	var ignored, mechanism, password, file place
	r.mapping(n, at, []field{
		{"mechanism", func(n ast.Node, at place) {
			mechanism = at
			r.choice(mechanisms, func(m string) { s.Mechanism = m })(n, at)
		}},
		{"user", r.text(&s.User, &ignored)},
		{"password", r.secret(&s.Password, &password)},
		{"password_file", r.text(&s.Password.File, &file)},
	})
	if mechanism.line == 0 {
		r.lacks(at, "needs a mechanism: "+strings.Join(mechanisms, ", "), "mechanism")
	}
	if s.User == "" {
		r.lacks(at, "needs a user", "user")
	}
	if (password.line > 0) == (file.line > 0) {
		r.lacks(at, "needs either password: ${NAME} or password_file", "password", "password_file")
	}
	return s
}
