package blob

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"gocloud.dev/blob"
	"golang.org/x/sync/errgroup"
)

// Has tells whether there is an object below a name, which is no pattern then.
func Has(ctx context.Context, text, file string) (bool, error) {
	n, err := parse(text)
	if err != nil || strings.ContainsAny(n.key, "*[?") {
		return false, err
	}
	b, err := n.open(ctx)
	if err != nil {
		return false, err
	}
	defer b.Close()                                //nolint:errcheck // nothing is written
	first, err := n.first(ctx, b, n.folder()+file) // the shortest
	return err == nil && first == n.folder()+file, err
}

// folder is what the keys below a name begin with.
func (n *name) folder() string {
	if n.key == "" {
		return ""
	}
	return strings.TrimSuffix(n.key, "/") + "/"
}

// copied is how many objects are copied at once: there may be thousands, which
// take their time to come.
const copied = 8

// Get copies the objects below a name into a directory, those that are wanted: of
// each its key below the name is looked at.
func Get(ctx context.Context, text, dir string, want func(file string) bool) error {
	n, b, err := open(ctx, text)
	if err != nil {
		return err
	}
	defer b.Close() //nolint:errcheck // nothing is written
	return n.get(ctx, b, dir, want)
}

func (n *name) get(ctx context.Context, b *blob.Bucket, dir string, want func(file string) bool) error {
	var all []*blob.ListObject
	objects, failed := b.List(allUnder(n.folder())).All(ctx)
	for o := range objects {
		all = append(all, o)
	}
	if err := failed(); err != nil {
		return n.explain("", err)
	}
	copying, ctx := errgroup.WithContext(ctx)
	copying.SetLimit(copied)
	for _, o := range all {
		file := filepath.FromSlash(strings.TrimPrefix(o.Key, n.folder()))
		// A key may be any text: none leads out of the directory.
		if o.IsDir || strings.HasSuffix(o.Key, "/") || !filepath.IsLocal(file) || !want(filepath.ToSlash(file)) {
			continue
		}
		copying.Go(func() error {
			return download(&object{ctx: ctx, in: b, name: n, key: o.Key, size: o.Size}, filepath.Join(dir, file))
		})
	}
	return copying.Wait()
}

func download(o *object, file string) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	in, err := o.stream(0)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(file, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
