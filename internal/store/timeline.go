package store

import (
	"cmp"
	"slices"
	"time"

	"recado/internal/model"
)

// TimelineParts are what a timeline shows beside messages.
type TimelineParts struct {
	Attendances bool // and assignments
	Notes       bool
}

// Timeline reads up to limit entries of a conversation next to a place: older ones, the newest first, or newer ones, the
// oldest first. Beside the page of messages it reads what stands between them.
func (tx *Tx) Timeline(company, conversation model.ID, at model.TimelinePlace, newer bool, parts TimelineParts, limit int) ([]model.TimelineEntry, error) {
	if limit <= 0 {
		return nil, nil
	}
	page, err := tx.timelineMessages(company, conversation, at, newer, limit)
	if err != nil || parts == (TimelineParts{}) {
		return page, err
	}
	q := timelineQuery{tx, company, conversation, at, newer, limit, nil}
	if len(page) == limit { // nothing beyond the last message is on this page
		q.end = &page[limit-1].Place.Seq
	}
	var reads []func() ([]model.TimelineEntry, error)
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
	slices.SortFunc(page, func(a, b model.TimelineEntry) int {
		order := comparePlaces(a.Place, b.Place)
		if newer {
			return order
		}
		return -order
	})
	return page[:min(limit, len(page))], nil
}

func comparePlaces(a, b model.TimelinePlace) int {
	return cmp.Or(cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.Rank, b.Rank), slices.Compare(a.ID[:], b.ID[:]))
}

func (tx *Tx) timelineMessages(company, conversation model.ID, at model.TimelinePlace, newer bool, limit int) ([]model.TimelineEntry, error) {
	var page []model.Message
	var err error
	if seq := at.Seq; newer {
		page, _, _, err = tx.MessagesAfter(company, conversation, seq, limit)
	} else {
		if at.Rank > model.RankMessage {
			seq++ // the message with the same number stands before
		}
		page, _, err = tx.MessagesBefore(company, conversation, seq, limit)
	}
	out := make([]model.TimelineEntry, len(page))
	for i := range page {
		m := &page[i]
		out[i] = model.TimelineEntry{
			Kind: model.TimelineMessage, ID: m.ID, At: m.CreatedAt, Message: m, Place: model.TimelinePlace{Seq: m.Seq, Rank: model.RankMessage, ID: m.ID},
		}
	}
	return out, err
}

// timelineQuery reads the entries that are no messages.
type timelineQuery struct {
	tx           *Tx
	company      model.ID
	conversation model.ID
	at           model.TimelinePlace
	newer        bool
	limit        int
	end          *int64 // the sequence number at which the page ends
}

// within adds the conditions on the place, the order and the limit. rank is a column or a number.
func (q *timelineQuery) within(s *statement, seq, rank, id string) {
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

func (q *timelineQuery) assignments() ([]model.TimelineEntry, error) {
	s := q.tx.statement()
	s.WriteString(`
		SELECT e.id, e.action, e.member, u.name, e.by_member, b.name, e.sector, e.reason, e.created_at, e.sector_from, e.sector_to, e.seq
		FROM assignments e
		LEFT JOIN users u ON u.id = e.member
		LEFT JOIN users b ON b.id = e.by_member
		WHERE e.conversation = ` + s.Arg(q.conversation) + ` AND e.company = ` + s.Arg(q.company))
	q.within(s, "e.seq", "1", "e.id")
	var out []model.TimelineEntry
	err := q.tx.query(s.String(), s.Args, func(r Row) error {
		e := scanAssignment(r)
		out = append(out, model.TimelineEntry{
			Kind: model.TimelineAssignment, ID: e.ID, At: e.CreatedAt, Assignment: &e,
			Place: model.TimelinePlace{Seq: r.Int(11), Rank: model.RankAssignment, ID: e.ID},
		})
		return nil
	})
	return out, err
}

func (q *timelineQuery) notes() ([]model.TimelineEntry, error) {
	s := q.tx.statement()
	s.WriteString(`
		SELECT ` + noteColumns + `
		FROM notes n
		JOIN users u ON u.id = n.author
		WHERE n.company = ` + s.Arg(q.company) + ` AND n.conversation = ` + s.Arg(q.conversation))
	q.within(s, "n.seq", "4", "n.id")
	var notes []model.Note
	err := q.tx.query(s.String(), s.Args, func(r Row) error {
		notes = append(notes, scanNote(r, q.company))
		return nil
	})
	if err == nil {
		err = q.tx.nameMentions(q.company, notes)
	}
	out := make([]model.TimelineEntry, len(notes))
	for i := range notes {
		n := &notes[i]
		out[i] = model.TimelineEntry{
			Kind: model.TimelineNote, ID: n.ID, At: n.CreatedAt, Note: n, Place: model.TimelinePlace{Seq: n.Seq, Rank: model.RankNote, ID: n.ID},
		}
	}
	return out, err
}

func (q *timelineQuery) marks() ([]model.TimelineEntry, error) {
	s := q.tx.statement()
	s.WriteString("SELECT" + attendanceColumns + ", k.seq, k.kind\n\tFROM attendance_marks k\n\tJOIN attendances a ON a.id = k.attendance" + attendanceNames +
		"\n\tWHERE k.conversation = " + s.Arg(q.conversation) + " AND a.company = " + s.Arg(q.company))
	q.within(s, "k.seq", "k.kind", "k.attendance")
	var out []model.TimelineEntry
	err := q.tx.query(s.String(), s.Args, func(r Row) error {
		a := scanAttendance(r)
		e := model.TimelineEntry{
			Kind: model.TimelineOpened, ID: a.ID, At: a.OpenedAt, Attendance: &a,
			Place: model.TimelinePlace{Seq: r.Int(attendanceWidth), Rank: r.Int(attendanceWidth + 1), ID: a.ID},
		}
		if e.Place.Rank == model.RankClosed && a.ClosedAt != nil {
			e.Kind, e.At = model.TimelineClosed, *a.ClosedAt
		}
		out = append(out, e)
		return nil
	})
	return out, err
}

// MessagePlaceAt finds the first message of a conversation that was written at a time or later, by halving: messages are
// nearly in the order of their times. It is false where there is none.
func (tx *Tx) MessagePlaceAt(conversation model.ID, at time.Time) (place model.TimelinePlace, found bool, err error) {
	var low, high int64
	some := false
	if _, err = tx.one(`SELECT MIN(seq), MAX(seq) FROM messages WHERE conversation = $1`, []any{conversation}, func(r Row) {
		if first := r.NullInt(0); first != nil {
			low, high, some = *first, r.Int(1), true
		}
	}); err != nil || !some {
		return place, false, err
	}
	for low <= high {
		middle := low + (high-low)/2
		var p model.TimelinePlace
		late := false
		there, err := tx.one(`SELECT seq, id, created_at FROM messages WHERE conversation = $1 AND seq >= $2 ORDER BY seq LIMIT 1`, []any{conversation, middle},
			func(r Row) {
				p, late = model.TimelinePlace{Seq: r.Int(0), Rank: model.RankMessage, ID: r.ID(1)}, !r.Time(2).Before(at)
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
