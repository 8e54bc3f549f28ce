package sinks

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/loopgauge/loopgauge/window"
)

// Log writes alerts into the program's own log: a warning when a loop opens or
// grows, a note when it is over. Of a rule that looks at calls of tools the
// warning has the form of the tool-call proxy's own.
type Log struct{ Logger *slog.Logger }

// Name implements Sink.
func (*Log) Name() string { return "log" }

// Send implements Sink.
func (l *Log) Send(ctx context.Context, a *Alert) error {
	level := slog.LevelWarn
	if a.State == window.Closed {
		level = slog.LevelInfo
	}
	if a.Digest() {
		l.Logger.LogAttrs(ctx, level, a.DigestHeadline(), a.digestAttrs()...)
		return nil
	}
	attrs := []slog.Attr{slog.String("state", string(a.State)), slog.String("severity", string(a.Severity)), slog.Int64("requests", a.Requests), slog.String("in", a.Lasted().Round(time.Millisecond).String())}
	if a.Kind != "" {
		attrs = append(attrs, slog.String("kind", a.Kind), text("evidence", a.Evidence))
	}
	if a.TokensAfter != nil {
		attrs = append(attrs, slog.Int64("tokens_after", *a.TokensAfter))
	}
	if a.CostAfter != nil {
		attrs = append(attrs, slog.String("cost_after", Dollars(*a.CostAfter)))
	}
	if settings := a.Settings(); settings != "" {
		attrs = append(attrs, text("would_not_fire", settings))
	}
	if len(a.Scope) > 0 {
		attrs = append(attrs, text("scope", a.ScopeText()))
	}
	for _, who := range a.Whose() {
		attrs = append(attrs, text(who.Name, who.Value))
	}
	attrs = append(attrs, text("rules", strings.Join(a.Rules, " ")), slog.String("first", a.First), slog.String("last", a.Last),
		slog.String("id", a.ID), slog.Int("revision", a.Revision))
	attrs = append(attrs, a.linkAttrs()...)
	if a.State != window.Closed && a.Explain != "" {
		attrs = append(attrs, slog.String("explain", a.Explain))
	}
	l.Logger.LogAttrs(ctx, level, a.headline(), attrs...)
	if a.Signature != "" && a.State == window.Opened {
		l.Logger.LogAttrs(ctx, slog.LevelDebug, "full signature", slog.String("id", a.ID), slog.String("signature", CleanUpTo(a.Signature, len(a.Signature))))
	}
	return nil
}

func text(key, value string) slog.Attr { return slog.String(key, Clean(value)) }

// digestAttrs are what there is to say of many loops: how many, what they share,
// and where to begin to look.
func (a *Alert) digestAttrs() []slog.Attr {
	attrs := []slog.Attr{
		slog.String("state", string(a.State)), slog.String("id", a.ID), slog.Int("revision", a.Revision), slog.String("severity", string(a.Severity)), slog.Int64("loops", a.Loops),
		text("rules", strings.Join(a.Rules, " ")), slog.String("first", a.First), slog.String("last", a.Last),
	}
	for _, shared := range []struct{ name, value string }{
		{"kind", a.Kind}, {"tool", a.Tool}, {"path", a.Path}, {"session", a.Session}, {"caller", a.Caller}, {"user", a.User}, {"model", a.Model}, {"backend", a.Backend},
	} {
		if shared.value != "" {
			attrs = append(attrs, text(shared.name, shared.value))
		}
	}
	attrs = append(attrs, a.linkAttrs()...)
	if x := a.Example; x != nil && a.State != window.Closed {
		attrs = append(attrs, slog.String("example", x.ID), text("example_session", x.Session), slog.String("explain", x.Explain))
	}
	return attrs
}

func (a *Alert) linkAttrs() (attrs []slog.Attr) {
	for _, name := range slices.Sorted(maps.Keys(a.Links)) { // any order: sorted
		attrs = append(attrs, slog.String("link_"+name, a.Links[name]))
	}
	return attrs
}

// headline says in one line what goes on.
func (a *Alert) headline() string {
	if a.State == window.Closed {
		return fmt.Sprintf("Loop is over after %d requests: %s", a.Requests, value(cmp.Or(a.Repeats, a.Rule)))
	}
	if !a.Calls {
		return fmt.Sprintf("Loop detected in %s: %s, repeats=%d/%d, window=%ss, model=%s, backend=%s, action=%s, fingerprint=%s",
			cmp.Or(Clean(a.ScopeText()), "all requests"), value(cmp.Or(a.Repeats, a.Rule)), a.Count, a.Threshold, number(a.WindowS), value(a.Model), value(a.Backend), a.Action, a.Fingerprint)
	}
	return fmt.Sprintf("Tool call loop detected in session %s: tool=%s, repeats=%d/%d, window=%ss, model=%s, backend=%s, action=%s, signature=%s...",
		value(cmp.Or(a.Session, a.Scope["conversation"])), value(a.Tool), a.Count, a.Threshold, number(a.WindowS), value(a.Model), value(a.Backend), a.Action, first(cmp.Or(a.Signature, a.Fingerprint), 50))
}

// value is a value of the log inside a line. One that could be taken for the
// line's own words stands in quotes.
func value(text string) string {
	text = Clean(text)
	if text == "" || strings.Contains(text, ", ") || strings.Contains(text, ": ") || strings.ContainsAny(text, "=\"") {
		return strconv.Quote(text)
	}
	return text
}

// first are the first n characters of a text.
func first(text string, n int) string {
	if runes := []rune(text); len(runes) > n {
		text = string(runes[:n])
	}
	return CleanUpTo(text, n)
}

func number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// Dollars is an amount as a person reads it: to the cent, and of few cents
// four digits.
func Dollars(usd float64) string {
	if abs := max(usd, -usd); abs >= 0.1 || abs == 0 {
		return "$" + strconv.FormatFloat(usd, 'f', 2, 64)
	}
	short, _ := strconv.ParseFloat(strconv.FormatFloat(usd, 'g', 4, 64), 64)
	return "$" + strconv.FormatFloat(short, 'f', -1, 64)
}
