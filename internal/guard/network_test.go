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

// network is a name service and a gate at the edge of the machine: names resolve to what the test
// says, and every socket that got past the guard is written down and stopped before it connects.
type network struct {
	mu      sync.Mutex
	answers map[string][][]netip.Addr // name -> what each further look-up finds; the last one stays
	asked   []string
	reached []netip.AddrPort
}

var errStopped = errors.New("stopped at the edge of the test")

func newNetwork() *network { return &network{answers: map[string][][]netip.Addr{}} }

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

// resolves sets what the next look-ups of a name find, one list for each look-up.
func (n *network) resolves(name string, lookups ...[]netip.Addr) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.answers[name] = lookups
}

func (n *network) log() (asked []string, reached []netip.AddrPort) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.asked), slices.Clone(n.reached)
}

func (n *network) mustBeSilent(t *testing.T) {
	t.Helper()
	if _, reached := n.log(); len(reached) > 0 {
		t.Errorf("sockets went to %v", reached)
	}
}

// serveNames answers questions over one stream, each with two bytes of length before it.
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
		answer := n.answer(query)
		packet := binary.BigEndian.AppendUint16(nil, uint16(len(answer)))
		if _, err := conn.Write(append(packet, answer...)); err != nil {
			return
		}
	}
}

func (n *network) answer(query []byte) []byte {
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
			reply.Answers = append(reply.Answers, dnsmessage.Resource{Header: h, Body: &dnsmessage.AAAAResource{AAAA: a.As16()}})
		}
	}
	packed, err := reply.Pack()
	if err != nil {
		panic(err)
	}
	return packed
}

// find moves on to the next look-up after the A question alone: every look-up asks A and AAAA.
func (n *network) find(name string, question dnsmessage.Type) ([]netip.Addr, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if question == dnsmessage.TypeA {
		n.asked = append(n.asked, name)
	}
	lookups, known := n.answers[name]
	if !known {
		return nil, false
	}
	if question == dnsmessage.TypeA && len(lookups) > 1 {
		n.answers[name] = lookups[1:]
	}
	return lookups[0], true
}
