package guard

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

// network is a fake name server. It records every socket that passed the guard and stops it before it connects.
type network struct {
	mu      sync.Mutex
	records map[string][][]netip.Addr // by name: the result of each lookup; the last one repeats
	lookups []string
	reached []netip.AddrPort
}

var errStopped = errors.New("stopped by the test")

func newNetwork() *network { return &network{records: map[string][][]netip.Addr{}} }

func (n *network) options() Options {
	return Options{
		Resolver: &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
			ours, theirs := net.Pipe()
			go n.serveNames(theirs)
			return ours, nil
		}},
		Control: func(_ context.Context, _, address string, _ syscall.RawConn) error {
			n.mu.Lock()
			defer n.mu.Unlock()
			n.reached = append(n.reached, netip.MustParseAddrPort(address))
			return errStopped
		},
	}
}

// resolves sets the results of the next lookups of a name.
func (n *network) resolves(name string, lookups ...[]netip.Addr) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.records[name] = lookups
}

func (n *network) log() (lookups []string, reached []netip.AddrPort) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.lookups), slices.Clone(n.reached)
}

func (n *network) mustNotConnect(t *testing.T) {
	t.Helper()
	if _, reached := n.log(); len(reached) > 0 {
		t.Errorf("connected to %v", reached)
	}
}

// serveNames serves DNS over TCP, where two bytes of length precede each message.
func (n *network) serveNames(conn net.Conn) {
	defer conn.Close()
	for {
		var size [2]byte
		if _, err := io.ReadFull(conn, size[:]); err != nil {
			return
		}
		query := make([]byte, binary.BigEndian.Uint16(size[:]))
		if _, err := io.ReadFull(conn, query); err != nil {
			return
		}
		response := n.resolve(query)
		packet := binary.BigEndian.AppendUint16(nil, uint16(len(response)))
		if _, err := conn.Write(append(packet, response...)); err != nil {
			return
		}
	}
}

func (n *network) resolve(query []byte) []byte {
	var m dnsmessage.Message
	if err := m.Unpack(query); err != nil {
		panic(err)
	}
	q := m.Questions[0]
	name := strings.TrimSuffix(q.Name.String(), ".")
	reply := dnsmessage.Message{
		Header:    dnsmessage.Header{ID: m.ID, Response: true, RecursionAvailable: true},
		Questions: m.Questions,
	}
	addrs, known := n.find(name, q.Type)
	if !known {
		reply.RCode = dnsmessage.RCodeNameError
	}
	for _, a := range addrs {
		h := dnsmessage.ResourceHeader{Name: q.Name, Class: dnsmessage.ClassINET}
		switch {
		case q.Type == dnsmessage.TypeA && a.Is4():
			h.Type = dnsmessage.TypeA
			reply.Answers = append(reply.Answers, dnsmessage.Resource{Header: h, Body: &dnsmessage.AResource{A: a.As4()}})
		case q.Type == dnsmessage.TypeAAAA && a.Is6():
			h.Type = dnsmessage.TypeAAAA
			body := &dnsmessage.AAAAResource{AAAA: a.As16()}
			reply.Answers = append(reply.Answers, dnsmessage.Resource{Header: h, Body: body})
		}
	}
	packed, err := reply.Pack()
	if err != nil {
		panic(err)
	}
	return packed
}

// find advances to the next result after A queries only, because every lookup sends A and AAAA.
func (n *network) find(name string, question dnsmessage.Type) ([]netip.Addr, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if question == dnsmessage.TypeA {
		n.lookups = append(n.lookups, name)
	}
	lookups, known := n.records[name]
	if !known {
		return nil, false
	}
	if question == dnsmessage.TypeA && len(lookups) > 1 {
		n.records[name] = lookups[1:]
	}
	return lookups[0], true
}
