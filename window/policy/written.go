package policy

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/goccy/go-yaml"

	"github.com/loopgauge/loopgauge/window"
)

// written is the rule as a policy has it, but for its setting.
// What is as in a profile is had by naming that.
func (d *ruleDraft) written() window.Written {
	own := d.rest()
	w := window.Written{Name: Quoted(d.name)}
	if d.from != "" {
		if base, err := profileRules(d.from); err == nil && len(base) == 1 {
			same := sameItems(own, base[0].rest())
			w.Closed = base[0].counter.Closed && (same || d.keepsProfile())
			if same {
				w.Head = fmt.Sprintf("    profile: %s\n", d.from)
				for _, item := range own {
					if off, trips := untripped[item.Key]; trips && flow(item.Value) != off {
						w.Warns += fmt.Sprintf("    %s: %s\n", item.Key, off)
					}
				}
				return w
			}
		}
	}
	for _, item := range own {
		line := fmt.Sprintf("    %s: %s\n", item.Key, flow(item.Value))
		if overrides, ok := item.Value.([]yaml.MapSlice); ok && len(overrides) > 0 {
			line = fmt.Sprintf("    %s:\n", item.Key)
			for _, o := range overrides {
				line += fmt.Sprintf("      - %s\n", flow(o))
			}
		}
		switch item.Key {
		case "profile", "enabled", "identity", "mask", "normalize", "limit_keys", "body_hash", "scope":
			w.Head += line
		default:
			w.Tail += line
			off, trips := untripped[item.Key]
			switch {
			case !trips:
				w.Warns += line
			case d.keepsProfile(): // which may say otherwise
				w.Warns += fmt.Sprintf("    %s: %s\n", item.Key, off)
			}
		}
	}
	return w
}

// untripped says of what a gateway does on tripping that it does not.
var untripped = map[any]string{"cooldown": "0s", "cooldown_counts": "true", "blocked_counts": "true", "reset_on_fire": "false"}

// Rewrite makes Source and Hash those of the rules that the policy has now,
// which may be others than those it was read with.
func (p *Policy) Rewrite() error {
	text, tail := p.Frame().Around(p.Lateness, p.LatenessSet)
	for _, r := range p.Rules {
		text += RuleText(&r.Written, CounterText(r.Counter, true), r.Threshold, r.Action, r.Written.Tail)
	}
	again, err := Parse("the policy in force", []byte(text+tail))
	if err != nil {
		return err
	}
	p.Source, p.Hash = again.Source, again.Hash
	return nil
}

// RuleText writes a rule with a setting, which tail stands behind.
func RuleText(w *window.Written, counter string, threshold int, action window.Action, tail string) string {
	return fmt.Sprintf("%s    counter: %s\n    threshold: %d\n    action: %s\n%s", RuleHead(w), counter, threshold, action, tail)
}

// RuleHead is what stands before the setting.
func RuleHead(w *window.Written) string { return fmt.Sprintf("  - name: %s\n%s", w.Name, w.Head) }

// Frame is what a policy says besides its rules and the lateness, as lines of YAML:
// how logs are read, the entries of its exclude, and its prices.
type Frame struct{ Reading, Exclude, Prices string }

// Frame is that of the policy.
func (p *Policy) Frame() Frame { return Frame{p.reading(), Exclusions(p.Exclude), p.priceList()} }

// Around is what stands before and after the rules of a policy, which may say a lateness.
func (f Frame) Around(lateness time.Duration, said bool) (head, tail string) {
	head = fmt.Sprintf("version: %d\n", Version)
	if said {
		head += fmt.Sprintf("lateness: %s\n", window.Lasting(lateness))
	}
	if f.Exclude != "" {
		tail = "exclude:\n" + f.Exclude
	}
	return head + f.Reading + "rules:\n", tail + f.Prices
}

// rest are the fields of a rule without its name and its setting.
func (d *ruleDraft) rest() yaml.MapSlice {
	return slices.DeleteFunc(d.source(), func(item yaml.MapItem) bool {
		switch item.Key {
		case "name", "counter", "threshold", "action":
			return true
		case "enabled":
			return item.Value == true
		}
		return false
	})
}

func sameItems(a, b yaml.MapSlice) bool {
	return slices.EqualFunc(a, b, func(x, y yaml.MapItem) bool { return x.Key == y.Key && flow(x.Value) == flow(y.Value) })
}

// Exclusions writes exclusions as a policy has them.
func Exclusions(list []window.Exclusion) string {
	text := ""
	for _, x := range list {
		text += fmt.Sprintf("  - %s\n", flow(yaml.MapSlice{{Key: "name", Value: x.Name}, {Key: "match", Value: x.Text}}))
	}
	return text
}

// reading writes how a policy has logs read, where it is not as by default, but
// for the lateness.
func (p *Policy) reading() string {
	text := ""
	if p.EventTime != End {
		text += fmt.Sprintf("event_time: %s\n", p.EventTime)
	}
	if p.Duplicates != window.DefaultDuplicates {
		text += fmt.Sprintf("duplicates: %s\n", window.Lasting(p.Duplicates))
	}
	if p.Session != nil {
		text += "session:\n"
		for _, place := range p.Session {
			text += "  - " + Quoted(place) + "\n"
		}
	}
	return text
}

// priceList writes a policy's prices as a policy has them; empty if it has none.
func (p *Policy) priceList() string {
	if len(p.Prices) == 0 {
		return ""
	}
	text := "prices:\n"
	for _, model := range slices.Sorted(maps.Keys(p.Prices)) { // any order: sorted
		text += fmt.Sprintf("  %s: %s\n", Quoted(model), flow(priceFields(p.Prices[model])))
	}
	return text
}

// flow writes a value of a source in one line.
func flow(value any) string {
	var parts []string
	switch v := value.(type) {
	case string:
		return Quoted(v)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case []string:
		for _, text := range v {
			parts = append(parts, Quoted(text))
		}
	case []yaml.MapSlice:
		for _, one := range v {
			parts = append(parts, flow(one))
		}
	case yaml.MapSlice:
		for _, item := range v {
			parts = append(parts, fmt.Sprintf("%s: %s", item.Key, flow(item.Value)))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	default:
		return fmt.Sprint(v)
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// plain are the texts that YAML reads as themselves wherever they stand: words
// and durations. It takes some words for truth values or nothing, and readers
// differ on colons.
var plain = regexp.MustCompile(`^([a-zA-Z_][a-zA-Z0-9_./-]*|([0-9]+(\.[0-9]+)?(h|m|s|ms))+)$`)

// Quoted writes a text so that YAML reads it as that text.
func Quoted(text string) string {
	word := []string{"true", "false", "null", "yes", "no", "on", "off", "y", "n"}
	switch {
	case plain.MatchString(text) && !slices.Contains(word, strings.ToLower(text)):
		return text
	case utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool { return r == '\'' || !unicode.IsPrint(r) }):
		return "'" + text + "'"
	}
	return strconv.Quote(text)
}
