package blob

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"gocloud.dev/blob"
	"gocloud.dev/gcerrors"
)

// Holds tells whether one of the folders under a name has an object in it.
func Holds(ctx context.Context, text string, folders []string) (bool, error) {
	n, b, err := open(ctx, text)
	if err != nil {
		return false, err
	}
	defer b.Close() //nolint:errcheck // each object has been closed
	return n.holds(ctx, b, folders)
}

func (n *name) holds(ctx context.Context, b *blob.Bucket, folders []string) (bool, error) {
	for _, f := range folders {
		if first, err := n.first(ctx, b, path.Join(n.key, f)+"/"); first != "" || err != nil {
			return first != "", err
		}
	}
	return false, nil
}

// Put puts the files of a directory under a name. Each object appears whole;
// those of the folder last come when all others are there. If one fails, those
// that are there are taken away again.
func Put(ctx context.Context, text, dir, last string) error {
	n, b, err := open(ctx, text)
	if err != nil {
		return err
	}
	defer b.Close() //nolint:errcheck // each object has been closed
	return n.put(ctx, b, dir, last)
}

func (n *name) put(ctx context.Context, b *blob.Bucket, dir, last string) error {
	var files []string
	err := fs.WalkDir(os.DirFS(dir), ".", func(file string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files = append(files, file)
		}
		return err
	})
	if err != nil {
		return err
	}
	slices.SortStableFunc(files, func(a, b string) int { return order(a, last) - order(b, last) })
	for i, file := range files {
		if err := upload(ctx, b, path.Join(n.key, file), filepath.Join(dir, filepath.FromSlash(file))); err != nil {
			// Where the answer was lost, the last is there too.
			return errors.Join(n.explain(path.Join(n.key, file), err), n.takeAway(context.WithoutCancel(ctx), b, files[:i+1]))
		}
	}
	return nil
}

// takeAway deletes files, the last one first: where it is, the others are.
func (n *name) takeAway(ctx context.Context, b *blob.Bucket, files []string) error {
	for i, file := range slices.Backward(files) {
		key := path.Join(n.key, file)
		if err := b.Delete(ctx, key); err != nil && gcerrors.Code(err) != gcerrors.NotFound {
			return fmt.Errorf("%w\n%d objects of it may be left under %s: remove them", n.explain(key, err), i+1, n.object(n.key))
		}
	}
	return nil
}

func order(file, last string) int {
	if strings.HasPrefix(file, last+"/") {
		return 1
	}
	return 0
}

func upload(ctx context.Context, b *blob.Bucket, key, file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	return b.Upload(ctx, key, f, &blob.WriterOptions{ContentType: "application/vnd.apache.parquet"})
}
