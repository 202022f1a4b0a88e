package talk

import (
	"fmt"
	"strings"

	"recado/internal/kernel"
)

// ProtocolPrefix begins the protocol number of every attendance.
const ProtocolPrefix = "ATD-"

// FormatProtocol formats the number of an attendance as ATD-000123. Numbers of private channels are negative and look
// like ATD-P000123.
func FormatProtocol(n int64) string {
	if n < 0 {
		return fmt.Sprintf("%sP%06d", ProtocolPrefix, -n)
	}
	return fmt.Sprintf("%s%06d", ProtocolPrefix, n)
}

// ParseProtocol parses a positive protocol number. The prefix, in any case, and leading zeros are optional.
func ParseProtocol(s string) (n int64, ok bool) {
	if len(s) > 64 {
		return 0, false
	}
	return kernel.Positive(trimProtocolPrefix(s))
}

// ParsePrivateProtocol parses a protocol number of a private channel, such as ATD-P000123 or p123. It returns the negative
// number.
func ParsePrivateProtocol(s string) (n int64, ok bool) {
	s = trimProtocolPrefix(s)
	if len(s) > 64 || !strings.HasPrefix(s, "P") && !strings.HasPrefix(s, "p") {
		return 0, false
	}
	n, ok = kernel.Positive(s[1:])
	return -n, ok
}

func trimProtocolPrefix(s string) string {
	if p := len(ProtocolPrefix); len(s) > p && strings.EqualFold(s[:p], ProtocolPrefix) {
		return s[p:]
	}
	return s
}
