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

// folderLock prevents a second server from using a data folder. The system releases it when the process ends.
type folderLock struct{ file *os.File }

// errLocked is returned if another process holds the lock.
var errLocked = errors.New("another process holds the lock")

func lockFolder(dir string) (*folderLock, error) {
	file, err := os.OpenFile(filepath.Join(dir, "recado.lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("db: lock the data folder: %w", err)
	}
	// An administrative command, or a server that is stopping, may hold it for a moment.
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
