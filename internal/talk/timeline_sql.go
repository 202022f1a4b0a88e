package talk

import (
	"cmp"
	"slices"
	"time"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

// TimelineParts are what a timeline shows beside messages.
type TimelineParts struct {
	Attendances bool // and assignments
	Notes       bool
}

// timeline reads up to limit entries of a conversation next to a place: older ones, the newest first, or newer ones, the
// oldest first. Beside the page of messages it reads what stands between them.
func timeline(tx *kernel.Tx, company, conversation kernel.ID, at TimelinePlace, newer bool, parts TimelineParts, limit int) ([]TimelineEntry, error) {
	if limit <= 0 {
		return nil, nil
	}
	page, err := timelineMessages(tx, company, conversation, at, newer, limit)
	if err != nil || parts == (TimelineParts{}) {
		return page, err
	}
	q := timelineQuery{tx, company, conversation, at, newer, limit, nil}
	if len(page) == limit { // nothing beyond the last message is on this page
		q.end = &page[limit-1].Place.Seq
	}
	var reads []func() ([]TimelineEntry, error)
	if parts.Attendances {
		reads = append(reads, q.assignments, q.marks)
	}
	if parts.Notes {
		reads = append(reads, q.notes)
	}
	for _, read := range reads {
		more, err := read()
		if err != nil {
			return nil, err
		}
		page = append(page, more...)
	}
	slices.SortFunc(page, func(a, b TimelineEntry) int {
		order := comparePlaces(a.Place, b.Place)
		if newer {
			return order
		}
		return -order
	})
	return page[:min(limit, len(page))], nil
}

func comparePlaces(a, b TimelinePlace) int {
	return cmp.Or(cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.Rank, b.Rank), slices.Compare(a.ID[:], b.ID[:]))
}

func timelineMessages(tx *kernel.Tx, company, conversation kernel.ID, at TimelinePlace, newer bool, limit int) ([]TimelineEntry, error) {
	var page []Message
	var err error
	if seq := at.Seq; newer {
		page, _, _, err = messagesAfter(tx, company, conversation, seq, limit)
	} else {
		if at.Rank > RankMessage {
			seq++ // the message with the same number stands before
		}
		page, _, err = messagesBefore(tx, company, conversation, seq, limit)
	}
	out := make([]TimelineEntry, len(page))
	for i := range page {
		m := &page[i]
		out[i] = TimelineEntry{
			Kind: TimelineMessage, ID: m.ID, At: m.CreatedAt, Message: m, Place: TimelinePlace{Seq: m.Seq, Rank: RankMessage, ID: m.ID},
		}
	}
	return out, err
}

// timelineQuery reads the entries that are no messages.
type timelineQuery struct {
	tx           *kernel.Tx
	company      kernel.ID
	conversation kernel.ID
	at           TimelinePlace
	newer        bool
	limit        int
	end          *int64 // the sequence number at which the page ends
}

// within adds the conditions on the place, the order and the limit. rank is a column or a number.
func (q *timelineQuery) within(s *db.Statement, seq, rank, id string) {
	than, toward, direction := " < ", " >= ", " DESC"
	if q.newer {
		than, toward, direction = " > ", " <= ", ""
	}
	s.And("(" + seq + ", " + rank + ", " + id + ")" + than + "(" + s.Arg(q.at.Seq) + ", " + s.Arg(q.at.Rank) + ", " + s.Arg(q.at.ID) + ")")
	if q.end != nil {
		s.And(seq + toward + s.Arg(*q.end))
	}
	s.WriteString("\n\tORDER BY " + seq + direction + ", " + rank + direction + ", " + id + direction + " LIMIT " + s.Arg(q.limit))
}

func (q *timelineQuery) assignments() ([]TimelineEntry, error) {
	s := q.tx.Statement()
	s.WriteString(`
		SELECT e.id, e.action, e.member, u.name, e.by_member, b.name, e.sector, e.reason, e.created_at, e.sector_from, e.sector_to, e.seq
		FROM assignments e
		LEFT JOIN users u ON u.company = e.company AND u.id = e.member
		LEFT JOIN users b ON b.company = e.company AND b.id = e.by_member
		WHERE e.company = ` + s.Arg(q.company) + ` AND e.conversation = ` + s.Arg(q.conversation))
	q.within(s, "e.seq", "1", "e.id")
	var out []TimelineEntry
	err := q.tx.Query(s.String(), s.Args, func(r db.Row) error {
		e := scanAssignment(r)
		out = append(out, TimelineEntry{
			Kind: TimelineAssignment, ID: e.ID, At: e.CreatedAt, Assignment: &e,
			Place: TimelinePlace{Seq: r.Int(11), Rank: RankAssignment, ID: e.ID},
		})
		return nil
	})
	return out, err
}

func (q *timelineQuery) notes() ([]TimelineEntry, error) {
	s := q.tx.Statement()
	s.WriteString(`
		SELECT ` + noteColumns + `
		FROM notes n
		JOIN users u ON u.company = n.company AND u.id = n.author
		WHERE n.company = ` + s.Arg(q.company) + ` AND n.conversation = ` + s.Arg(q.conversation))
	q.within(s, "n.seq", "4", "n.id")
	var notes []Note
	err := q.tx.Query(s.String(), s.Args, func(r db.Row) error {
		notes = append(notes, scanNote(r, q.company))
		return nil
	})
	if err == nil {
		err = nameMentions(q.tx, q.company, notes)
	}
	out := make([]TimelineEntry, len(notes))
	for i := range notes {
		n := &notes[i]
		out[i] = TimelineEntry{
			Kind: TimelineNote, ID: n.ID, At: n.CreatedAt, Note: n, Place: TimelinePlace{Seq: n.Seq, Rank: RankNote, ID: n.ID},
		}
	}
	return out, err
}

func (q *timelineQuery) marks() ([]TimelineEntry, error) {
	s := q.tx.Statement()
	s.WriteString("SELECT" + attendanceColumns + ", k.seq, k.kind\n\tFROM attendance_marks k\n\tJOIN attendances a ON a.company = k.company AND a.id = k.attendance" + attendanceNames +
		"\n\tWHERE k.company = " + s.Arg(q.company) + " AND k.conversation = " + s.Arg(q.conversation))
	q.within(s, "k.seq", "k.kind", "k.attendance")
	var out []TimelineEntry
	err := q.tx.Query(s.String(), s.Args, func(r db.Row) error {
		a := scanAttendance(r)
		e := TimelineEntry{
			Kind: TimelineOpened, ID: a.ID, At: a.OpenedAt, Attendance: &a,
			Place: TimelinePlace{Seq: r.Int(attendanceWidth), Rank: r.Int(attendanceWidth + 1), ID: a.ID},
		}
		if e.Place.Rank == RankClosed && a.ClosedAt != nil {
			e.Kind, e.At = TimelineClosed, *a.ClosedAt
		}
		out = append(out, e)
		return nil
	})
	return out, err
}

// messagePlaceAt finds the first message of a conversation that was written at a time or later, by halving: messages are
// nearly in the order of their times. It is false where there is none.
func messagePlaceAt(tx *kernel.Tx, company, conversation kernel.ID, at time.Time) (place TimelinePlace, found bool, err error) {
	var low, high int64
	some := false
	if _, err = tx.One(`SELECT MIN(seq), MAX(seq) FROM messages WHERE company = $1 AND conversation = $2`, []any{company, conversation}, func(r db.Row) {
		if first := r.NullInt(0); first != nil {
			low, high, some = *first, r.Int(1), true
		}
	}); err != nil || !some {
		return place, false, err
	}
	for low <= high {
		middle := low + (high-low)/2
		var p TimelinePlace
		late := false
		there, err := tx.One(`SELECT seq, id, created_at FROM messages WHERE company = $1 AND conversation = $2 AND seq >= $3 ORDER BY seq LIMIT 1`,
			[]any{company, conversation, middle}, func(r db.Row) {
				p, late = TimelinePlace{Seq: r.Int(0), Rank: RankMessage, ID: r.ID(1)}, !r.Time(2).Before(at)
			})
		if err != nil {
			return place, false, err
		}
		if there && !late {
			low = p.Seq + 1
			continue
		}
		if there {
			place, found = p, true
		}
		high = middle - 1
	}
	return place, found, nil
}
