package guard

import (
	"net/netip"
	"slices"
)

// refused4 are the IPv4 ranges outside the public internet: private, loopback, link-local (cloud metadata), shared,
// reserved, documentation, multicast. The last one is the service address of Azure networks.
var refused4 = prefixes(
	"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
	"192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24",
	"192.168.0.0/16", "192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
	"224.0.0.0/4", "240.0.0.0/4", "168.63.129.16/32",
)

// global6 is the public part of IPv6; refused6 are its special ranges: protocol assignments with Teredo,
// documentation, 6to4 and the AS112 sink.
var (
	global6  = netip.MustParsePrefix("2000::/3")
	refused6 = prefixes("2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20")
)

// refusedRange reports whether addr is outside the public internet.
func refusedRange(addr netip.Addr) bool {
	if addr.Zone() != "" {
		return true
	}
	addr = addr.Unmap()
	if addr.Is4() {
		return within(refused4, addr)
	}
	return !global6.Contains(addr) || within(refused6, addr) || isatap(addr)
}

// isatap reports whether an IPv6 address contains an IPv4 address that a tunnel would route to its own network.
func isatap(addr netip.Addr) bool {
	b := addr.As16()
	return b[8]&^0x02 == 0 && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe
}

func within(ranges []netip.Prefix, addr netip.Addr) bool {
	return slices.ContainsFunc(ranges, func(r netip.Prefix) bool { return r.Contains(addr) })
}

func prefixes(texts ...string) []netip.Prefix {
	out := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		out[i] = netip.MustParsePrefix(text)
	}
	return out
}
