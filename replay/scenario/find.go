package scenario

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/loopgauge/loopgauge/window/policy"
)

// endings are how a fixture's name ends: in a folder it stands among logs and
// policies.
var endings = []string{".test.yaml", ".test.yml"}

// IsFixture tells a fixture by its name.
func IsFixture(file string) bool {
	return slices.ContainsFunc(endings, func(end string) bool { return strings.HasSuffix(file, end) })
}

// Find gives the fixtures below a folder, in order of their names.
func Find(dir string) ([]string, error) {
	var files []string
	root := dir
	if info, err := os.Lstat(dir); err == nil && !info.IsDir() {
		root += string(filepath.Separator) // WalkDir does not follow a link
	}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch hidden := path != root && strings.HasPrefix(d.Name(), "."); {
		case err != nil:
			return policy.FileError(path, err)
		case d.IsDir() && hidden:
			return fs.SkipDir
		case !d.IsDir() && !hidden && IsFixture(path):
			files = append(files, path)
		}
		return nil
	})
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("%s: no fixture in this folder; the name of a fixture ends in %s", dir, endings[0])
	}
	return files, err
}

// Of gives the fixtures below the folder of a policy that run it.
func Of(policyFile string) ([]string, error) {
	wanted, err := os.Stat(policyFile)
	if err != nil {
		return nil, err
	}
	dir := filepath.Dir(policyFile)
	files, err := Find(dir)
	if err != nil {
		return nil, err
	}
	files = slices.DeleteFunc(files, func(file string) bool {
		text, err := policy.ReadFile(file)
		if err != nil {
			return false // running it says why
		}
		f, err := Parse(file, text)
		if err != nil {
			// It may well be one of them: a broken fixture must not pass
			// for one that is not there.
			return false
		}
		info, err := os.Stat(f.Policy)
		return f.Policy == "" || err != nil || !os.SameFile(info, wanted)
	})
	if len(files) == 0 {
		return nil, errors.New(policyFile + ": no fixture below " + dir + " runs this policy")
	}
	return files, nil
}
