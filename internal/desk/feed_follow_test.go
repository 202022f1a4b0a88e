package desk

import (
	"sync"
	"testing"
	"time"

	"recado/internal/model"
)

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
