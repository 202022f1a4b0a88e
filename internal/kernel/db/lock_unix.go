//go:build unix

package db

import (
	"errors"
	"os"
	"syscall"
)

// tryLock takes the lock of a file, or returns errLocked at once.
func tryLock(file *os.File) error {
	err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return errLocked
	}
	return err
}
