package guard

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"strings"
	"sync"
	"syscall"
	"time"
)

// errRefused is the error of a dial to an internal address. It does not contain the address, because customers must
// not learn how names resolve inside the internal network.
var errRefused = errors.New("refused address")

func (c *Client) dialWith(d *net.Dialer) func(ctx context.Context, network, address string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		if !c.insecure {
			address = absolute(address)
		}
		return d.DialContext(ctx, network, address)
	}
}

// absolute adds the final dot to a name, so that the resolver does not try the search domains of the internal network.
func absolute(address string) string {
	host, port, err := net.SplitHostPort(address)
	if err != nil || strings.HasSuffix(host, ".") {
		return address
	}
	if _, err := netip.ParseAddr(host); err == nil {
		return address
	}
	return net.JoinHostPort(host+".", port)
}

// checkSocket runs for every socket after name resolution and before the connection, so that a name cannot resolve
// differently between check and use.
func (c *Client) checkSocket(ctx context.Context, network, address string, raw syscall.RawConn) error {
	if !c.insecure {
		if err := c.checkAddress(network, address); err != nil {
			return err
		}
	}
	if c.control != nil {
		return c.control(ctx, network, address, raw)
	}
	return nil
}

func (c *Client) checkAddress(network, address string) error {
	if network != "tcp4" && network != "tcp6" {
		return errRefused
	}
	target, err := netip.ParseAddrPort(address)
	if err != nil || refusedRange(target.Addr()) {
		return errRefused
	}
	own, err := c.own.contain(target.Addr().Unmap())
	if err != nil || own {
		return errRefused // also when the addresses of the machine are unknown
	}
	return nil
}

const ownAddressesLifetime = time.Minute

// ownAddresses caches the addresses of this machine, including public ones.
type ownAddresses struct {
	list func() ([]net.Addr, error)
	now  func() time.Time

	mu     sync.Mutex
	known  map[netip.Addr]bool
	readAt time.Time
}

func (o *ownAddresses) contain(addr netip.Addr) (bool, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if now := o.now(); o.known == nil || now.Sub(o.readAt) >= ownAddressesLifetime {
		listed, err := o.list()
		switch {
		case err == nil:
			o.known, o.readAt = addressSet(listed), now
		case o.known == nil:
			return false, err
		}
	}
	return o.known[addr], nil
}

func addressSet(listed []net.Addr) map[netip.Addr]bool {
	set := make(map[netip.Addr]bool, len(listed))
	for _, a := range listed {
		if p, err := netip.ParsePrefix(a.String()); err == nil {
			set[p.Addr().Unmap()] = true
		}
	}
	return set
}
