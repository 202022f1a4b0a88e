package talk

import (
	"testing"
	"time"

	"recado/internal/kernel"
)

func TestTheLatestReactionOfAPersonCounts(t *testing.T) {
	at := func(s int64) time.Time { return time.Unix(s, 0) }
	ana, rui := kernel.NewID(), kernel.NewID()
	var rs Reactions
	for i, step := range []struct {
		r       Reaction
		changed bool
		shown   string
	}{
		{Reaction{Emoji: "a", By: ByCustomer, Contact: &ana, At: at(1)}, true, "a"},
		{Reaction{Emoji: "a", By: ByCustomer, Contact: &ana, At: at(1)}, false, "a"},
		{Reaction{Emoji: "b", By: ByCustomer, Contact: &ana, At: at(1)}, true, "b"}, // same time, arrived later
		{Reaction{Emoji: "c", By: ByCustomer, Contact: &rui, At: at(1)}, true, "bc"},
		{Reaction{By: ByCustomer, Contact: &ana, At: at(5)}, true, "c"},
		{Reaction{Emoji: "d", By: ByCustomer, Contact: &ana, At: at(4)}, false, "c"},
		{Reaction{Emoji: "e", By: ByTeam, At: at(4)}, true, "ce"},
		{Reaction{Emoji: "f", By: ByTeam, User: &kernel.Ref{ID: rui}, At: at(6)}, true, "cf"},
	} {
		if changed := rs.Set(step.r); changed != step.changed {
			t.Errorf("step %d: changed %t, want %t", i, changed, step.changed)
		}
		shown := ""
		for _, r := range rs {
			shown += r.Emoji
		}
		if shown != step.shown {
			t.Errorf("step %d: %q, want %q", i, shown, step.shown)
		}
	}
}
