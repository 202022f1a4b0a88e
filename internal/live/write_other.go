//go:build !unix

package live

import "net"

// writeNow writes nothing, because writes block on this system.
func writeNow(_ net.Conn, b []byte) (rest []byte, err error) { return b, nil }
