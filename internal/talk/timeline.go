package talk

import (
	"context"
	"encoding/binary"
	"math"
	"slices"
	"time"

	"recado/internal/kernel"
	"recado/internal/people"
)

// The kinds of entries of a timeline.
const (
	TimelineMessage    = "message"
	TimelineNote       = "note"
	TimelineAssignment = "assignment"
	TimelineOpened     = "attendance_opened"
	TimelineClosed     = "attendance_closed"
)

// TimelineEntry is one thing that happened in a conversation, with the object that its kind names.
type TimelineEntry struct {
	Kind       string           `json:"kind" enum:"message,note,assignment,attendance_opened,attendance_closed"`
	ID         kernel.ID        `json:"id" doc:"That of the object."`
	At         time.Time        `json:"at"`
	Message    *Message         `json:"message,omitempty"`
	Note       *Note            `json:"note,omitempty"`
	Assignment *AssignmentEntry `json:"assignment,omitempty"`
	Attendance *Attendance      `json:"attendance,omitempty" doc:"As it is now."`

	Place TimelinePlace `json:"-"`
}

// TimelinePlace is where an entry stands: by the sequence number, then by the kind, then by the id of its object.
type TimelinePlace struct {
	Seq  int64
	Rank int64
	ID   kernel.ID
}

// The ranks of the kinds: the order of entries with the same sequence number.
const (
	RankMessage    int64 = 0
	RankAssignment int64 = 1
	RankOpened     int64 = 2
	RankClosed     int64 = 3
	RankNote       int64 = 4
)

// TimelinePage is a part of a timeline, newest first, with the cursors of its ends.
type TimelinePage struct {
	Data   []TimelineEntry `json:"data"`
	Before *string         `json:"before" doc:"Give it as before to get what is older; null when there is nothing."`
	After  *string         `json:"after" doc:"Give it as after to get what came since; null while the conversation is empty."`
}

// TimelineQuery is a place in a timeline and how much to read from there. At most one of the places is set.
type TimelineQuery struct {
	Limit  int
	Before string
	After  string
	Around *kernel.ID // a message, or a note for those who may read notes
	At     *time.Time // the first message from then on
}

// Timeline reads one page of everything that happened in a conversation, newest first: its messages and, with the scopes
// for them, notes, assignments and the openings and closings of attendances.
func (d *Talk) Timeline(ctx context.Context, a *kernel.Principal, conversation kernel.ID, q TimelineQuery) (*TimelinePage, error) {
	if err := a.May(VerbTimeline); err != nil {
		return nil, err
	}
	if err := q.check(); err != nil {
		return nil, err
	}
	r := timelineReader{d: d, company: a.Company.ID, conversation: conversation, limit: q.Limit}
	r.parts = TimelineParts{Attendances: a.Scopes.Has(people.ScopeAttendancesRead), Notes: a.Scopes.Has(people.ScopeNotesRead)}
	return kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (*TimelinePage, error) {
		visibility, _, found, err := visibility(tx, a.Company.ID, conversation, 0)
		if err != nil || !found || !a.MaySeeBy(&visibility) {
			return nil, kernel.ErrOr(err, kernel.NotFound("conversation"))
		}
		r.tx = tx
		return r.page(&q)
	})
}

func (q *TimelineQuery) check() error {
	given := 0
	for _, set := range []bool{q.Before != "", q.After != "", q.Around != nil, q.At != nil} {
		if set {
			given++
		}
	}
	if given > 1 {
		return kernel.NotTogether("query", "send at most one of before, after, around and at", "before", "after", "around", "at")
	}
	return nil
}

// timelineReader reads pages of a conversation that the principal may see.
type timelineReader struct {
	d            *Talk
	tx           *kernel.Tx
	company      kernel.ID
	conversation kernel.ID
	parts        TimelineParts
	limit        int
}

var timelineEnd = TimelinePlace{Seq: math.MaxInt64 - 1}

func (r *timelineReader) page(q *TimelineQuery) (*TimelinePage, error) {
	switch {
	case q.After != "":
		place, err := r.open(q.After)
		if err != nil {
			return nil, err
		}
		return r.newer(place)
	case q.Before != "":
		place, err := r.open(q.Before)
		if err != nil {
			return nil, err
		}
		return r.older(place)
	case q.Around != nil:
		place, err := r.place(*q.Around)
		if err != nil {
			return nil, err
		}
		return r.around(place)
	case q.At != nil:
		place, found, err := messagePlaceAt(r.tx, r.company, r.conversation, *q.At)
		if err != nil {
			return nil, err
		}
		if found {
			return r.around(place)
		}
	}
	return r.older(timelineEnd)
}

// place finds a message or a note of the conversation.
func (r *timelineReader) place(id kernel.ID) (TimelinePlace, error) {
	m, _, found, err := findMessage(r.tx, r.company, id)
	if err != nil {
		return TimelinePlace{}, err
	}
	if found && m.Conversation == r.conversation {
		return TimelinePlace{Seq: m.Seq, Rank: RankMessage, ID: m.ID}, nil
	}
	if r.parts.Notes {
		n, found, err := findNote(r.tx, r.company, id)
		if err != nil || found && n.Conversation == r.conversation {
			return TimelinePlace{Seq: n.Seq, Rank: RankNote, ID: n.ID}, err
		}
	}
	return TimelinePlace{}, kernel.NotFound("message")
}

func (r *timelineReader) read(at TimelinePlace, newer bool, limit int) ([]TimelineEntry, error) {
	return timeline(r.tx, r.company, r.conversation, at, newer, r.parts, limit)
}

// older is the page before a place.
func (r *timelineReader) older(at TimelinePlace) (*TimelinePage, error) {
	data, err := r.read(at, false, r.limit+1)
	if err != nil {
		return nil, err
	}
	page := &TimelinePage{Data: data[:min(len(data), r.limit)]}
	if len(data) > r.limit {
		page.Before = r.seal(data[r.limit-1].Place)
	}
	if len(data) > 0 {
		page.After = r.seal(data[0].Place)
	} else if at != timelineEnd {
		page.After = r.seal(TimelinePlace{Seq: at.Seq - 1, Rank: math.MaxInt32, ID: kernel.MaxID})
	}
	return page, nil
}

// newer is the page next to a place, so that nothing between is skipped.
func (r *timelineReader) newer(at TimelinePlace) (*TimelinePage, error) {
	data, err := r.read(at, true, r.limit)
	if err != nil {
		return nil, err
	}
	slices.Reverse(data)
	page := &TimelinePage{Data: data, After: r.seal(at)}
	oldest := behind(at)
	if n := len(data); n > 0 {
		page.After, oldest = r.seal(data[0].Place), data[n-1].Place
	}
	older, err := r.read(oldest, false, 1)
	if len(older) > 0 {
		page.Before = r.seal(oldest)
	}
	return page, err
}

// around is the page with a place in its middle.
func (r *timelineReader) around(at TimelinePlace) (*TimelinePage, error) {
	half := (r.limit - 1) / 2
	newer, err := r.read(at, true, half)
	if err != nil {
		return nil, err
	}
	older, err := r.read(behind(at), false, r.limit-len(newer)+1)
	if err != nil {
		return nil, err
	}
	slices.Reverse(newer)
	kept := older[:min(len(older), r.limit-len(newer))]
	page := &TimelinePage{Data: slices.Concat(newer, kept)}
	if len(older) > len(kept) {
		page.Before = r.seal(kept[len(kept)-1].Place)
	}
	if len(page.Data) > 0 {
		page.After = r.seal(page.Data[0].Place)
	}
	return page, nil
}

// behind is the next place after another one.
func behind(at TimelinePlace) TimelinePlace {
	return TimelinePlace{Seq: at.Seq, Rank: at.Rank + 1}
}

func (r *timelineReader) name() string { return "timeline " + r.conversation.String() }

func (r *timelineReader) seal(p TimelinePlace) *string {
	b := binary.BigEndian.AppendUint64(nil, uint64(p.Seq))
	b = binary.BigEndian.AppendUint64(b, uint64(p.Rank))
	text := r.d.Cursors.Seal(r.company, r.name(), append(b, p.ID[:]...))
	return &text
}

func (r *timelineReader) open(cursor string) (TimelinePlace, error) {
	payload, invalid := r.d.Cursors.Open(r.company, r.name(), cursor)
	if invalid != nil {
		return TimelinePlace{}, invalid
	}
	return TimelinePlace{
		Seq: int64(binary.BigEndian.Uint64(payload)), Rank: int64(binary.BigEndian.Uint64(payload[8:])), ID: kernel.ID(payload[16:]),
	}, nil
}

// Files lists the files of a conversation that the principal may see, the newest first. next is "" on the last page.
func (d *Talk) Files(ctx context.Context, a *kernel.Principal, conversation kernel.ID, limit int, after string) (page []File, next string, err error) {
	if err := a.May(VerbFiles); err != nil {
		return nil, "", err
	}
	list, before := "files "+conversation.String(), int64(math.MaxInt64)
	if after != "" {
		payload, invalid := d.Cursors.Open(a.Company.ID, list, after)
		if invalid != nil {
			return nil, "", invalid
		}
		if before, invalid = kernel.ReadInt(payload); invalid != nil {
			return nil, "", invalid
		}
	}
	more := false
	page, err = kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (page []File, err error) {
		c, found, err := FindConversation(tx, a.Company.ID, conversation)
		if err != nil || !found || !MaySee(a, &c) {
			return nil, kernel.ErrOr(err, kernel.NotFound("conversation"))
		}
		page, more, err = listFiles(tx, a.Company.ID, conversation, before, limit)
		return page, err
	})
	if err == nil && more {
		next = d.Cursors.Seal(a.Company.ID, list, kernel.Int(page[len(page)-1].Seq))
	}
	return page, next, err
}
