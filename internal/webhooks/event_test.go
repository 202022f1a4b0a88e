package webhooks

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"recado/internal/boards"
	"recado/internal/channels"
	"recado/internal/kernel"
	"recado/internal/people"
	"recado/internal/talk"
	"recado/test/kerneltest"
	"recado/test/testkit"
)

// node is one of the processes on a database.
type node struct {
	*Webhooks
	talk *talk.Talk
}

// office is a company with an owner and a channel, on nodes of one database.
type office struct {
	nodes   []*node
	company kernel.Company
	owner   *kernel.Principal
	channel kernel.ID
}

func eachOffice(t *testing.T, body func(t *testing.T, o *office)) {
	kerneltest.Each(t, func(t *testing.T, open func() *kernel.Store) {
		o := &office{}
		for range 2 {
			p := people.New(kernel.New(kernel.Options{Store: open()}), people.PasswordCost{Memory: 64, Passes: 1})
			c := channels.New(p, nil)
			o.nodes = append(o.nodes, &node{New(p, Options{}), talk.New(c, p, nil)})
			if o.owner != nil {
				continue
			}
			company, err := p.CreateCompany(t.Context(), people.NewCompany{Name: "Padaria", Rules: people.DefaultRules})
			if err != nil {
				t.Fatal(err)
			}
			_, err = p.CreateUser(t.Context(), company.ID, people.NewUser{Name: "Ana", Email: "ana@padaria.example", Role: kernel.RoleOwner, AccessProfile: kernel.AccessAll})
			if err != nil {
				t.Fatal(err)
			}
			if o.owner, err = p.Operator(t.Context(), company.ID); err != nil {
				t.Fatal(err)
			}
			ch, err := c.CreateChannel(t.Context(), o.owner, channels.NewChannel{Name: "Sandbox", Phone: "+551130000000", Provider: channels.ProviderSandbox})
			if err != nil {
				t.Fatal(err)
			}
			o.company, o.channel = company, ch.ID
		}
		body(t, o)
	})
}

// customer creates a conversation without a message.
func (o *office) customer(t *testing.T, n int) kernel.ID {
	t.Helper()
	group := fmt.Sprint("group ", n)
	c := talk.Conversation{ID: kernel.NewID(), Company: o.company.ID, Channel: o.channel, Kind: talk.KindGroup, Name: group, GroupID: &group}
	kerneltest.Write(t, o.nodes[0].Store, func(tx *kernel.Tx) error {
		c.CreatedAt = tx.Now
		_, err := talk.InsertConversation(tx, &c)
		return err
	})
	return c.ID
}

// change changes one conversation in a transaction.
func (o *office) change(ctx context.Context, d *node, conversation kernel.ID, change func(t *talk.LockedConversation) error) error {
	return d.Store.Write(ctx, func(tx *kernel.Tx) error {
		t, err := d.talk.Lock(tx, o.owner, conversation)
		if err == nil {
			err = change(t)
		}
		if err == nil {
			err = t.Save()
		}
		return err
	})
}

// raise records an event about a conversation, a board, or neither, in a separate transaction.
func (o *office) raise(t *testing.T, d *node, kind kernel.EventType, conversation, board *kernel.ID, before ...func()) {
	t.Helper()
	_, err := kernel.Write(t.Context(), d.Kernel, func(tx *kernel.Tx) (struct{}, error) {
		err := d.Record(tx, kernel.Event{Company: o.company.ID, Type: kind, Conversation: conversation, Board: board}, map[string]any{"n": 1})
		if err == nil {
			_, err = tx.Count(countWebhooks, kernel.NewID()) // sends the statements, so that the transaction has its place
		}
		for _, f := range before {
			f()
		}
		return struct{}{}, err
	})
	if err != nil {
		t.Error(err)
	}
}

// all reads the feed to its end.
func (o *office) all(t *testing.T, d *node, a *kernel.Principal, after string, types kernel.EventSet, limit int) (bodies []string, next string) {
	t.Helper()
	for {
		page, err := d.Events(t.Context(), a, FeedQuery{After: after, Types: types, Limit: limit})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range page.Events {
			bodies = append(bodies, string(e))
		}
		after = page.Next
		if !page.More {
			return bodies, after
		}
	}
}

// settled waits until the feed has n events after a cursor. On PostgreSQL an older background transaction can delay them.
func (o *office) settled(t *testing.T, d *node, after string, n int) {
	t.Helper()
	for t.Context().Err() == nil {
		if bodies, _ := o.all(t, d, o.owner, after, kernel.EveryEvent, 100); len(bodies) == n {
			return
		}
		runtime.Gosched()
	}
}

func TestFeed(t *testing.T) {
	eachOffice(t, func(t *testing.T, o *office) {
		d := o.nodes[0]
		mine, others, queued := o.customer(t, 1), o.customer(t, 2), o.customer(t, 3)
		sector := kernel.NewID()
		if err := o.change(t.Context(), d, mine, func(th *talk.LockedConversation) error { th.Assignee = &o.owner.User.ID; return nil }); err != nil {
			t.Fatal(err)
		}
		if err := o.change(t.Context(), d, queued, func(th *talk.LockedConversation) error { th.Sector = &sector; return nil }); err != nil {
			t.Fatal(err)
		}
		o.settled(t, d, "", 2)
		_, start := o.all(t, d, o.owner, "", kernel.EveryEvent, 30)
		board, secret := kernel.NewID(), kernel.NewID()
		for range 3 {
			o.raise(t, d, talk.EventMessageSent, &mine, nil)
			o.raise(t, d, talk.EventMessageReceived, &others, nil)
			o.raise(t, d, talk.EventMessageReceived, &queued, nil)
			o.raise(t, d, boards.EventCardCreated, nil, &board)
			o.raise(t, d, boards.EventCardMoved, nil, &secret)
		}
		o.settled(t, d, start, 15)
		about := func(bodies []string) map[string]int {
			n := map[string]int{}
			for _, b := range bodies {
				kind, _, _ := strings.Cut(strings.SplitN(b, `"type":"`, 2)[1], `"`)
				n[kind]++
			}
			return n
		}

		t.Run("returns every event once with any page size", func(t *testing.T) {
			for _, limit := range []int{1, 4, 15, 100} {
				bodies, _ := o.all(t, d, o.owner, start, kernel.EveryEvent, limit)
				if got := fmt.Sprint(about(bodies)); got != "map[kanban.card.created:3 kanban.card.moved:3 message.received:6 message.sent:3]" {
					t.Fatalf("limit %d: %s", limit, got)
				}
			}
		})
		t.Run("returns only the requested types, and moves past the others", func(t *testing.T) {
			types := kernel.NewEventSet(boards.EventCardMoved)
			bodies, end := o.all(t, d, o.owner, start, types, 2)
			testkit.Equal(t, "about(bodies)", fmt.Sprint(about(bodies)), "map[kanban.card.moved:3]")
			if again, _ := o.all(t, d, o.owner, end, kernel.EveryEvent, 2); len(again) != 0 {
				t.Fatalf("want number of again == 0; got %+v", again)
			}
		})
		t.Run("shows a key what it may see", func(t *testing.T) {
			for _, c := range []struct {
				profile kernel.AccessProfile
				boards  []kernel.ID
				want    string
			}{
				{kernel.AccessAll, []kernel.ID{board}, "map[kanban.card.created:3 message.received:6 message.sent:3]"},
				{kernel.AccessSectors, nil, "map[kanban.card.created:3 kanban.card.moved:3 message.received:3 message.sent:3]"},
				{kernel.AccessOwn, []kernel.ID{}, "map[message.sent:3]"},
			} {
				a := *o.owner
				a.Profile, a.Boards, a.Sectors = c.profile, c.boards, []kernel.ID{sector}
				if bodies, _ := o.all(t, d, &a, start, kernel.EveryEvent, 4); fmt.Sprint(about(bodies)) != c.want {
					t.Errorf("want about(bodies) == c.want; got %+v, %+v", c.profile, about(bodies))
				}
			}
		})
		t.Run("takes its own cursors alone", func(t *testing.T) {
			for _, cursor := range []string{"x", start + "x", strings.ToUpper(start)} {
				if _, err := d.Events(t.Context(), o.owner, FeedQuery{After: cursor, Types: kernel.EveryEvent, Limit: 1}); kernel.CodeOf(err) != kernel.CodeInvalidCursor {
					t.Errorf("want model.CodeOf(err) == model.CodeInvalidCursor; got %+v, %+v", cursor, err)
				}
			}
			b := *o.owner
			b.Company.ID = kernel.NewID()
			if _, err := d.Events(t.Context(), &b, FeedQuery{After: start, Types: kernel.EveryEvent, Limit: 1}); kernel.CodeOf(err) != kernel.CodeInvalidCursor {
				t.Error(err)
			}
		})
		t.Run("refuses a cursor from a later life of the database", func(t *testing.T) {
			cursor := d.LiveCursor(o.owner.Company.ID, FeedPlace{1 << 40, kernel.NewID()})
			if _, err := d.Events(t.Context(), o.owner, FeedQuery{After: cursor, Types: kernel.EveryEvent, Limit: 1}); kernel.CodeOf(err) != kernel.CodeInvalidCursor {
				t.Error(err)
			}
		})
		t.Run("its end lies behind everything so far", func(t *testing.T) {
			place, err := d.FeedStart(t.Context(), o.owner, "")
			end := d.LiveCursor(o.company.ID, place)
			if err != nil {
				t.Fatal(err)
			}
			o.raise(t, d, talk.EventAttendanceOpened, &mine, nil)
			o.settled(t, d, end, 1)
			if bodies, _ := o.all(t, d, o.owner, end, kernel.EveryEvent, 30); fmt.Sprint(about(bodies)) != "map[attendance.opened:1]" {
				t.Fatalf(`want about(bodies) == "map[attendance.opened:1]"; got %+v`, bodies)
			}
		})
		t.Run("forgets what is older than fourteen days", func(t *testing.T) {
			d.Kernel.Now = func() time.Time { return time.Now().Add(15 * 24 * time.Hour) }
			defer func() { d.Kernel.Now = time.Now }()
			for more := true; more; {
				var err error
				if more, err = kernel.Write(t.Context(), d.Kernel, func(tx *kernel.Tx) (bool, error) {
					tx.Now = d.Kernel.Now()
					n, err := tx.Exec(deleteOldEvents, tx.Now.Add(-kernel.EventRetention), 5)
					return n > 0, err
				}); err != nil {
					t.Fatal(err)
				}
			}
			if bodies, _ := o.all(t, d, o.owner, "", kernel.EveryEvent, 30); len(bodies) != 0 {
				t.Fatalf("want number of bodies == 0; got %+v", bodies)
			}
		})
	})
}

// A reader that follows the feed during many slow and fast writes must see every event, even those that commit late.
func TestTheFeedSkipsNoEventDuringConcurrentWrites(t *testing.T) {
	eachOffice(t, func(t *testing.T, o *office) {
		const writers, events = 8, 40
		var writing sync.WaitGroup
		var committed, finished atomic.Int64
		for w := range writers {
			d := o.nodes[w%2]
			writing.Go(func() {
				for range events {
					o.raise(t, d, talk.EventMessageSent, nil, nil, func() {
						// The first writer stays open until others that began later have finished.
						for then := committed.Load(); w == 0 && !d.SingleNode() && committed.Load() < then+5 && finished.Load() < writers-1; {
							runtime.Gosched()
						}
					})
					committed.Add(1)
				}
				finished.Add(1)
			})
		}
		var seen []string
		after := ""
		for last := false; ; {
			var bodies []string
			bodies, after = o.all(t, o.nodes[0], o.owner, after, kernel.EveryEvent, 7)
			seen = append(seen, bodies...)
			if last && len(seen) >= writers*events {
				break
			}
			last = finished.Load() == writers
		}
		if len(seen) != writers*events {
			t.Fatalf("%d events seen, want %d", len(seen), writers*events)
		}
		slices.Sort(seen)
		if len(slices.Compact(seen)) != writers*events {
			t.Fatal("an event came twice")
		}
		writing.Wait()
	})
}
