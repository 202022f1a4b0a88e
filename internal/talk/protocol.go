package talk

import (
	"fmt"
	"strings"

	"recado/internal/kernel"
)

// ProtocolPrefix begins the protocol number of every attendance.
const ProtocolPrefix = "ATD-"

// FormatProtocol writes the company's n-th attendance as ATD-000123, with more digits where six are too
// few. The n-th one of its private channels, a series of its own, is -n and written as ATD-P000123.
func FormatProtocol(n int64) string {
	if n < 0 {
		return fmt.Sprintf("%sP%06d", ProtocolPrefix, -n)
	}
	return fmt.Sprintf("%s%06d", ProtocolPrefix, n)
}

// ParseProtocol reads a protocol number with or without its prefix, in either case, and with or without
// leading zeros. It is false for everything else, zero included.
func ParseProtocol(s string) (n int64, ok bool) {
	if len(s) > 64 {
		return 0, false
	}
	if p := len(ProtocolPrefix); len(s) > p && strings.EqualFold(s[:p], ProtocolPrefix) {
		s = s[p:]
	}
	return kernel.Positive(s)
}

// ParsePrivateProtocol reads a protocol number of the private series, such as ATD-P000123 or p123, and returns it as
// the negative number that is stored.
func ParsePrivateProtocol(s string) (n int64, ok bool) {
	if p := len(ProtocolPrefix); len(s) > p && strings.EqualFold(s[:p], ProtocolPrefix) {
		s = s[p:]
	}
	if len(s) > 64 || !strings.HasPrefix(s, "P") && !strings.HasPrefix(s, "p") {
		return 0, false
	}
	n, ok = kernel.Positive(s[1:])
	return -n, ok
}
