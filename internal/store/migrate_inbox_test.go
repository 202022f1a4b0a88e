package store

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"recado/internal/model"
)

// TestConversationsOfAnEarlierVersionGetTheirStatus upgrades a database of the first version.
func TestConversationsOfAnEarlierVersionGetTheirStatus(t *testing.T) {
	eachUpgrade(t, firstSchema(t), func(t *testing.T, before *Store, company model.ID, upgrade func() *Store) {
		channel, whatsapp := model.NewID(), model.NewID()
		type talk struct {
			name                string
			open, muted         bool   // an attendance is open
			unread              int64  // messages
			directions          string // of the messages, at 1000, 2000, ...: i or o
			wantOpen, windowed  bool
			wantWaiting, number *int64
		}
		at := func(n int64) *int64 { return &n }
		talks := []talk{
			{name: "waits", open: true, unread: 2, directions: "ii", wantOpen: true, wantWaiting: at(1000), number: at(1)},
			{name: "answered", open: true, directions: "io", wantOpen: true, number: at(2)},
			{name: "asked again", open: true, unread: 1, directions: "ioi", wantOpen: true, wantWaiting: at(3000), number: at(3), windowed: true},
			{name: "unread", unread: 1, directions: "i", wantOpen: true},
			{name: "muted", unread: 1, muted: true, directions: "i"},
			{name: "closed", directions: "io"},
		}
		mustWrite(t, before, func(tx *Tx) error {
			for id, provider := range map[model.ID]string{channel: "sandbox", whatsapp: "whatsapp"} {
				tx.later(`
					INSERT INTO channels (id, company, name, phone, provider, status, private, coexistence, created_at, updated_at)
					VALUES ($1, $2, 'n', '+5511400289', $3, 'connected', FALSE, FALSE, 0, 0)`, id, company, provider)
			}
			for _, k := range talks {
				id, on := model.NewID(), channel
				if k.windowed {
					on = whatsapp
				}
				var attendance *model.ID
				if k.open {
					attendance = new(model.NewID())
					tx.later(`
						INSERT INTO attendances (id, company, number, conversation, channel, private, opened_at, opened_by)
						VALUES ($1, $2, $3, $4, $5, FALSE, 1000, 'customer')`, *attendance, company, *k.number, id, on)
				}
				last := "inbound"
				for i, d := range k.directions {
					direction := map[rune]string{'i': "inbound", 'o': "outbound"}[d]
					last = direction
					tx.later(`
						INSERT INTO messages (conversation, seq, id, company, channel, private, direction, origin, type, status, created_at)
						VALUES ($1, $2, $3, $4, $5, FALSE, $6, 'api', 'text', 'sent', $7)`,
						id, int64(i+1), model.NewID(), company, on, direction, int64(i+1)*1000)
				}
				tx.later(`
					INSERT INTO conversations (id, company, channel, private, kind, name, renamed, archived, pinned, muted, unread_count, last_direction,
						attendance, unanswered, sequence, activity_at, folded, unindexed, created_at, updated_at)
					VALUES ($1, $2, $3, FALSE, 'direct', $4, FALSE, FALSE, FALSE, $5, $6, $7, $8, FALSE, 9, 9000, $4, FALSE, 0, 0)`,
					id, company, on, k.name, k.muted, k.unread, last, attendance)
			}
			return nil
		})
		after := upgrade()
		type status struct {
			Open, Windowed          bool
			Number, Waiting, Opened *int64
		}
		got, want := map[string]status{}, map[string]status{}
		for _, k := range talks {
			s := status{Open: k.wantOpen, Windowed: k.windowed, Number: k.number, Waiting: k.wantWaiting}
			if k.open {
				s.Opened = at(1000)
			}
			want[k.name] = s
		}
		marks, counted := int64(0), 0
		mustRead(t, after, func(tx *Tx) error {
			if err := tx.query(`
				SELECT name, open, windowed, attendance_number, waiting_since, attendance_opened_at
				FROM conversations`, nil, func(r Row) error {
				got[r.Text(0)] = status{r.Bool(1), r.Bool(2), r.NullInt(3), r.NullInt(4), r.NullInt(5)}
				return nil
			}); err != nil {
				return err
			}
			if _, err := tx.one(`SELECT COUNT(*) FROM attendance_marks WHERE kind = 2`, nil, func(r Row) { marks = r.Int(0) }); err != nil {
				return err
			}
			return tx.InboxRows(company, Sight{All: true}, func(*model.InboxRow) { counted++ })
		})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("conversations (-want +got):\n%s", diff)
		}
		if marks != 3 || counted != 4 {
			t.Errorf("%d openings are in the timelines, want 3; %d conversations are counted as open, want 4", marks, counted)
		}
	})
}
