package desk

import (
	"context"
	"encoding/binary"
	"math"
	"slices"
	"time"

	"recado/internal/cursor"
	"recado/internal/model"
	"recado/internal/store"
)

// TimelineQuery is a place in a timeline and how much to read from there. At most one of the places is set.
type TimelineQuery struct {
	Limit  int
	Before string
	After  string
	Around *model.ID  // a message, or a note for those who may read notes
	At     *time.Time // the first message from then on
}

// Timeline reads one page of everything that happened in a conversation, newest first: its messages and, with the scopes
// for them, notes, assignments and the openings and closings of attendances.
func (d *Desk) Timeline(ctx context.Context, a *Principal, conversation model.ID, q TimelineQuery) (*model.TimelinePage, error) {
	if err := a.May(VerbTimeline); err != nil {
		return nil, err
	}
	if err := q.check(); err != nil {
		return nil, err
	}
	r := timelineReader{d: d, company: a.Company.ID, conversation: conversation, limit: q.Limit}
	r.parts = store.TimelineParts{Attendances: a.Scopes.Has(model.ScopeAttendancesRead), Notes: a.Scopes.Has(model.ScopeNotesRead)}
	return read(ctx, d, func(tx *store.Tx) (*model.TimelinePage, error) {
		visibility, _, found, err := tx.Visibility(a.Company.ID, conversation, 0)
		if err != nil || !found || !a.MaySeeBy(&visibility) {
			return nil, errOr(err, model.NotFound("conversation"))
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
		return model.Invalid("query", "send at most one of before, after, around and at")
	}
	return nil
}

// timelineReader reads pages of a conversation that the principal may see.
type timelineReader struct {
	d            *Desk
	tx           *store.Tx
	company      model.ID
	conversation model.ID
	parts        store.TimelineParts
	limit        int
}

var timelineEnd = model.TimelinePlace{Seq: math.MaxInt64 - 1}

func (r *timelineReader) page(q *TimelineQuery) (*model.TimelinePage, error) {
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
		place, found, err := r.tx.MessagePlaceAt(r.conversation, *q.At)
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
func (r *timelineReader) place(id model.ID) (model.TimelinePlace, error) {
	m, _, found, err := r.tx.Message(r.company, id)
	if err != nil {
		return model.TimelinePlace{}, err
	}
	if found && m.Conversation == r.conversation {
		return model.TimelinePlace{Seq: m.Seq, Rank: model.RankMessage, ID: m.ID}, nil
	}
	if r.parts.Notes {
		n, found, err := r.tx.Note(r.company, id)
		if err != nil || found && n.Conversation == r.conversation {
			return model.TimelinePlace{Seq: n.Seq, Rank: model.RankNote, ID: n.ID}, err
		}
	}
	return model.TimelinePlace{}, model.NotFound("message")
}

func (r *timelineReader) read(at model.TimelinePlace, newer bool, limit int) ([]model.TimelineEntry, error) {
	return r.tx.Timeline(r.company, r.conversation, at, newer, r.parts, limit)
}

// older is the page before a place.
func (r *timelineReader) older(at model.TimelinePlace) (*model.TimelinePage, error) {
	data, err := r.read(at, false, r.limit+1)
	if err != nil {
		return nil, err
	}
	page := &model.TimelinePage{Data: data[:min(len(data), r.limit)]}
	if len(data) > r.limit {
		page.Before = r.seal(data[r.limit-1].Place)
	}
	if len(data) > 0 {
		page.After = r.seal(data[0].Place)
	} else if at != timelineEnd {
		page.After = r.seal(model.TimelinePlace{Seq: at.Seq - 1, Rank: math.MaxInt32, ID: model.MaxID})
	}
	return page, nil
}

// newer is the page next to a place, so that nothing between is skipped.
func (r *timelineReader) newer(at model.TimelinePlace) (*model.TimelinePage, error) {
	data, err := r.read(at, true, r.limit)
	if err != nil {
		return nil, err
	}
	slices.Reverse(data)
	page := &model.TimelinePage{Data: data, After: r.seal(at)}
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
func (r *timelineReader) around(at model.TimelinePlace) (*model.TimelinePage, error) {
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
	page := &model.TimelinePage{Data: slices.Concat(newer, kept)}
	if len(older) > len(kept) {
		page.Before = r.seal(kept[len(kept)-1].Place)
	}
	if len(page.Data) > 0 {
		page.After = r.seal(page.Data[0].Place)
	}
	return page, nil
}

// behind is the next place after another one.
func behind(at model.TimelinePlace) model.TimelinePlace {
	return model.TimelinePlace{Seq: at.Seq, Rank: at.Rank + 1}
}

func (r *timelineReader) name() string { return "timeline " + r.conversation.String() }

func (r *timelineReader) seal(p model.TimelinePlace) *string {
	b := binary.BigEndian.AppendUint64(nil, uint64(p.Seq))
	b = binary.BigEndian.AppendUint64(b, uint64(p.Rank))
	text := r.d.cursors.Seal(r.company, r.name(), append(b, p.ID[:]...))
	return &text
}

func (r *timelineReader) open(cursor string) (model.TimelinePlace, error) {
	payload, invalid := r.d.cursors.Open(r.company, r.name(), cursor)
	if invalid != nil {
		return model.TimelinePlace{}, invalid
	}
	return model.TimelinePlace{
		Seq: int64(binary.BigEndian.Uint64(payload)), Rank: int64(binary.BigEndian.Uint64(payload[8:])), ID: model.ID(payload[16:]),
	}, nil
}

// Files lists the files of a conversation that the principal may see, the newest first. next is "" on the last page.
func (d *Desk) Files(ctx context.Context, a *Principal, conversation model.ID, limit int, after string) (page []model.File, next string, err error) {
	if err := a.May(VerbFiles); err != nil {
		return nil, "", err
	}
	list, before := "files "+conversation.String(), int64(math.MaxInt64)
	if after != "" {
		payload, invalid := d.cursors.Open(a.Company.ID, list, after)
		if invalid != nil {
			return nil, "", invalid
		}
		if before, invalid = cursor.ReadInt(payload); invalid != nil {
			return nil, "", invalid
		}
	}
	more := false
	page, err = read(ctx, d, func(tx *store.Tx) (page []model.File, err error) {
		c, found, err := tx.Conversation(a.Company.ID, conversation)
		if err != nil || !found || !a.MaySee(&c) {
			return nil, errOr(err, model.NotFound("conversation"))
		}
		page, more, err = tx.Files(conversation, before, limit)
		return page, err
	})
	if err == nil && more {
		next = d.cursors.Seal(a.Company.ID, list, cursor.Int(page[len(page)-1].Seq))
	}
	return page, next, err
}
