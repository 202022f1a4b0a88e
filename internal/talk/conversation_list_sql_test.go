package talk

import (
	"cmp"
	"errors"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/people"
	"recado/internal/search"
	"recado/test/kerneltest"
	"recado/test/testkit"
)

// insertCompany inserts a company with labels.
func insertCompany(tx *kernel.Tx, company kernel.ID, labels ...kernel.ID) error {
	people.InsertCompany(tx, kernel.Company{ID: company, Name: "Padaria", Timezone: kernel.DefaultZone}, people.AttendanceRules{Mode: people.ModeLiberal})
	for i, label := range labels {
		if _, err := InsertLabel(tx, company, Label{ID: label, Name: strconv.Itoa(i), Color: "#000000"}); err != nil {
			return err
		}
	}
	return nil
}

// fixture is a company with everything that conversations refer to.
type fixture struct {
	company                            kernel.ID
	channels, members, sectors, labels []kernel.ID
	all                                []Conversation
}

func newFixture(t *testing.T, s *kernel.Store) *fixture {
	t.Helper()
	w := &fixture{company: kernel.NewID(), channels: newIDs(3), members: newIDs(3), sectors: newIDs(3), labels: newIDs(3)}
	kerneltest.Write(t, s, func(tx *kernel.Tx) error { return insertCompany(tx, w.company, w.labels...) })
	return w
}

func newIDs(n int) []kernel.ID {
	ids := make([]kernel.ID, n)
	for i := range ids {
		ids[i] = kernel.NewID()
	}
	return ids
}

// people inserts n random conversations.
func (w *fixture) people(t *testing.T, s *kernel.Store, random *rand.Rand, n int) {
	t.Helper()
	words := []string{"João", "ANA", "Straße", "100%", "a_b", "pão de queijo", "Zoë", `back\slash`, `"quoted"`, "Иван", "x"}
	pick := func(ids []kernel.ID) *kernel.ID {
		if i := random.IntN(len(ids) + 1); i < len(ids) {
			return &ids[i]
		}
		return nil
	}
	kerneltest.Write(t, s, func(tx *kernel.Tx) error {
		for range n {
			at := time.UnixMilli(1_700_000_000_000 + random.Int64N(50)).UTC() // many at the same time
			phone := "+55119" + strconv.Itoa(10_000_000+random.IntN(90_000_000))
			text := words[random.IntN(len(words))] + " " + words[random.IntN(len(words))]
			c := Conversation{
				ID: kernel.NewID(), Company: w.company, Channel: w.channels[random.IntN(3)], Private: random.IntN(8) == 0,
				Kind: KindDirect, Name: words[random.IntN(len(words))] + " " + words[random.IntN(len(words))], Phone: &phone,
				Sequence: 1, CreatedAt: at, UpdatedAt: at,
			}
			if random.IntN(5) == 0 {
				group := c.ID.String()
				c.Kind, c.GroupID, c.Phone = KindGroup, &group, nil
			} else {
				contact := kernel.NewID()
				c.Contact = &contact
			}
			if _, err := InsertConversation(tx, &c); err != nil {
				return err
			}
			c.Assignee, c.Sector = pick(w.members), pick(w.sectors)
			c.Archived, c.Pinned, c.UnreadCount = random.IntN(3) == 0, random.IntN(6) == 0, random.Int64N(2)
			c.Unread, c.Muted = c.UnreadCount > 0, random.IntN(3) == 0
			if random.IntN(3) == 0 {
				c.Attendance = &OpenAttendance{ID: kernel.NewID(), Number: 1, OpenedAt: at}
			}
			if since := at.Add(-time.Duration(random.IntN(5)) * time.Millisecond); random.IntN(2) == 0 {
				c.SetWaiting(&since)
			}
			if state := []string{TargetPending, TargetWarned, TargetBreached}[random.IntN(3)]; random.IntN(2) == 0 {
				policy := kernel.NewID()
				c.SetServiceLevel(&policy, &OpenTarget{Target: TargetFirst, DueAt: at.Add(-time.Duration(random.IntN(5)) * time.Millisecond), State: state})
			}
			if random.IntN(4) == 0 {
				c.SnoozedUntil = &at
			}
			if random.IntN(4) > 0 {
				c.LastMessage = &LastMessage{ID: kernel.NewID(), Type: provider.TypeText, Text: &text, Direction: provider.Inbound, CreatedAt: at.Add(time.Duration(random.IntN(20)) * time.Millisecond)}
				c.ActivityAt = c.LastMessage.CreatedAt
			}
			if label := pick(w.labels); label != nil {
				c.LabelIDs = []kernel.ID{*label}
				SetConversationLabels(tx, c.Company, c.ID, c.LabelIDs)
			}
			SaveConversation(tx, &c, PartInbox|PartSettings|PartSLA)
			w.all = append(w.all, c)
		}
		return nil
	})
}

// rename changes the names of some conversations, whose old names may be in the index.
func (w *fixture) rename(t *testing.T, s *kernel.Store, random *rand.Rand) {
	t.Helper()
	kerneltest.Write(t, s, func(tx *kernel.Tx) error {
		for range 30 {
			c := &w.all[random.IntN(len(w.all))]
			c.Name = w.all[random.IntN(len(w.all))].Name
			SaveConversation(tx, c, PartInbox|PartSettings)
		}
		return nil
	})
}

// slaDue returns when the next target of a conversation is due, or nil.
func slaDue(c *Conversation) *time.Time {
	if c.Attendance == nil || c.Attendance.SLA == nil {
		return nil
	}
	return &c.Attendance.SLA.DueAt
}

// lists is findConversations in plain Go.
func (w *fixture) lists(f conversationCriteria) (ids []kernel.ID, more bool) {
	var kept []Conversation
	for _, c := range w.all {
		if w.shows(&f, &c) {
			kept = append(kept, c)
		}
	}
	slices.SortFunc(kept, func(a, b Conversation) int {
		since, other := a.WaitingSince(), b.WaitingSince()
		if f.SLADue {
			since, other = slaDue(&a), slaDue(&b)
		}
		if f.byMoment() && (since != nil || other != nil) {
			switch {
			case other == nil:
				return -1
			case since == nil:
				return 1
			}
			return cmp.Or(since.Compare(*other), slices.Compare(a.ID[:], b.ID[:]))
		}
		if a.Pinned != b.Pinned && f.Status == "" && !f.byMoment() {
			if a.Pinned {
				return -1
			}
			return 1
		}
		return cmp.Or(activity(b).Compare(activity(a)), slices.Compare(b.ID[:], a.ID[:]))
	})
	if f.After != nil {
		kept = kept[slices.IndexFunc(kept, func(c Conversation) bool { return c.ID == f.After.ID })+1:]
	}
	kept = kept[min(f.Offset, len(kept)):]
	for _, c := range kept[:min(f.Limit, len(kept))] {
		ids = append(ids, c.ID)
	}
	return ids, len(kept) > f.Limit
}

func activity(c Conversation) time.Time {
	if c.LastMessage != nil {
		return c.LastMessage.CreatedAt
	}
	return c.CreatedAt
}

func (w *fixture) shows(f *conversationCriteria, c *Conversation) bool {
	is := func(field *kernel.ID, id kernel.ID) bool { return field != nil && *field == id }
	switch {
	case c.Private || c.Company != f.Company,
		f.Archived != nil && c.Archived != *f.Archived,
		f.Status != "" && c.Open() != (f.Status != ListClosed),
		f.Status == ListWaiting && (c.Attendance == nil || c.Assignee != nil),
		f.Snoozed != nil && (c.SnoozedUntil != nil) != *f.Snoozed,
		f.Snoozed == nil && c.SnoozedUntil != nil && (f.Status == ListOpen || f.Status == ListWaiting),
		f.Unread && !c.Unread,
		f.Kind != "" && c.Kind != f.Kind,
		f.SLA != "" && (slaDue(c) == nil || c.Attendance.SLA.State == TargetPending || f.SLA != ListAtRisk && c.Attendance.SLA.State != f.SLA),
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

func TestListsContainTheConversationsThatMatchTheFilters(t *testing.T) {
	kerneltest.EachOne(t, func(t *testing.T, s *kernel.Store) {
		random := rand.New(rand.NewPCG(7, 7))
		w, other := newFixture(t, s), newFixture(t, s)
		w.people(t, s, random, 150)
		other.people(t, s, random, 30)
		texts := []string{"", "", "", "joao", "JOÃO", "ana", "strasse", "100%", "a_b", "%", "_", `\`, `k\s`, `"quo`, "иван", "x", "zo", "queijo joao", "nowhere", "   ", "+5511", "(11) 9", "11 9 1", "119"}
		flags := []*bool{nil, nil, new(bool), ptr(true)}
		one := func(ids []kernel.ID) kernel.ID {
			if i := random.IntN(2 * len(ids)); i < len(ids) {
				return ids[i]
			}
			return kernel.ID{}
		}
		for round := range 4 {
			for range 150 {
				f := conversationCriteria{
					Company: w.company, Q: texts[random.IntN(len(texts))], Archived: flags[random.IntN(len(flags))], Unread: random.IntN(3) == 0,
					Kind: []string{"", "", KindDirect, KindGroup}[random.IntN(4)], Channel: one(w.channels), Sector: one(w.sectors), Label: one(w.labels),
					Limit: 1 + random.IntN(20), Offset: random.IntN(2) * random.IntN(30), Sight: kernel.Sight{All: true},
					Status: []string{"", "", ListOpen, ListWaiting, ListClosed}[random.IntN(5)], OldestWaiting: random.IntN(3) == 0,
				}
				if f.SLADue = !f.OldestWaiting && random.IntN(3) == 0; random.IntN(4) == 0 {
					f.SLA = []string{TargetWarned, TargetBreached, ListAtRisk}[random.IntN(3)]
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
					f.Sight = kernel.Sight{Member: w.members[0]}
				case 1:
					f.Sight = kernel.Sight{Member: w.members[1], Sectors: w.sectors[:1+random.IntN(2)]}
				}
				if all := f; random.IntN(2) == 0 && f.Q == "" {
					all.Limit, all.Offset, f.Offset = 1000, 0, 0
					if ids, _ := w.lists(all); len(ids) > 0 {
						last := ids[random.IntN(len(ids))]
						at := slices.IndexFunc(w.all, func(c Conversation) bool { return c.ID == last })
						f.After = ptr(f.positionOf(&w.all[at]))
					}
				}
				varyBudgets(t, random)
				want, wantMore := w.lists(f)
				kerneltest.Read(t, s, func(tx *kernel.Tx) error {
					near := f
					near.Near = true
					page, more, err := findConversations(tx, near)
					if errors.Is(err, kernel.ErrFar) {
						page, more, err = findConversations(tx, f)
					}
					if err != nil {
						return err
					}
					got := make([]kernel.ID, len(page))
					for i := range page {
						got[i] = page[i].ID
					}
					if !slices.Equal(got, want) || more != wantMore {
						t.Fatalf("round %d, %+v:\n got %d %v %v\nwant %d %v %v", round, f, len(got), got, more, len(want), want, wantMore)
					}
					return nil
				})
			}
			kerneltest.Write(t, s, func(tx *kernel.Tx) error {
				_, err := search.Update(tx.Tx, 60*(1+round)) // in part, so that the search has to read both the index and the rows
				return err
			})
			w.rename(t, s, random)
		}
	})
}

func ptr[T any](v T) *T { return &v }

func TestPostgreSQLUpdatesTheRowOfAConversationOnce(t *testing.T) {
	s, err := kernel.Open(t.Context(), db.Options{DatabaseURL: testkit.Database(t, "")})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	w := newFixture(t, s)
	w.people(t, s, rand.New(rand.NewPCG(1, 2)), 1)
	kerneltest.Write(t, s, func(tx *kernel.Tx) error {
		updates := func() (n int64) {
			_, err := tx.One(`SELECT n_tup_upd FROM pg_stat_xact_user_tables WHERE relname = 'conversations'`, nil, func(r db.Row) { n = r.Int("n_tup_upd") })
			if err != nil {
				t.Error(err)
			}
			return n
		}
		before := updates()
		SaveConversation(tx, &w.all[0], PartInbox|PartSettings|PartMenu)
		testkit.Equal(t, "versions of the row", updates()-before, 1)
		return nil
	})
}

func TestFiltersThatNoConversationMatchesReadFewRows(t *testing.T) {
	kerneltest.EachOne(t, func(t *testing.T, s *kernel.Store) {
		w := newFixture(t, s)
		w.talks(t, s, 60, time.Second) // every third is archived and has the first channel
		kernel.Few = 10
		t.Cleanup(func() { kernel.Few = 2000 })
		archived := true
		for name, c := range map[string]struct {
			f   conversationCriteria
			far bool
		}{
			"disjoint filters":                   {conversationCriteria{Archived: &archived, Channel: w.channels[1]}, true},
			"disjoint filters, by status":        {conversationCriteria{Archived: &archived, Channel: w.channels[1], Status: ListClosed}, true},
			"disjoint filters, by waiting":       {conversationCriteria{Archived: &archived, Channel: w.channels[1], OldestWaiting: true}, true},
			"disjoint filters with few rows":     {conversationCriteria{Archived: &archived, Channel: w.channels[1], Label: w.labels[0]}, false},
			"filters that fill the page at once": {conversationCriteria{Archived: &archived, Channel: w.channels[0]}, false},
			"one filter":                         {conversationCriteria{Archived: &archived}, false},
			"no filter":                          {conversationCriteria{}, false},
		} {
			c.f.Company, c.f.Sight, c.f.Limit = w.company, kernel.Sight{All: true}, 2
			want, _ := w.lists(c.f)
			kerneltest.Read(t, s, func(tx *kernel.Tx) error {
				near := c.f
				near.Near = true
				if page, _, err := findConversations(tx, near); errors.Is(err, kernel.ErrFar) != c.far || err == nil && len(page) != len(want) {
					t.Errorf("%s: got %d rows and error %v, want %d rows, or ErrFar if far is %t", name, len(page), err, len(want), c.far)
				}
				page, _, err := findConversations(tx, c.f)
				if len(page) != len(want) {
					t.Errorf("%s, read to the end: got %d rows, want %d", name, len(page), len(want))
				}
				return err
			})
		}
	})
}

func TestALabelAndAChannelWithoutCommonContactsReadFewRows(t *testing.T) {
	kerneltest.EachOne(t, func(t *testing.T, s *kernel.Store) {
		w := newFixture(t, s)
		kerneltest.Write(t, s, func(tx *kernel.Tx) error {
			for i := range 60 {
				c := Contact{ID: kernel.NewID(), Company: w.company, Pool: w.company, Name: "Ana", Channel: &w.channels[i%2]}
				if _, err := InsertContact(tx, &c); err != nil {
					return err
				}
				setContactLabels(tx, c.Company, c.ID, []kernel.ID{w.labels[i%2]})
			}
			return nil
		})
		kernel.Few = 10
		t.Cleanup(func() { kernel.Few = 2000 })
		for name, c := range map[string]struct {
			f    contactCriteria
			far  bool
			want int
		}{
			"disjoint":           {contactCriteria{Label: w.labels[1], Channel: w.channels[0]}, true, 0},
			"the page is full":   {contactCriteria{Label: w.labels[0], Channel: w.channels[0]}, false, 5},
			"a label of none":    {contactCriteria{Label: w.labels[2], Channel: w.channels[0]}, false, 0},
			"a channel with few": {contactCriteria{Label: w.labels[0], Channel: w.channels[2]}, false, 0},
			"a label":            {contactCriteria{Label: w.labels[0]}, false, 5},
			"a channel":          {contactCriteria{Channel: w.channels[0]}, false, 5},
		} {
			c.f.Company, c.f.Limit = w.company, 5
			kerneltest.Read(t, s, func(tx *kernel.Tx) error {
				near := c.f
				near.Near = true
				if page, _, err := findContacts(tx, near); errors.Is(err, kernel.ErrFar) != c.far || err == nil && len(page) != c.want {
					t.Errorf("%s: got %d rows and error %v, want %d rows, or ErrFar if far is %t", name, len(page), err, c.want, c.far)
				}
				page, _, err := findContacts(tx, c.f)
				if len(page) != c.want {
					t.Errorf("%s, read to the end: got %d rows, want %d", name, len(page), c.want)
				}
				return err
			})
		}
	})
}
