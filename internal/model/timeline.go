package model

import (
	"slices"
	"time"

	"recado/internal/jsonenc"
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
	ID         ID               `json:"id" doc:"That of the object."`
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
	ID   ID
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

// AppendJSON writes an entry as the API shows it.
func (e *TimelineEntry) AppendJSON(b []byte) ([]byte, error) {
	b = jsonenc.AppendString(append(b, `{"kind":`...), e.Kind)
	b = appendID(append(b, `,"id":`...), e.ID)
	b = jsonenc.AppendTime(append(b, `,"at":`...), e.At)
	var err error
	switch {
	case e.Message != nil:
		b = e.Message.AppendJSON(append(b, `,"message":`...))
	case e.Note != nil:
		b, err = AppendJSON(append(b, `,"note":`...), e.Note)
	case e.Assignment != nil:
		b, err = AppendJSON(append(b, `,"assignment":`...), e.Assignment)
	case e.Attendance != nil:
		b, err = AppendJSON(append(b, `,"attendance":`...), e.Attendance)
	}
	return append(b, '}'), err
}

// AppendPage writes a page of a timeline.
func (p *TimelinePage) AppendPage(b []byte) (_ []byte, err error) {
	b = append(slices.Grow(b, 128+1024*len(p.Data)), `{"data":[`...)
	for i := range p.Data {
		if i > 0 {
			b = append(b, ',')
		}
		if b, err = p.Data[i].AppendJSON(b); err != nil {
			return b, err
		}
	}
	b = jsonenc.AppendNullString(append(b, `],"before":`...), p.Before)
	b = jsonenc.AppendNullString(append(b, `,"after":`...), p.After)
	return append(b, '}'), nil
}
