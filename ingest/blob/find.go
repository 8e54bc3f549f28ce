package blob

import (
	"context"
	"errors"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"gocloud.dev/blob"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/ingest"
)

// Times bound what is asked for, in microseconds; fingerprint.NoTime is no
// bound. Objects that cannot hold any of it are passed over.
type Times struct {
	Since, Until int64
}

// Found is what there is under a name.
type Found struct {
	Sources  []*ingest.Source
	Passed   int    // objects, because of their dates
	Settings string // behind the name, which may be those of another store
}

// Find lists the objects under a name, in order of their keys: the object of
// that key; else all below it as a folder; else all whose keys begin so. With
// *, [ or ? in it the key is a pattern, each part of which stands between
// slashes, and a folder that it names stands for all below it. What stands
// beside logs is left out, as in a directory.
func Find(ctx context.Context, text string, times Times) (Found, error) {
	n, b, err := open(ctx, text)
	if err != nil {
		return Found{}, err
	}
	found, err := n.find(ctx, b, times)
	found.Settings = n.settings
	return found, err
}

func (n *name) find(ctx context.Context, b *blob.Bucket, times Times) (found Found, err error) {
	prefix := n.key
	if at := strings.IndexAny(prefix, "*[?"); at >= 0 {
		prefix = prefix[:at]
	}
	var all []*blob.ListObject
	free := &room{}
	objects, failed := b.List(allUnder(prefix)).All(ctx)
	for o := range objects {
		if o.Key == n.key && !strings.HasSuffix(o.Key, "/") {
			return Found{Sources: []*ingest.Source{n.source(ctx, b, o, free)}}, nil
		}
		all = append(all, o)
	}
	if err := failed(); err != nil {
		return found, n.explain("", err)
	}
	below, err := n.below(all)
	if err != nil {
		return found, err
	}
	parquet := false
	for _, o := range all {
		parquet = parquet || path.Ext(o.Key) == ".parquet"
		switch {
		case o.IsDir, o.Size == 0, !below(o.Key), beside(o.Key):
		case !times.mayHold(o):
			found.Passed++
		default:
			found.Sources = append(found.Sources, n.source(ctx, b, o, free))
		}
	}
	switch {
	case len(found.Sources) > 0:
		return found, nil
	case found.Passed > 0:
		return found, n.fail(n.key, errors.New("no object is of the time asked for"), "see --since and --until")
	}
	hint := ""
	if parquet {
		hint = "a dataset is read by replay, tune and explain, and by its own name: that of the folder with its events/ and run/"
	}
	return found, n.fail(n.key, errors.New("no logs under this name"), hint)
}

func (n *name) source(ctx context.Context, b *blob.Bucket, o *blob.ListObject, r *room) *ingest.Source {
	return ingest.NewSource(n.object(o.Key), &object{ctx: ctx, in: b, name: n, key: o.Key, size: o.Size, room: r})
}

// below tells which of the objects listed are meant.
func (n *name) below(all []*blob.ListObject) (func(key string) bool, error) {
	if strings.ContainsAny(n.key, "*[?") {
		pattern := strings.Split(strings.TrimSuffix(n.key, "/"), "/")
		for _, part := range pattern {
			if _, err := path.Match(part, ""); err != nil {
				return nil, n.fail(n.key, err, "")
			}
		}
		return func(key string) bool {
			parts := strings.Split(key, "/")
			if len(parts) < len(pattern) {
				return false
			}
			for i, p := range pattern {
				if ok, _ := path.Match(p, parts[i]); !ok {
					return false
				}
			}
			return true
		}, nil
	}
	folder := n.folder()
	if !slices.ContainsFunc(all, func(o *blob.ListObject) bool { return strings.HasPrefix(o.Key, folder) }) {
		folder = "" // all were listed by how their keys begin
	}
	return func(key string) bool { return strings.HasPrefix(key, folder) }, nil
}

// beside tells that an object is no log, as ingest.Find does of files.
func beside(key string) bool {
	hidden := strings.HasPrefix(key, ".") || strings.Contains(key, "/.")
	return hidden || ingest.IsSkipped(key)
}

const (
	// behind is how far a store's clock may be behind that of the gateway.
	behind = time.Hour
	day    = 24 * time.Hour
)

// dated are the folders of a day: 2026-11-21, date=2026-11-21, 2026/11/21,
// year=2026/month=11/day=21.
var dated = regexp.MustCompile(`(?:^|[/=])(\d{4})(?:-|/(?:\w+=)?)(\d\d)(?:-|/(?:\w+=)?)(\d\d)/`)

// mayHold tells whether an object may hold something of the times. An object
// holds nothing that came after it was written; and what is in the folder of a
// day is of that day, in whatever zone, or was written a day late.
func (t Times) mayHold(o *blob.ListObject) bool {
	since, until := time.UnixMicro(t.Since), time.UnixMicro(t.Until)
	if t.Since != fingerprint.NoTime && !o.ModTime.IsZero() && o.ModTime.Add(behind).Before(since) {
		return false
	}
	m := dated.FindStringSubmatch(o.Key)
	if m == nil {
		return true
	}
	of, err := time.Parse(time.DateOnly, strings.Join(m[1:], "-"))
	if err != nil {
		return true
	}
	return (t.Since == fingerprint.NoTime || of.Add(2*day).After(since)) && (t.Until == fingerprint.NoTime || of.Add(-day).Before(until))
}
