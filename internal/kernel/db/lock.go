package db

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// folderLock keeps a second server off a data folder. The system releases it when the process ends,
// however it ends; the file stays.
type folderLock struct{ file *os.File }

// errLocked is for a lock that another process holds.
var errLocked = errors.New("another process holds the lock")

func lockFolder(dir string) (*folderLock, error) {
	file, err := os.OpenFile(filepath.Join(dir, "recado.lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("db: lock the data folder: %w", err)
	}
	// Another process may hold it for a moment, for administration or while it ends.
	for try := 0; ; try++ {
		err = tryLock(file)
		if !errors.Is(err, errLocked) || try == 5 {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	if err == nil {
		if err = file.Truncate(0); err == nil {
			_, err = fmt.Fprintf(file, "%d\n", os.Getpid())
		}
	}
	if errors.Is(err, errLocked) {
		pid, _ := io.ReadAll(io.LimitReader(file, 32))
		err = fmt.Errorf("another Recado server is using the data folder %s (pid %s); stop it or choose another --data", dir, strings.TrimSpace(string(pid)))
	}
	if err != nil {
		_ = file.Close()
		return nil, err
	}
	return &folderLock{file: file}, nil
}

func (l *folderLock) release() {
	if l != nil {
		_ = l.file.Close()
	}
}
