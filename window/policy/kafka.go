package policy

import (
	"strings"
	"time"
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
func (r *reader) kafka(v Value) *Kafka {
	k := &Kafka{Group: KafkaGroup, Start: "earliest"}
	v.mapping([]Member{
		{"group", r.text(&k.Group)},
		{"start", r.text(&k.Start)},
		{"session_timeout", r.duration(&k.Session)},
		{"tls", func(v Value) { k.TLS = r.kafkaTLS(v) }},
		{"sasl", func(v Value) { k.SASL = r.kafkaSASL(v) }},
	})
	if k.Group == "" {
		r.check(r.where(v.at, "group"), "must not be empty")
	}
	if k.Start != "earliest" && k.Start != "latest" {
		if _, err := time.Parse(time.RFC3339, k.Start); err != nil {
			r.check(r.where(v.at, "start"), "must be earliest, latest, or a time as in 2026-11-21T10:00:00Z")
		}
	}
	if r.given(v.at, "session_timeout") && (k.Session < kafkaSession[0] || k.Session > kafkaSession[1]) {
		r.check(r.where(v.at, "session_timeout"), "must be from 6s to 30m, as brokers want it")
	}
	return k
}

func (r *reader) kafkaTLS(v Value) *KafkaTLS {
	t := &KafkaTLS{}
	v.mapping([]Member{
		{"ca", r.text(&t.CA)},
		{"cert", r.text(&t.Cert)},
		{"key", r.text(&t.Key)},
		{"server_name", r.text(&t.ServerName)},
	})
	if (t.Cert == "") != (t.Key == "") {
		r.lacks(v.at, "cert and key belong together", "cert", "key")
	}
	return t
}

func (r *reader) kafkaSASL(v Value) *KafkaSASL {
	s := &KafkaSASL{}
	v.mapping([]Member{
		{"mechanism", r.choice(mechanisms, func(m string) { s.Mechanism = m })},
		{"user", r.text(&s.User)},
		{"password", r.secret(&s.Password)},
		{"password_file", r.text(&s.Password.File)},
	})
	if !r.given(v.at, "mechanism") {
		r.lacks(v.at, "needs a mechanism: "+strings.Join(mechanisms, ", "), "mechanism")
	}
	if s.User == "" {
		r.lacks(v.at, "needs a user", "user")
	}
	if r.given(v.at, "password") == r.given(v.at, "password_file") {
		r.lacks(v.at, "needs either password: ${NAME} or password_file", "password", "password_file")
	}
	return s
}
