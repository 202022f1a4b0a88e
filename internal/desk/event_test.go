package desk

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"recado/internal/model"
	"recado/internal/slots"
	"recado/internal/store"
	"recado/internal/testkit"
)

// raise records an event about a conversation, a board, or neither, in a transaction of its own.
func (o *fixture) raise(t *testing.T, d *Desk, kind model.EventType, conversation, board *model.ID, before ...func()) {
	t.Helper()
	_, err := write(t.Context(), d, func(tx *store.Tx) (struct{}, error) {
		err := d.record(tx, store.Event{Company: o.company.ID, Type: kind, Conversation: conversation, Board: board}, func(b []byte) ([]byte, error) { return append(b, `{"n":1}`...), nil })
		if err == nil {
			_, err = tx.Count(store.CountWebhooks, model.NewID()) // sends the statements, so that the transaction has its place
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

// all follows the feed to its end.
func (o *fixture) all(t *testing.T, d *Desk, a *Principal, after string, types model.EventSet, limit int) (bodies []string, next string) {
	t.Helper()
	for {
		page, err := d.Events(t.Context(), a, FeedQuery{After: after, Types: types, Limit: limit})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range page.Events {
			bodies = append(bodies, string(e.Body))
		}
		after = page.Next
		if !page.More {
			return bodies, after
		}
	}
}

// settled waits until the feed has n events after a cursor: on PostgreSQL an older transaction of the
// background can hold them back for a moment.
func (o *fixture) settled(t *testing.T, d *Desk, after string, n int) {
	t.Helper()
	for t.Context().Err() == nil {
		if bodies, _ := o.all(t, d, o.owner, after, model.EveryEvent, 100); len(bodies) == n {
			return
		}
		runtime.Gosched()
	}
}

func TestFeed(t *testing.T) {
	eachFixture(t, func(t *testing.T, o *fixture) {
		d := o.nodes[0]
		mine, others, queued := o.customer(t, 1), o.customer(t, 2), o.customer(t, 3)
		sector := model.NewID()
		if err := o.change(t.Context(), d, mine, func(th *lockedConversation) error { th.Assignee = &o.owner.User.ID; return nil }); err != nil {
			t.Fatal(err)
		}
		if err := o.change(t.Context(), d, queued, func(th *lockedConversation) error { th.Sector = &sector; return nil }); err != nil {
			t.Fatal(err)
		}
		o.settled(t, d, "", 2)
		_, start := o.all(t, d, o.owner, "", model.EveryEvent, 30)
		board, secret := model.NewID(), model.NewID()
		for range 3 {
			o.raise(t, d, model.EventMessageSent, &mine, nil)
			o.raise(t, d, model.EventMessageReceived, &others, nil)
			o.raise(t, d, model.EventMessageReceived, &queued, nil)
			o.raise(t, d, model.EventCardCreated, nil, &board)
			o.raise(t, d, model.EventCardMoved, nil, &secret)
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

		t.Run("gives everything once, whatever the page", func(t *testing.T) {
			for _, limit := range []int{1, 4, 15, 100} {
				bodies, _ := o.all(t, d, o.owner, start, model.EveryEvent, limit)
				if got := fmt.Sprint(about(bodies)); got != "map[kanban.card.created:3 kanban.card.moved:3 message.received:6 message.sent:3]" {
					t.Fatalf("limit %d: %s", limit, got)
				}
			}
		})
		t.Run("gives only the types asked for, and moves past the others", func(t *testing.T) {
			types := model.NewEventSet(model.EventCardMoved)
			bodies, end := o.all(t, d, o.owner, start, types, 2)
			testkit.Equal(t, "about(bodies)", fmt.Sprint(about(bodies)), "map[kanban.card.moved:3]")
			if again, _ := o.all(t, d, o.owner, end, model.EveryEvent, 2); len(again) != 0 {
				t.Fatalf("want number of again == 0; got %+v", again)
			}
		})
		t.Run("shows a key what it may see", func(t *testing.T) {
			for _, c := range []struct {
				profile model.AccessProfile
				boards  []model.ID
				want    string
			}{
				{model.AccessAll, []model.ID{board}, "map[kanban.card.created:3 message.received:6 message.sent:3]"},
				{model.AccessSectors, nil, "map[kanban.card.created:3 kanban.card.moved:3 message.received:3 message.sent:3]"},
				{model.AccessOwn, []model.ID{}, "map[message.sent:3]"},
			} {
				a := *o.owner
				a.Profile, a.Boards, a.Sectors = c.profile, c.boards, []model.ID{sector}
				if bodies, _ := o.all(t, d, &a, start, model.EveryEvent, 4); fmt.Sprint(about(bodies)) != c.want {
					t.Errorf("want about(bodies) == c.want; got %+v, %+v", c.profile, about(bodies))
				}
			}
		})
		t.Run("takes its own cursors alone", func(t *testing.T) {
			for _, cursor := range []string{"x", start + "x", strings.ToUpper(start)} {
				if _, err := d.Events(t.Context(), o.owner, FeedQuery{After: cursor, Types: model.EveryEvent, Limit: 1}); model.CodeOf(err) != model.CodeInvalidCursor {
					t.Errorf("want model.CodeOf(err) == model.CodeInvalidCursor; got %+v, %+v", cursor, err)
				}
			}
			b := *o.owner
			b.Company.ID = model.NewID()
			if _, err := d.Events(t.Context(), &b, FeedQuery{After: start, Types: model.EveryEvent, Limit: 1}); model.CodeOf(err) != model.CodeInvalidCursor {
				t.Error(err)
			}
		})
		t.Run("refuses a cursor from a later life of the database", func(t *testing.T) {
			cursor := d.feedCursor(o.owner, 1<<40, model.NewID())
			if _, err := d.Events(t.Context(), o.owner, FeedQuery{After: cursor, Types: model.EveryEvent, Limit: 1}); model.CodeOf(err) != model.CodeInvalidCursor {
				t.Error(err)
			}
		})
		t.Run("its end lies behind everything so far", func(t *testing.T) {
			end, err := d.FeedEnd(t.Context(), o.owner)
			if err != nil {
				t.Fatal(err)
			}
			o.raise(t, d, model.EventAttendanceOpened, &mine, nil)
			o.settled(t, d, end, 1)
			if bodies, _ := o.all(t, d, o.owner, end, model.EveryEvent, 30); fmt.Sprint(about(bodies)) != "map[attendance.opened:1]" {
				t.Fatalf(`want about(bodies) == "map[attendance.opened:1]"; got %+v`, bodies)
			}
		})
		t.Run("forgets what is older than fourteen days", func(t *testing.T) {
			d.now = func() time.Time { return time.Now().Add(15 * 24 * time.Hour) }
			defer func() { d.now = time.Now }()
			for more := true; more; {
				var err error
				if more, err = write(t.Context(), d, func(tx *store.Tx) (bool, error) {
					tx.Now = d.now()
					n, err := tx.PurgeEvents(tx.Now.Add(-model.EventRetention), 5)
					return n > 0, err
				}); err != nil {
					t.Fatal(err)
				}
			}
			if bodies, _ := o.all(t, d, o.owner, "", model.EveryEvent, 30); len(bodies) != 0 {
				t.Fatalf("want number of bodies == 0; got %+v", bodies)
			}
		})
	})
}

// A reader that follows the feed while many write, some of them slowly, must see every event: those
// that commit late must not end up behind it.
func TestTheFeedSkipsNothingWhileManyWrite(t *testing.T) {
	eachFixture(t, func(t *testing.T, o *fixture) {
		const writers, events = 8, 40
		var writing sync.WaitGroup
		var committed, finished atomic.Int64
		for w := range writers {
			d := o.nodes[w%2]
			writing.Go(func() {
				for range events {
					o.raise(t, d, model.EventMessageSent, nil, nil, func() {
						// The first writer stays open until others that began later are through.
						for then := committed.Load(); w == 0 && !d.System().SingleNode() && committed.Load() < then+5 && finished.Load() < writers-1; {
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
			bodies, after = o.all(t, o.nodes[0], o.owner, after, model.EveryEvent, 7)
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

func TestAnEventIsEncodedOnceForAllStreamsOfACompany(t *testing.T) {
	eachFixture(t, func(t *testing.T, o *fixture) {
		d := o.nodes[0]
		start, err := d.FeedEnd(t.Context(), o.owner)
		if err != nil {
			t.Fatal(err)
		}
		o.raise(t, d, model.EventMessageSent, nil, nil)
		o.settled(t, d, start, 1)
		changed, err := d.FeedChanged(t.Context(), o.owner)
		if err != nil {
			t.Fatal(err)
		}
		const streams = 50
		got := make([]FeedPage, streams)
		var all sync.WaitGroup
		for i := range got {
			all.Go(func() {
				var err error
				if got[i], err = d.Follow(t.Context(), o.owner, start, model.EveryEvent, changed, time.Time{}); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		for i := range got {
			if len(got[i].Events) != 1 || &got[i].Events[0].Body[0] != &got[0].Events[0].Body[0] {
				t.Fatalf("stream %d has %d events, want 1 that it shares with the first stream", i, len(got[i].Events))
			}
		}
		t.Run("and each gets only what it may see and asked for", func(t *testing.T) {
			types := model.NewEventSet(model.EventMessageReceived)
			page, err := d.Follow(t.Context(), o.owner, start, types, changed, time.Time{})
			if err != nil || len(page.Events) != 0 || page.Next != got[0].Next {
				t.Errorf("%d events, next %q, %v; want none, and the place behind the event", len(page.Events), page.Next, err)
			}
		})
	})
}

func TestAPageOfTheFeedLooksFarInASlotOnly(t *testing.T) {
	eachFixture(t, func(t *testing.T, o *fixture) {
		d := o.nodes[0]
		start, err := d.FeedEnd(t.Context(), o.owner)
		if err != nil {
			t.Fatal(err)
		}
		_, err = write(t.Context(), d, func(tx *store.Tx) (struct{}, error) {
			for range feedWindow + 10 {
				err := d.record(tx, store.Event{Company: o.company.ID, Type: model.EventMessageSent}, func(b []byte) ([]byte, error) { return append(b, `{}`...), nil })
				if err != nil {
					return struct{}{}, err
				}
			}
			return struct{}{}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		o.raise(t, d, model.EventCardMoved, nil, nil)
		o.settled(t, d, start, feedWindow+11)
		moved := model.NewEventSet(model.EventCardMoved)
		page, err := d.Events(t.Context(), o.owner, FeedQuery{After: start, Types: moved, Limit: 30})
		if err != nil || len(page.Events) != 1 || page.More || page.Still {
			t.Fatalf("with a slot: got %d events, more %t, still %t, error %v; want the 1 event at the end", len(page.Events), page.More, page.Still, err)
		}
		end := page.Next
		d.feeds.slots = slots.New[model.ID](0, 0)
		page, err = d.Events(t.Context(), o.owner, FeedQuery{After: start, Types: moved, Limit: 30})
		if err != nil || len(page.Events) != 0 || !page.More || page.Still || page.Next == start {
			t.Fatalf("without a slot: got %d events, more %t, still %t, error %v; want none and a place further on", len(page.Events), page.More, page.Still, err)
		}
		page, err = d.Events(t.Context(), o.owner, FeedQuery{After: page.Next, Types: moved, Limit: 30})
		if err != nil || len(page.Events) != 1 || page.More || page.Next != end {
			t.Errorf("from that place: got %d events, more %t, next %q, error %v; want the 1 event at %q", len(page.Events), page.More, page.Next, err, end)
		}
		if bodies, _ := o.all(t, d, o.owner, start, model.EveryEvent, 100); len(bodies) != feedWindow+11 {
			t.Errorf("all events without a slot: got %d, want %d", len(bodies), feedWindow+11)
		}
	})
}
