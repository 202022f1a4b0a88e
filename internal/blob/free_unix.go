//go:build unix

package blob

import (
	"errors"
	"syscall"

	"golang.org/x/sys/unix"
)

// isFull reports whether a write failed because the disk, or the quota of the user, is full.
func isFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// Free returns the bytes available to this process on the disk of a folder.
func Free(dir string) (int64, error) {
	var disk unix.Statfs_t
	if err := unix.Statfs(dir, &disk); err != nil {
		return 0, err
	}
	return int64(disk.Bavail) * int64(disk.Bsize), nil
}
