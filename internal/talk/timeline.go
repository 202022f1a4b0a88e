package talk

import (
	"context"
	"encoding/binary"
	"math"
	"slices"
	"time"

	"recado/internal/httpserver"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
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

// TimelineEntry is an event in a conversation. The field that Kind names is set.
type TimelineEntry struct {
	Kind       string           `json:"kind" enum:"message,note,assignment,attendance_opened,attendance_closed"`
	ID         kernel.ID        `json:"id" doc:"The id of the object."`
	At         time.Time        `json:"at"`
	Message    *Message         `json:"message,omitempty"`
	Note       *Note            `json:"note,omitempty"`
	Assignment *AssignmentEntry `json:"assignment,omitempty"`
	Attendance *Attendance      `json:"attendance,omitempty" doc:"The current state of the attendance."`

	Position TimelinePosition `json:"-"`
}

// TimelinePosition is the position of an entry. Entries are ordered by sequence number, kind and id.
type TimelinePosition struct {
	Seq  int64
	Rank int64
	ID   kernel.ID
}

// The ranks of the kinds, which order entries with the same sequence number.
const (
	RankMessage int64 = iota
	RankAssignment
	RankOpened
	RankClosed
	RankNote
)

// TimelinePage is a page of a timeline, newest first, with its cursors.
type TimelinePage struct {
	Data   []TimelineEntry `json:"data"`
	Before *string         `json:"before" doc:"Pass it as before to get older entries; null if there are none."`
	After  *string         `json:"after" doc:"Pass it as after to get newer entries; null if the conversation is empty."`
}

// TimelineQuery selects a page. At most one of Before, After, Around and At is set.
type TimelineQuery struct {
	Limit  int    `query:"limit" minimum:"1" maximum:"100" default:"30" doc:"The maximum number of entries."`
	Before string `query:"before" doc:"The before value of a page. Returns the entries that precede it."`
	After  string `query:"after" doc:"The after value of a page. Returns the entries that follow it; if there are more than limit, the oldest of them."`
	Around string `query:"around" doc:"The id of a message or note. Returns the page around it, or 404 if the conversation has no such entry."`
	At     string `query:"at" format:"date-time" doc:"A time. Returns the page around the first message at or after this time, or the newest page if there is none."`
}

// Timeline returns a page of everything that happened in a conversation, newest first: messages and, if the principal has the
// scopes, notes, assignments, and the opening and closing of attendances.
func (d *Talk) Timeline(ctx context.Context, a *kernel.Principal, conversation kernel.ID, q TimelineQuery) (*TimelinePage, error) {
	around, found := kernel.ParseID(q.Around)
	if q.Around != "" && !found {
		return nil, kernel.NotFound("message")
	}
	at, err := time.Parse(time.RFC3339, q.At)
	if q.At != "" && err != nil {
		return nil, kernel.Malformed("query.at", "time")
	}
	if countTrue(q.Before != "", q.After != "", q.Around != "", q.At != "") > 1 {
		return nil, kernel.NotTogether("query", "send at most one of before, after, around and at", "before", "after", "around", "at")
	}
	r := timelineReader{d: d, company: a.Company.ID, conversation: conversation, limit: q.Limit}
	r.withAttendances, r.withNotes = a.Scopes.Has(people.ScopeAttendancesRead), a.Scopes.Has(people.ScopeNotesRead)
	return kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (*TimelinePage, error) {
		if _, err := seenUpTo(tx, a, conversation, 0); err != nil {
			return nil, err
		}
		r.tx = tx
		position, read := timelineEnd, r.older
		var err error
		switch {
		case q.After != "":
			position, err = r.open(q.After)
			read = r.newer
		case q.Before != "":
			position, err = r.open(q.Before)
		case q.Around != "":
			position, err = r.find(around)
			read = r.around
		case q.At != "":
			if position, err = r.firstAt(at); position != timelineEnd {
				read = r.around
			}
		}
		if err != nil {
			return nil, err
		}
		return read(position)
	})
}

// timelineReader reads pages of a conversation.
type timelineReader struct {
	d               *Talk
	tx              *kernel.Tx
	company         kernel.ID
	conversation    kernel.ID
	withAttendances bool // and assignments
	withNotes       bool
	limit           int
}

var timelineEnd = TimelinePosition{Seq: math.MaxInt64 - 1}

// firstAt returns the position of the first message that was written at a time or later, or the end if there is none. It uses
// binary search, because messages are nearly ordered by time and no index contains it.
func (r *timelineReader) firstAt(at time.Time) (position TimelinePosition, err error) {
	position = timelineEnd
	low, high := int64(0), int64(-1) // for an empty conversation
	if _, err = r.tx.One(`
		SELECT COALESCE(MIN(seq), 0) AS first_seq, COALESCE(MAX(seq), -1) AS last_seq
		FROM messages
		WHERE company = $1 AND conversation = $2`,
		[]any{r.company, r.conversation}, func(row db.Row) { low, high = row.Int("first_seq"), row.Int("last_seq") }); err != nil {
		return position, err
	}
	for low <= high {
		middle := low + (high-low)/2
		var found TimelinePosition
		early := false
		if _, err = r.tx.One(`
			SELECT seq, id, created_at
			FROM messages
			WHERE company = $1 AND conversation = $2 AND seq >= $3
			ORDER BY seq
			LIMIT 1`, []any{r.company, r.conversation, middle}, func(row db.Row) {
			found, early = TimelinePosition{row.Int("seq"), RankMessage, row.ID("id")}, row.Time("created_at").Before(at)
		}); err != nil {
			return position, err
		}
		if early {
			low = found.Seq + 1
		} else {
			position, high = found, middle-1
		}
	}
	return position, nil
}

// find returns the position of a message or a note of the conversation.
func (r *timelineReader) find(id kernel.ID) (TimelinePosition, error) {
	m, _, found, err := findMessage(r.tx, r.company, id)
	if err != nil {
		return TimelinePosition{}, err
	}
	if found && m.Conversation == r.conversation {
		return TimelinePosition{Seq: m.Seq, Rank: RankMessage, ID: m.ID}, nil
	}
	if r.withNotes {
		n, found, err := findNote(r.tx, r.company, id)
		if err != nil || found && n.Conversation == r.conversation {
			return TimelinePosition{Seq: n.Seq, Rank: RankNote, ID: n.ID}, err
		}
	}
	return TimelinePosition{}, kernel.NotFound("message")
}

func (r *timelineReader) older(at TimelinePosition) (*TimelinePage, error) {
	data, err := r.read(at, false, r.limit+1)
	if err != nil {
		return nil, err
	}
	page := &TimelinePage{Data: data[:min(len(data), r.limit)]}
	if len(data) > r.limit {
		page.Before = r.seal(data[r.limit-1].Position)
	}
	if len(data) > 0 {
		page.After = r.seal(data[0].Position)
	} else if at != timelineEnd {
		page.After = r.seal(TimelinePosition{Seq: at.Seq - 1, Rank: math.MaxInt32, ID: kernel.MaxID})
	}
	return page, nil
}

// newer returns the oldest entries after a position.
func (r *timelineReader) newer(at TimelinePosition) (*TimelinePage, error) {
	data, err := r.read(at, true, r.limit)
	if err != nil {
		return nil, err
	}
	slices.Reverse(data)
	page := &TimelinePage{Data: data, After: r.seal(at)}
	oldest := following(at)
	if n := len(data); n > 0 {
		page.After, oldest = r.seal(data[0].Position), data[n-1].Position
	}
	older, err := r.read(oldest, false, 1)
	if len(older) > 0 {
		page.Before = r.seal(oldest)
	}
	return page, err
}

func (r *timelineReader) around(at TimelinePosition) (*TimelinePage, error) {
	half := (r.limit - 1) / 2
	newer, err := r.read(at, true, half)
	if err != nil {
		return nil, err
	}
	older, err := r.read(following(at), false, r.limit-len(newer)+1)
	if err != nil {
		return nil, err
	}
	slices.Reverse(newer)
	kept := older[:min(len(older), r.limit-len(newer))]
	page := &TimelinePage{Data: slices.Concat(newer, kept)}
	if len(older) > len(kept) {
		page.Before = r.seal(kept[len(kept)-1].Position)
	}
	if len(page.Data) > 0 {
		page.After = r.seal(page.Data[0].Position)
	}
	return page, nil
}

func following(at TimelinePosition) TimelinePosition {
	return TimelinePosition{Seq: at.Seq, Rank: at.Rank + 1}
}

func (r *timelineReader) seal(p TimelinePosition) *string {
	return new(r.d.Cursors.Seal(r.company, "timeline "+r.conversation.String(), append(kernel.Int(p.Seq), kernel.IntID(p.Rank, p.ID)...)))
}

func (r *timelineReader) open(cursor string) (TimelinePosition, error) {
	payload, invalid := r.d.Cursors.Open(r.company, "timeline "+r.conversation.String(), cursor)
	if invalid != nil {
		return TimelinePosition{}, invalid
	}
	return TimelinePosition{
		Seq: int64(binary.BigEndian.Uint64(payload)), Rank: int64(binary.BigEndian.Uint64(payload[8:])), ID: kernel.ID(payload[16:]),
	}, nil
}

// FilesQuery selects a page of the files of a conversation.
type FilesQuery struct {
	httpserver.AtID
	Limit  int    `query:"limit" minimum:"1" maximum:"100" default:"30" doc:"The maximum number of entries."`
	Cursor string `query:"cursor" maxLength:"400" doc:"The next_cursor of the previous page."`
}

// Files lists the files of a conversation, newest first. next is "" on the last page.
func (d *Talk) Files(ctx context.Context, a *kernel.Principal, q *FilesQuery) (page []File, next string, err error) {
	conversation := kernel.ID(q.ID)
	list, before := "files "+conversation.String(), int64(math.MaxInt64)
	if err := d.openCursor(a, list, q.Cursor, &before, nil); err != nil {
		return nil, "", err
	}
	more := false
	page, err = kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (page []File, err error) {
		if err := checkConversation(tx, a, conversation); err != nil {
			return nil, err
		}
		page, more, err = listFiles(tx, a.Company.ID, conversation, before, q.Limit)
		return page, err
	})
	if err == nil && more {
		next = d.Cursors.Seal(a.Company.ID, list, kernel.Int(page[len(page)-1].Seq))
	}
	return page, next, err
}

type timelineInput struct {
	httpserver.AtID
	TimelineQuery
}

func (s *handlers) timeline(ctx context.Context, a *kernel.Principal, in *timelineInput) (*httpserver.Reply[*TimelinePage], error) {
	return httpserver.Body(s.verbs.Timeline(ctx, a, kernel.ID(in.ID), in.TimelineQuery))
}
