package ingest

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/windows"
)

// openFile opens a log for reading. Whoever writes it may rename and remove it meanwhile,
// which os.Open would keep them from.
func openFile(path string) (*os.File, error) { return openFileFor(path, windows.GENERIC_READ) }

func openFileFor(path string, access uint32) (*os.File, error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	const share = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE
	// Without the last flag a directory cannot be opened.
	h, err := windows.CreateFile(name, access, share, nil, windows.OPEN_EXISTING, windows.FILE_FLAG_BACKUP_SEMANTICS, 0)
	if err == windows.ERROR_INVALID_NAME { //nolint:errorlint // as it comes from the system
		err = windows.ERROR_FILE_NOT_FOUND // as a pattern's: nothing can be called so
	}
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(h), path), nil
}

// statFile is what lies at a path, and what tells it from all others that there are at
// the moment. It is opened for no access, which nobody who has it open refuses.
func statFile(path string) (info fs.FileInfo, id string, err error) {
	file, err := openFileFor(path, 0)
	if err != nil {
		return nil, "", err
	}
	defer file.Close()
	if info, err = file.Stat(); err == nil {
		id, err = inode(file)
	}
	return info, id, err
}

// inode tells an open file from all others: Windows has numbers of volumes and files.
func inode(file *os.File) (string, error) {
	var info windows.ByHandleFileInformation
	if err := windows.GetFileInformationByHandle(windows.Handle(file.Fd()), &info); err != nil {
		return "", &fs.PathError{Op: "stat", Path: file.Name(), Err: err}
	}
	return fmt.Sprintf("%x-%x", info.VolumeSerialNumber, uint64(info.FileIndexHigh)<<32|uint64(info.FileIndexLow)), nil
}

// absent are the errors that say that there is no such file. fs.ErrNotExist is also that
// a share on the network does not answer.
var absent = []syscall.Errno{windows.ERROR_FILE_NOT_FOUND, windows.ERROR_PATH_NOT_FOUND, syscall.ENOTDIR}
