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

func (k *Kafka) members() []entry {
	tls := form{func(v Value) { k.TLS = v.kafkaTLS() }, closed(new(KafkaTLS).members())}
	sasl := form{func(v Value) { k.SASL = v.kafkaSASL() }, closed(new(KafkaSASL).members(), "mechanism", "user")}
	return []entry{
		{"group", text(&k.Group), "consumer group; " + KafkaGroup + " unless given"},
		{"start", text(&k.Start), "where a topic is begun that was not read before: earliest, latest, or a time as 2026-11-21T10:00:00Z"},
		{"session_timeout", duration(&k.Session), "after which a silent reader is taken for dead"},
		{"tls", tls, ""},
		{"sasl", sasl, ""},
	}
}

func (t *KafkaTLS) members() []entry {
	return []entry{
		{"ca", text(&t.CA), "PEM file of the authorities; the system's unless given"},
		{"cert", text(&t.Cert), "PEM file of our certificate"},
		{"key", text(&t.Key), "PEM file of its key"},
		{"server_name", text(&t.ServerName), "name in the brokers' certificates; the host's unless given"},
	}
}

func (s *KafkaSASL) members() []entry {
	return []entry{
		{"mechanism", choice(mechanisms, &s.Mechanism), "how to log in"},
		{"user", text(&s.User), "the user's name"},
		{"password", secret(&s.Password), "${NAME}: a variable of the environment"},
		{"password_file", text(&s.Password.File), "file with the password"},
	}
}

// kafka reads how topics are read. Files are named from where loopgauge runs.
func (v Value) kafka() *Kafka {
	k := &Kafka{Group: KafkaGroup, Start: "earliest"}
	v.mapping(k.members())
	if k.Group == "" {
		v.r.check(v.r.where(v.at, "group"), "must not be empty")
	}
	if k.Start != "earliest" && k.Start != "latest" {
		if _, err := time.Parse(time.RFC3339, k.Start); err != nil {
			v.r.check(v.r.where(v.at, "start"), "must be earliest, latest, or a time as in 2026-11-21T10:00:00Z")
		}
	}
	if v.r.given(v.at, "session_timeout") && (k.Session < kafkaSession[0] || k.Session > kafkaSession[1]) {
		v.r.check(v.r.where(v.at, "session_timeout"), "must be from 6s to 30m, as brokers want it")
	}
	return k
}

func (v Value) kafkaTLS() *KafkaTLS {
	t := &KafkaTLS{}
	v.mapping(t.members())
	if (t.Cert == "") != (t.Key == "") {
		v.Lacks("cert and key belong together", "cert", "key")
	}
	return t
}

func (v Value) kafkaSASL() *KafkaSASL {
	s := &KafkaSASL{}
	v.mapping(s.members())
	if !v.r.given(v.at, "mechanism") {
		v.Lacks("needs a mechanism: "+strings.Join(mechanisms, ", "), "mechanism")
	}
	if s.User == "" {
		v.Lacks("needs a user", "user")
	}
	if v.r.given(v.at, "password") == v.r.given(v.at, "password_file") {
		v.Lacks("needs either password: ${NAME} or password_file", "password", "password_file")
	}
	return s
}
