//go:build unix

package live

import (
	"errors"
	"net"
	"syscall"
)

// writeNow writes as much as the connection accepts without blocking, and returns the rest.
func writeNow(conn net.Conn, b []byte) (rest []byte, err error) {
	under, ok := conn.(syscall.Conn)
	if !ok {
		return b, nil
	}
	raw, err := under.SyscallConn()
	if err != nil {
		return b, err
	}
	var n int
	var refused error
	err = raw.Write(func(fd uintptr) bool {
		n, refused = syscall.Write(int(fd), b)
		return true
	})
	switch {
	case err != nil:
		return b, err
	case errors.Is(refused, syscall.EAGAIN), errors.Is(refused, syscall.EINTR):
		return b, nil
	case refused != nil:
		return b, refused
	}
	return b[n:], nil
}
