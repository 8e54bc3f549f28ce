package policy

import (
	"encoding/json"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window"
)

// Schema is the JSON Schema (2020-12) of policies, for editors. It is made of
// the same tables as the checks; what it cannot say, Parse still checks.
func Schema() []byte {
	type object = map[string]any
	text := func(doc string) object { return object{"type": "string", "description": doc} }
	truth := func(doc string) object { return object{"type": "boolean", "description": doc} }
	duration := func(doc string) object {
		return object{"type": "string", "pattern": `^([0-9]+d([0-9.]+(us|µs|ms|s|m|h))*|([0-9.]+(us|µs|ms|s|m|h))+)$`, "description": doc + "; as in 90s, 10m, 7d"}
	}
	choice := func(doc string, words any) object { return object{"enum": words, "description": doc} }
	list := func(items object, doc string) object {
		return object{"type": "array", "items": items, "description": doc}
	}
	closed := func(properties object, required ...string) object {
		o := object{"type": "object", "additionalProperties": false, "properties": properties}
		if len(required) > 0 {
			o["required"] = required
		}
		return o
	}
	threshold := object{"type": "integer", "minimum": 1, "maximum": maxThreshold, "description": "the repeat on which the rule fires"}

	identities := fingerprint.IdentityNames()
	var profiles []string
	for _, p := range Profiles() {
		profiles = append(profiles, p.Name)
		for _, rule := range p.rules {
			profiles = append(profiles, p.Name+"/"+rule.name)
		}
	}
	scopes := fingerprint.ScopeNames()
	scopeField := object{"anyOf": []object{{"enum": scopes}, {"type": "string", "pattern": "^attr:.+"}}}
	override := closed(object{
		"match": text("CEL condition on the request"), "threshold": threshold, "window": duration("how long a repeat counts for these requests; streak and tracker"), "action": choice("hypothetical action", window.Actions),
		"enabled": truth("false: the rule does not look at the request; true: it does, though it is not enabled"), "until": object{"type": "string", "description": "until when it holds: 2026-12-01 or RFC 3339"}, "reason": text("why"),
	})
	rule := closed(object{
		"name": text("name of the rule"), "profile": choice("built-in rule to start from", profiles), "enabled": truth("false leaves the rule out"),
		"identity":   object{"anyOf": []object{{"enum": identities}, list(object{"type": "string"}, "parts")}, "description": "what makes two requests the same"},
		"mask":       list(choice("volatile text", fingerprint.MaskNames()), "volatile text to replace before hashing"),
		"normalize":  choice("fold message text", normalizations),
		"limit_keys": list(object{"type": "string"}, "fairvisor: attributes that are descriptors"),
		"body_hash":  choice("fairvisor: use the body's hash where there is one, ignore it, or require it", bodyHashes),
		"scope":      list(scopeField, "whose counter it is"),
		"counter": closed(object{
			"kind": choice("how repeats are counted", kindNames()), "window": duration("how long a repeat counts"),
			"closed": truth("age = window still counts"), "period": object{"type": "integer", "minimum": 1, "maximum": window.MaxPeriod, "description": "cycle: longest period"},
		}),
		"threshold": threshold, "cooldown": duration("fire on every hit for so long after a firing"),
		"cooldown_counts": truth("hits in the cooldown are counted"), "blocked_counts": truth("hits that fire are counted"),
		"reset_on_fire": truth("start counting anew after a firing"), "quiet": duration("longest pause inside one episode"),
		"action": choice("hypothetical action", window.Actions), "chat_overrides": truth("sessions may change the rule by commands in user messages"),
		"match":     text("CEL condition on the request"),
		"overrides": list(override, "first that matches wins"),
	}, "name")
	sinks := object{}
	for _, name := range sinkKinds {
		sinks[name] = object{"type": []string{"object", "null"}, "properties": object{
			"name": text("by which routes know it, and what is said of it; routes know the others by their kinds"), "min_severity": choice("that an incident must have to be told of", window.Severities),
		}}
	}
	kafka := closed(object{
		"group": text("consumer group; " + KafkaGroup + " unless given"),
		"start": text("where a topic is begun that was not read before: earliest, latest, or a time as 2026-11-21T10:00:00Z"), "session_timeout": duration("after which a silent reader is taken for dead"),
		"tls": closed(object{"ca": text("PEM file of the authorities; the system's unless given"), "cert": text("PEM file of our certificate"), "key": text("PEM file of its key"), "server_name": text("name in the brokers' certificates; the host's unless given")}),
		"sasl": closed(object{
			"mechanism": choice("how to log in", mechanisms), "user": text("the user's name"),
			"password":      object{"type": "string", "pattern": fromEnvironment.String(), "description": "${NAME}: a variable of the environment"},
			"password_file": text("file with the password"),
		}, "mechanism", "user"),
	})
	schema := closed(object{
		"version": object{"const": Version}, "lateness": duration("how far a log may be out of order"),
		"event_time": choice("which time of a request counts", eventTimes),
		"duplicates": duration("horizon within which a request id, or a call that two spans tell of, counts once; 0s judges all"),
		"session":    list(object{"type": "string", "minLength": 1}, "where a session is named, the first place that says something: log, header:NAME or another attribute"),
		"rules":      list(rule, "the rules"),
		"exclude":    list(closed(object{"name": text("name in the account"), "match": text("CEL condition on the request")}, "name", "match"), "requests left out"),
		"prices": object{
			"type": "object", "description": "USD per million tokens, where the log has none, or 0",
			"additionalProperties": closed(object{
				"input": object{"type": "number", "minimum": 0}, "output": object{"type": "number", "minimum": 0}, "cached": object{"type": "number", "minimum": 0},
				"per_1k": object{"type": "number", "minimum": 0, "description": "USD per thousand tokens of any kind"},
			}),
		},
		"sinks":  list(object{"type": "object", "properties": sinks, "additionalProperties": false, "minProperties": 1, "maxProperties": 1}, "where alerts go"),
		"routes": list(closed(object{"match": text("CEL condition on the alert"), "to": list(object{"type": "string"}, "names of sinks; none is nobody")}, "match", "to"), "which sinks hear of what: the first that matches"),
		"links":  object{"type": "object", "description": "URLs in alerts, by name; {{session}} and others stand for what the alert says", "additionalProperties": object{"type": "string", "pattern": "^https?://"}},
		"kafka":  kafka,
	}, "version", "rules")
	schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	schema["title"] = "loopgauge policy"
	out, err := json.MarshalIndent(schema, "", "  ")
	if err != nil {
		panic(err)
	}
	return append(out, '\n')
}
