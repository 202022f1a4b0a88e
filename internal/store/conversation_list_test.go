package store

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"recado/internal/model"
	"recado/internal/store/search"
	"recado/internal/testkit"
)

// eachDesk runs body on both engines with the real schema.
func eachDesk(t *testing.T, body func(t *testing.T, s *Store)) {
	t.Helper()
	bothPlaces(t, func(t *testing.T, o Options) {
		s, err := Open(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
		body(t, s)
	})
}

// insertCompany adds a company with labels.
func insertCompany(tx *Tx, company model.ID, labels ...model.ID) error {
	tx.InsertCompany(model.Company{ID: company, Name: "Padaria", Timezone: model.DefaultZone}, model.AttendanceRules{Mode: model.ModeLiberal})
	for i, label := range labels {
		if _, err := tx.InsertLabel(company, model.Label{ID: label, Name: strconv.Itoa(i), Color: "#000000"}); err != nil {
			return err
		}
	}
	return nil
}

// fixture is a company with a few of everything that conversations refer to.
type fixture struct {
	company                            model.ID
	channels, members, sectors, labels []model.ID
	all                                []model.Conversation
}

func newFixture(t *testing.T, s *Store) *fixture {
	t.Helper()
	w := &fixture{company: model.NewID(), channels: newIDs(3), members: newIDs(3), sectors: newIDs(3), labels: newIDs(3)}
	mustWrite(t, s, func(tx *Tx) error { return insertCompany(tx, w.company, w.labels...) })
	return w
}

func newIDs(n int) []model.ID {
	ids := make([]model.ID, n)
	for i := range ids {
		ids[i] = model.NewID()
	}
	return ids
}

func mustWrite(t *testing.T, s *Store, fn func(tx *Tx) error) {
	t.Helper()
	if err := s.Write(context.Background(), fn); err != nil {
		t.Fatal(err)
	}
}

func mustRead(t *testing.T, s *Store, fn func(tx *Tx) error) {
	t.Helper()
	if err := s.Read(context.Background(), fn); err != nil {
		t.Fatal(err)
	}
}

// people adds n conversations of every sort.
func (w *fixture) people(t *testing.T, s *Store, random *rand.Rand, n int) {
	t.Helper()
	words := []string{"João", "ANA", "Straße", "100%", "a_b", "pão de queijo", "Zoë", `back\slash`, `"quoted"`, "Иван", "x"}
	pick := func(ids []model.ID) *model.ID {
		if i := random.IntN(len(ids) + 1); i < len(ids) {
			return &ids[i]
		}
		return nil
	}
	mustWrite(t, s, func(tx *Tx) error {
		for range n {
			at := time.UnixMilli(1_700_000_000_000 + random.Int64N(50)).UTC() // many at the same moment
			phone := "+55119" + strconv.Itoa(10_000_000+random.IntN(90_000_000))
			text := words[random.IntN(len(words))] + " " + words[random.IntN(len(words))]
			c := model.Conversation{
				ID: model.NewID(), Company: w.company, Channel: w.channels[random.IntN(3)], Private: random.IntN(8) == 0,
				Kind: model.KindDirect, Name: words[random.IntN(len(words))] + " " + words[random.IntN(len(words))], Phone: &phone,
				Sequence: 1, CreatedAt: at, UpdatedAt: at,
			}
			if random.IntN(5) == 0 {
				group := c.ID.String()
				c.Kind, c.GroupID, c.Phone = model.KindGroup, &group, nil
			} else {
				contact := model.NewID()
				c.Contact = &contact
			}
			if _, err := tx.InsertConversation(&c); err != nil {
				return err
			}
			c.Assignee, c.Sector = pick(w.members), pick(w.sectors)
			c.Archived, c.Pinned, c.UnreadCount = random.IntN(3) == 0, random.IntN(6) == 0, random.Int64N(2)
			c.Unread, c.Muted = c.UnreadCount > 0, random.IntN(3) == 0
			if random.IntN(3) == 0 {
				c.Attendance = &model.OpenAttendance{ID: model.NewID(), Number: 1, OpenedAt: at}
			}
			if since := at.Add(-time.Duration(random.IntN(5)) * time.Millisecond); random.IntN(2) == 0 {
				c.SetWaiting(&since)
			}
			if random.IntN(4) == 0 {
				c.SnoozedUntil = &at
			}
			if random.IntN(4) > 0 {
				c.LastMessage = &model.LastMessage{ID: model.NewID(), Type: model.TypeText, Text: &text, Direction: model.Inbound, CreatedAt: at.Add(time.Duration(random.IntN(20)) * time.Millisecond)}
				c.ActivityAt = c.LastMessage.CreatedAt
			}
			if label := pick(w.labels); label != nil {
				c.LabelIDs = []model.ID{*label}
				tx.SetConversationLabels(c.ID, c.LabelIDs)
			}
			tx.SaveConversation(&c, PartInbox|PartSettings)
			w.all = append(w.all, c)
		}
		return nil
	})
}

// rename changes the text of some conversations, whose old text may be in the index.
func (w *fixture) rename(t *testing.T, s *Store, random *rand.Rand) {
	t.Helper()
	mustWrite(t, s, func(tx *Tx) error {
		for range 30 {
			c := &w.all[random.IntN(len(w.all))]
			c.Name = w.all[random.IntN(len(w.all))].Name
			tx.SaveConversation(c, PartInbox|PartSettings)
		}
		return nil
	})
}

// lists is the list in plain Go.
func (w *fixture) lists(f ConversationFilter) (ids []model.ID, more bool) {
	var kept []model.Conversation
	for _, c := range w.all {
		if w.shows(&f, &c) {
			kept = append(kept, c)
		}
	}
	slices.SortFunc(kept, func(a, b model.Conversation) int {
		if since, other := a.WaitingSince(), b.WaitingSince(); f.OldestWaiting && (since != nil || other != nil) {
			switch {
			case other == nil:
				return -1
			case since == nil:
				return 1
			}
			return cmp.Or(since.Compare(*other), slices.Compare(a.ID[:], b.ID[:]))
		}
		if a.Pinned != b.Pinned && f.Status == "" && !f.OldestWaiting {
			if a.Pinned {
				return -1
			}
			return 1
		}
		return cmp.Or(activity(b).Compare(activity(a)), slices.Compare(b.ID[:], a.ID[:]))
	})
	if f.After != nil {
		kept = kept[slices.IndexFunc(kept, func(c model.Conversation) bool { return c.ID == f.After.ID })+1:]
	}
	kept = kept[min(f.Offset, len(kept)):]
	for _, c := range kept[:min(f.Limit, len(kept))] {
		ids = append(ids, c.ID)
	}
	return ids, len(kept) > f.Limit
}

func activity(c model.Conversation) time.Time {
	if c.LastMessage != nil {
		return c.LastMessage.CreatedAt
	}
	return c.CreatedAt
}

func (w *fixture) shows(f *ConversationFilter, c *model.Conversation) bool {
	is := func(field *model.ID, id model.ID) bool { return field != nil && *field == id }
	switch {
	case c.Private || c.Company != f.Company,
		f.Archived != nil && c.Archived != *f.Archived,
		f.Status != "" && c.Open() != (f.Status != model.ListClosed),
		f.Status == model.ListWaiting && (c.Attendance == nil || c.Assignee != nil),
		f.Snoozed != nil && (c.SnoozedUntil != nil) != *f.Snoozed,
		f.Snoozed == nil && c.SnoozedUntil != nil && (f.Status == model.ListOpen || f.Status == model.ListWaiting),
		f.Unread && !c.Unread,
		f.Kind != "" && c.Kind != f.Kind,
		!f.Channel.IsZero() && c.Channel != f.Channel,
		!f.Assignee.IsZero() && !is(c.Assignee, f.Assignee),
		f.Unassigned && c.Assignee != nil,
		!f.Sector.IsZero() && !is(c.Sector, f.Sector),
		!f.Label.IsZero() && !slices.Contains(c.LabelIDs, f.Label):
		return false
	}
	if !f.Sight.All && !is(c.Assignee, f.Sight.Member) {
		if c.Sector == nil || !slices.Contains(f.Sight.Sectors, *c.Sector) {
			return false
		}
	}
	return search.NewText(f.Q).In(conversationText(c))
}

func TestConversationsListsWhatTheFiltersLetThrough(t *testing.T) {
	eachDesk(t, func(t *testing.T, s *Store) {
		random := rand.New(rand.NewPCG(7, 7))
		w, other := newFixture(t, s), newFixture(t, s)
		w.people(t, s, random, 150)
		other.people(t, s, random, 30)
		texts := []string{"", "", "", "joao", "JOÃO", "ana", "strasse", "100%", "a_b", "%", "_", `\`, `k\s`, `"quo`, "иван", "x", "zo", "queijo joao", "nowhere", "   ", "+5511", "(11) 9", "11 9 1", "119"}
		flags := []*bool{nil, nil, new(bool), ptr(true)}
		one := func(ids []model.ID) model.ID {
			if i := random.IntN(2 * len(ids)); i < len(ids) {
				return ids[i]
			}
			return model.ID{}
		}
		for round := range 4 {
			for range 150 {
				f := ConversationFilter{
					Company: w.company, Q: texts[random.IntN(len(texts))], Archived: flags[random.IntN(len(flags))], Unread: random.IntN(3) == 0,
					Kind: []string{"", "", model.KindDirect, model.KindGroup}[random.IntN(4)], Channel: one(w.channels), Sector: one(w.sectors), Label: one(w.labels),
					Limit: 1 + random.IntN(20), Offset: random.IntN(2) * random.IntN(30), Sight: Sight{All: true},
					Status: []string{"", "", model.ListOpen, model.ListWaiting, model.ListClosed}[random.IntN(5)], OldestWaiting: random.IntN(3) == 0,
				}
				if random.IntN(3) == 0 {
					f.Snoozed = flags[random.IntN(len(flags))]
				}
				switch random.IntN(4) {
				case 0:
					f.Assignee = one(w.members)
				case 1:
					f.Unassigned = true
				}
				switch random.IntN(3) {
				case 0:
					f.Sight = Sight{Member: w.members[0]}
				case 1:
					f.Sight = Sight{Member: w.members[1], Sectors: w.sectors[:1+random.IntN(2)]}
				}
				if all := f; random.IntN(2) == 0 && f.Q == "" {
					all.Limit, all.Offset, f.Offset = 1000, 0, 0
					if ids, _ := w.lists(all); len(ids) > 0 {
						last := ids[random.IntN(len(ids))]
						at := slices.IndexFunc(w.all, func(c model.Conversation) bool { return c.ID == last })
						f.After = ptr(f.PlaceOf(&w.all[at]))
					}
				}
				varyBudgets(t, random)
				want, wantMore := w.lists(f)
				mustRead(t, s, func(tx *Tx) error {
					near := f
					near.Near = true
					page, more, err := tx.Conversations(near)
					if errors.Is(err, ErrFar) {
						page, more, err = tx.Conversations(f)
					}
					if err != nil {
						return err
					}
					got := make([]model.ID, len(page))
					for i := range page {
						got[i] = page[i].ID
					}
					if !slices.Equal(got, want) || more != wantMore {
						t.Fatalf("round %d, %+v:\n got %d %v %v\nwant %d %v %v", round, f, len(got), got, more, len(want), want, wantMore)
					}
					return nil
				})
			}
			mustWrite(t, s, func(tx *Tx) error {
				_, err := tx.IndexText(60 * (1 + round)) // in part: the search has to look in both places
				return err
			})
			w.rename(t, s, random)
		}
	})
}

func ptr[T any](v T) *T { return &v }

func TestPostgreSQLWritesTheRowOfAConversationOnceHoweverMuchOfItChanged(t *testing.T) {
	s, err := Open(t.Context(), Options{DatabaseURL: testkit.Database(t, "")})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	w := newFixture(t, s)
	w.people(t, s, rand.New(rand.NewPCG(1, 2)), 1)
	mustWrite(t, s, func(tx *Tx) error {
		updates := func() (n int64) {
			_, err := tx.one(`SELECT n_tup_upd FROM pg_stat_xact_user_tables WHERE relname = 'conversations'`, nil, func(r Row) { n = r.Int(0) })
			if err != nil {
				t.Error(err)
			}
			return n
		}
		before := updates()
		tx.SaveConversation(&w.all[0], PartInbox|PartSettings|PartMenu)
		testkit.Equal(t, "versions of the row", updates()-before, 1)
		return nil
	})
}

func TestFiltersThatLetNothingThroughTogetherReadFewRowsOfTheList(t *testing.T) {
	eachDesk(t, func(t *testing.T, s *Store) {
		w := newFixture(t, s)
		w.talks(t, s, 60, time.Second) // every third is archived and has the first channel
		few = 10
		t.Cleanup(func() { few = 2000 })
		archived := true
		for name, c := range map[string]struct {
			f   ConversationFilter
			far bool
		}{
			"disjoint filters":                   {ConversationFilter{Archived: &archived, Channel: w.channels[1]}, true},
			"disjoint filters, by status":        {ConversationFilter{Archived: &archived, Channel: w.channels[1], Status: model.ListClosed}, true},
			"disjoint filters, by waiting":       {ConversationFilter{Archived: &archived, Channel: w.channels[1], OldestWaiting: true}, true},
			"disjoint filters with few rows":     {ConversationFilter{Archived: &archived, Channel: w.channels[1], Label: w.labels[0]}, false},
			"filters that fill the page at once": {ConversationFilter{Archived: &archived, Channel: w.channels[0]}, false},
			"one filter":                         {ConversationFilter{Archived: &archived}, false},
			"no filter":                          {ConversationFilter{}, false},
		} {
			c.f.Company, c.f.Sight, c.f.Limit = w.company, Sight{All: true}, 2
			want, _ := w.lists(c.f)
			mustRead(t, s, func(tx *Tx) error {
				near := c.f
				near.Near = true
				if page, _, err := tx.Conversations(near); errors.Is(err, ErrFar) != c.far || err == nil && len(page) != len(want) {
					t.Errorf("%s: got %d rows and error %v, want %d rows or, where it is far (%t), ErrFar", name, len(page), err, len(want), c.far)
				}
				page, _, err := tx.Conversations(c.f)
				if len(page) != len(want) {
					t.Errorf("%s, read to the end: got %d rows, want %d", name, len(page), len(want))
				}
				return err
			})
		}
	})
}

func TestALabelAndAChannelThatShareNoContactReadFewContacts(t *testing.T) {
	eachDesk(t, func(t *testing.T, s *Store) {
		w := newFixture(t, s)
		mustWrite(t, s, func(tx *Tx) error {
			for i := range 60 {
				c := model.Contact{ID: model.NewID(), Company: w.company, Pool: w.company, Name: "Ana", Channel: &w.channels[i%2]}
				if _, err := tx.InsertContact(&c); err != nil {
					return err
				}
				tx.SetContactLabels(c.ID, []model.ID{w.labels[i%2]})
			}
			return nil
		})
		few = 10
		t.Cleanup(func() { few = 2000 })
		for name, c := range map[string]struct {
			f    ContactFilter
			far  bool
			want int
		}{
			"disjoint":           {ContactFilter{Label: w.labels[1], Channel: w.channels[0]}, true, 0},
			"the page is full":   {ContactFilter{Label: w.labels[0], Channel: w.channels[0]}, false, 5},
			"a label of none":    {ContactFilter{Label: w.labels[2], Channel: w.channels[0]}, false, 0},
			"a channel with few": {ContactFilter{Label: w.labels[0], Channel: w.channels[2]}, false, 0},
			"a label":            {ContactFilter{Label: w.labels[0]}, false, 5},
			"a channel":          {ContactFilter{Channel: w.channels[0]}, false, 5},
		} {
			c.f.Company, c.f.Limit = w.company, 5
			mustRead(t, s, func(tx *Tx) error {
				near := c.f
				near.Near = true
				if page, _, err := tx.Contacts(near); errors.Is(err, ErrFar) != c.far || err == nil && len(page) != c.want {
					t.Errorf("%s: got %d rows and error %v, want %d rows or, where it is far (%t), ErrFar", name, len(page), err, c.want, c.far)
				}
				page, _, err := tx.Contacts(c.f)
				if len(page) != c.want {
					t.Errorf("%s, read to the end: got %d rows, want %d", name, len(page), c.want)
				}
				return err
			})
		}
	})
}
