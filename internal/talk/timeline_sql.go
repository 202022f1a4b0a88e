package talk

import (
	"cmp"
	"slices"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

// read returns up to limit entries next to a position: older ones, newest first, or newer ones, oldest first. It reads a page of
// messages and then the other entries between them.
func (r *timelineReader) read(at TimelinePosition, newer bool, limit int) ([]TimelineEntry, error) {
	if limit <= 0 {
		return nil, nil
	}
	q := timelineQuery{r, at, newer, limit, nil}
	page, err := q.messages()
	if err != nil {
		return nil, err
	}
	if len(page) == limit { // nothing beyond the last message is on this page
		q.end = &page[limit-1].Position.Seq
	}
	var reads []func() ([]TimelineEntry, error)
	if r.withAttendances {
		reads = append(reads, q.assignments, q.marks)
	}
	if r.withNotes {
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
		p, q := a.Position, b.Position
		order := cmp.Or(cmp.Compare(p.Seq, q.Seq), cmp.Compare(p.Rank, q.Rank), kernel.CompareIDs(p.ID, q.ID))
		if newer {
			return order
		}
		return -order
	})
	return page[:min(limit, len(page))], nil
}

func (q *timelineQuery) messages() (entries []TimelineEntry, err error) {
	seq := q.at.Seq
	if !q.newer && q.at.Rank > RankMessage {
		seq++ // the message with the same number comes before
	}
	page, _, _, err := messagePage(q.tx, q.company, q.conversation, seq, q.newer, q.limit)
	for i := range page {
		m := &page[i]
		entries = append(entries, TimelineEntry{
			Kind: TimelineMessage, ID: m.ID, At: m.CreatedAt, Message: m, Position: TimelinePosition{m.Seq, RankMessage, m.ID},
		})
	}
	return entries, err
}

// timelineQuery reads entries of one kind.
type timelineQuery struct {
	*timelineReader
	at    TimelinePosition
	newer bool
	limit int
	end   *int64 // the sequence number at which the page ends
}

// within adds the conditions on the position, the order and the limit. rank is a column or a number.
func (q *timelineQuery) within(s *db.Statement, seq, rank, id string) {
	after, upTo, direction := " < ", " >= ", " DESC"
	if q.newer {
		after, upTo, direction = " > ", " <= ", ""
	}
	s.And("(" + seq + ", " + rank + ", " + id + ")" + after + "(" + s.Arg(q.at.Seq) + ", " + s.Arg(q.at.Rank) + ", " + s.Arg(q.at.ID) + ")")
	if q.end != nil {
		s.And(seq + upTo + s.Arg(*q.end))
	}
	s.WriteString("\n\tORDER BY " + seq + direction + ", " + rank + direction + ", " + id + direction + " LIMIT " + s.Arg(q.limit))
}

func (q *timelineQuery) assignments() ([]TimelineEntry, error) {
	s := q.tx.Statement()
	s.WriteString(`
		SELECT e.id, e.action, e.member, u.name AS member_name, e.by_member, b.name AS by_member_name, e.sector, e.reason, e.created_at,
			e.sector_from, e.sector_to, e.seq
		FROM assignments e
		LEFT JOIN users u ON u.company = e.company AND u.id = e.member
		LEFT JOIN users b ON b.company = e.company AND b.id = e.by_member
		WHERE e.company = ` + s.Arg(q.company) + ` AND e.conversation = ` + s.Arg(q.conversation))
	q.within(s, "e.seq", "1", "e.id")
	return kernel.Rows(q.tx, s.String(), s.Args, func(r db.Row) TimelineEntry {
		e := scanAssignment(r)
		return TimelineEntry{
			Kind: TimelineAssignment, ID: e.ID, At: e.CreatedAt, Assignment: &e,
			Position: TimelinePosition{r.Int("seq"), RankAssignment, e.ID},
		}
	})
}

func (q *timelineQuery) notes() ([]TimelineEntry, error) {
	s := q.tx.Statement()
	s.WriteString(`
		SELECT` + noteColumns + `
		FROM notes n
		JOIN users u ON u.company = n.company AND u.id = n.author
		WHERE n.company = ` + s.Arg(q.company) + ` AND n.conversation = ` + s.Arg(q.conversation))
	q.within(s, "n.seq", "4", "n.id")
	notes, err := kernel.Rows(q.tx, s.String(), s.Args, func(r db.Row) Note { return scanNote(r, q.company) })
	if err == nil {
		err = nameMentions(q.tx, q.company, notes)
	}
	entries := make([]TimelineEntry, len(notes))
	for i := range notes {
		n := &notes[i]
		entries[i] = TimelineEntry{Kind: TimelineNote, ID: n.ID, At: n.CreatedAt, Note: n, Position: TimelinePosition{n.Seq, RankNote, n.ID}}
	}
	return entries, err
}

func (q *timelineQuery) marks() ([]TimelineEntry, error) {
	s := q.tx.Statement()
	s.WriteString(`
		SELECT` + attendanceColumns + `, k.seq AS mark_seq, k.kind AS mark_kind
		FROM attendance_marks k
		JOIN attendances a ON a.company = k.company AND a.id = k.attendance` + attendanceNames + `
		WHERE k.company = ` + s.Arg(q.company) + ` AND k.conversation = ` + s.Arg(q.conversation))
	q.within(s, "k.seq", "k.kind", "k.attendance")
	return kernel.Rows(q.tx, s.String(), s.Args, func(r db.Row) TimelineEntry {
		a := scanAttendance(r)
		e := TimelineEntry{
			Kind: TimelineOpened, ID: a.ID, At: a.OpenedAt, Attendance: &a,
			Position: TimelinePosition{r.Int("mark_seq"), r.Int("mark_kind"), a.ID},
		}
		if e.Position.Rank == RankClosed && a.ClosedAt != nil {
			e.Kind, e.At = TimelineClosed, *a.ClosedAt
		}
		return e
	})
}
