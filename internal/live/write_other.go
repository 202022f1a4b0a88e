//go:build !unix

package live

import "net"

// writeNow writes nothing: here no write returns before the connection has taken all.
func writeNow(_ net.Conn, b []byte) (rest []byte, err error) { return b, nil }
