package live

import (
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"recado/internal/kernel"
	"recado/internal/people"
	"recado/internal/webhooks"
	"recado/test/testkit"
)

// person is a member who sees all conversations of a company, with an open stream that no client reads.
func person(t *testing.T, h *Hub, c kernel.Company, name string) *Stream {
	t.Helper()
	member := kernel.Member{User: kernel.Ref{ID: kernel.NewID(), Name: name}, Role: kernel.RoleAgent, Profile: kernel.AccessAll}
	a := kernel.SessionPrincipal(c, member, kernel.NewID(), nil, kernel.Rate{})
	s := &Stream{hub: h, id: kernel.NewID(), session: a.Session, person: a.User.ID, principal: a, writing: true}
	if err := h.add(s, c); err != nil {
		t.Fatal(err)
	}
	return s
}

// sent gives what a stream is to write since the last call.
func sent(s *Stream) string {
	frames, _ := s.take()
	var all strings.Builder
	for _, f := range frames {
		all.Write(f)
	}
	return all.String()
}

func newHub(now func() time.Time) *Hub {
	p := people.New(kernel.New(kernel.Options{Now: now}), people.PasswordCost{})
	return New(p, webhooks.New(p, webhooks.Options{}), slog.New(slog.DiscardHandler))
}

func TestTheSideThatTellsNeverWaits(t *testing.T) {
	for name, c := range map[string]struct {
		piece []byte
		most  int
	}{
		"very many pieces": {[]byte(": \n\n"), maxQueue},
		"very large ones":  {make([]byte, maxWaiting/4), 4},
	} {
		t.Run(name, func(t *testing.T) {
			s := person(t, newHub(nil), kernel.Company{ID: kernel.NewID()}, "Ana")
			for range c.most {
				s.push(c.piece)
			}
			testkit.Equal(t, "ended when its queue is full", s.ended(), false)
			s.push(c.piece)
			testkit.Equal(t, "ended by one more", s.ended(), true)
			frames, open := s.take()
			testkit.Equal(t, "pieces to write", len(frames), 0)
			testkit.Equal(t, "open", open, false)
		})
	}
}

func TestTheLastPieceReplacesWhatWaits(t *testing.T) {
	s := person(t, newHub(nil), kernel.Company{ID: kernel.NewID()}, "Ana")
	s.push([]byte("an event"))
	s.end([]byte("the end"))
	s.push([]byte("another event"))
	testkit.Equal(t, "sent", sent(s), "the end")
}

func TestOneStreamTooManyEndsTheOldest(t *testing.T) {
	h, c := newHub(nil), kernel.Company{ID: kernel.NewID()}
	var streams []*Stream
	for range perMember + 1 {
		s := person(t, h, c, "Ana")
		s.person = kernel.ID{15: 9}
		streams = append(streams, s)
	}
	streams[0].company.replace(oldest(streams[0].company.streamsOf(kernel.ID{15: 9})))
	for i, s := range streams {
		testkit.Equal(t, "ended", s.ended(), i == 0)
	}
	testkit.Contains(t, "the last piece", sent(streams[0]), `event: session`+"\n"+`data: {"state":"replaced"}`)
}

func TestASignalReachesTheStreamsOfItsCompanyThatMaySeeTheConversation(t *testing.T) {
	h, c := newHub(nil), kernel.Company{ID: kernel.NewID()}
	all := person(t, h, c, "Ana")
	own := person(t, h, c, "Bia")
	own.principal.Profile = kernel.AccessOwn
	stranger := person(t, h, kernel.Company{ID: kernel.NewID()}, "Caio")
	conversation := kernel.NewID()
	to := kernel.Audience{Seeing: &kernel.Visibility{Channel: kernel.NewID()}}
	h.receive(kernel.NewSignal("changed", c.ID, to, map[string]kernel.ID{"conversation": conversation}))
	quiet := kernel.NewSignal("between nodes", c.ID, to, nil)
	quiet.Quiet = true
	h.receive(quiet)
	testkit.Equal(t, "sent to a member who sees all", sent(all), "event: changed\ndata: {\"conversation\":\""+conversation.String()+"\"}\n\n")
	testkit.Equal(t, "sent to a member who sees only their own", sent(own), "")
	testkit.Equal(t, "sent to another company", sent(stranger), "")
}

func TestTheStreamsOfAnotherNodeCountUntilItIsSilentForThreeMinutes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o, member := &others{}, kernel.NewID()
		o.put(member, kernel.NewID(), elsewhere{kernel.NewID(), []kernel.ID{kernel.NewID()}, time.Now()})
		time.Sleep(othersLast - time.Second)
		testkit.Equal(t, "streams elsewhere", len(o.of(member)), 1)
		testkit.Equal(t, "members", len(o.members()), 1)
		time.Sleep(time.Second)
		testkit.Equal(t, "streams elsewhere after three minutes", len(o.of(member)), 0)
		testkit.Equal(t, "members after three minutes", len(o.members()), 0)
	})
}

func TestAStoppingHubTakesNoMoreStreams(t *testing.T) {
	h, c := newHub(nil), kernel.Company{ID: kernel.NewID()}
	s := person(t, h, c, "Ana")
	h.Close()
	testkit.Equal(t, "ended", s.ended(), true)
	testkit.Equal(t, "code", kernel.CodeOf(h.add(&Stream{}, c)), kernel.CodeRateLimited)
}

func TestASignalHasOnlyTheStreamsOfItsCompanyLookedAt(t *testing.T) {
	h, company := newHub(nil), kernel.NewID()
	for _, kind := range []string{people.SignalHolders, people.SignalPresence} {
		h.receive(kernel.Signal{Kind: kind, Company: company})
		due := h.takeDue()
		testkit.Equal(t, kind+": companies to look at", len(due), 1)
		testkit.Equal(t, kind+": the company is one", due[company], true)
	}
}
