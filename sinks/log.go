package sinks

import (
	"context"
	"log/slog"
)

// Log writes alerts into the program's own log.
type Log struct{ Logger *slog.Logger }

// Name implements Sink.
func (*Log) Name() string { return "log" }

// Send implements Sink.
func (l *Log) Send(ctx context.Context, a *Alert) error {
	level := slog.LevelWarn
	if a.State == "closed" {
		level = slog.LevelInfo
	}
	if a.Digest() {
		l.Logger.LogAttrs(ctx, level, "digest "+string(a.State), slog.String("id", a.ID), slog.Int("revision", a.Revision), slog.Int64("loops", a.Loops),
			slog.Any("rules", a.Rules), slog.String("first", a.First), slog.String("last", a.Last))
		return nil
	}
	attrs := []slog.Attr{
		slog.String("id", a.ID), slog.Int("revision", a.Revision), slog.String("rule", a.Rule), slog.Any("scope", a.Scope),
		slog.String("model", a.Model), slog.Int64("requests", a.Requests), slog.Int("threshold", a.Threshold), slog.Float64("window_s", a.WindowS),
		slog.String("first", a.First), slog.String("last", a.Last),
	}
	if a.CostAfter != nil {
		attrs = append(attrs, slog.Float64("cost_after", *a.CostAfter))
	}
	l.Logger.LogAttrs(ctx, level, "loop "+string(a.State), attrs...)
	return nil
}
