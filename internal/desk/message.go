package desk

import (
	"context"
	"math"
	"slices"

	"recado/internal/model"
	"recado/internal/store"
)

// MessageQuery is a place in a conversation and how much to read from there. At most one of Before
// and After is set.
type MessageQuery struct {
	Limit  int
	Before string
	After  string
}

// Messages reads one page of a conversation, newest first. With After it is the page next to the
// cursor, so that nothing between is skipped.
func (d *Desk) Messages(ctx context.Context, a *Principal, conversation model.ID, q MessageQuery) (*model.MessagePage, error) {
	if err := a.May(VerbMessages); err != nil {
		return nil, err
	}
	if q.Before != "" && q.After != "" {
		return nil, model.Invalid("query.after", "give either before or after, not both")
	}
	place := messageCursor{d.cursors, a.Company.ID, "messages " + conversation.String()}
	if q.After != "" {
		return d.messagesAfter(ctx, a, conversation, place, q)
	}
	return d.messagesBefore(ctx, a, conversation, place, q)
}

func (d *Desk) messagesBefore(ctx context.Context, a *Principal, conversation model.ID, place messageCursor, q MessageQuery) (*model.MessagePage, error) {
	seq := int64(math.MaxInt64)
	if q.Before != "" {
		var invalid *model.Error
		if seq, invalid = place.open(q.Before); invalid != nil {
			return nil, invalid
		}
	}
	page, err := readOne(ctx, d, func(tx *store.Tx) (*model.MessagePage, error) {
		data, g, err := tx.MessagesBefore(a.Company.ID, conversation, seq, q.Limit+1)
		if err != nil || len(data) > 0 && !a.seesGlimpse(g) {
			return nil, errOr(err, model.NotFound("conversation"))
		}
		page := &model.MessagePage{Data: data[:min(len(data), q.Limit)]}
		if len(data) > q.Limit {
			page.Before = place.seal(data[q.Limit-1].Seq)
		}
		return page, nil
	})
	if err != nil {
		return nil, err
	}
	if len(page.Data) > 0 {
		page.After = place.seal(page.Data[0].Seq)
		return page, nil
	}
	if _, err := d.emptyPage(ctx, a, conversation, 0); err != nil {
		return nil, err
	}
	if q.Before != "" {
		page.After = place.seal(seq - 1)
	}
	return page, nil
}

func (d *Desk) messagesAfter(ctx context.Context, a *Principal, conversation model.ID, place messageCursor, q MessageQuery) (*model.MessagePage, error) {
	seq, invalid := place.open(q.After)
	if invalid != nil {
		return nil, invalid
	}
	var older bool
	page, err := readOne(ctx, d, func(tx *store.Tx) (*model.MessagePage, error) {
		data, before, g, err := tx.MessagesAfter(a.Company.ID, conversation, seq, q.Limit)
		if err != nil || len(data) > 0 && !a.seesGlimpse(g) {
			return nil, errOr(err, model.NotFound("conversation"))
		}
		older = before
		return &model.MessagePage{Data: data}, nil
	})
	if err != nil {
		return nil, err
	}
	newest, oldest := seq, seq+1
	if n := len(page.Data); n > 0 {
		slices.Reverse(page.Data)
		newest, oldest = page.Data[0].Seq, page.Data[n-1].Seq
	} else if older, err = d.emptyPage(ctx, a, conversation, seq); err != nil {
		return nil, err
	}
	page.After = place.seal(newest)
	if older {
		page.Before = place.seal(oldest)
	}
	return page, nil
}

// emptyPage tells an empty page from a conversation that the principal may not know of. It reports whether
// there are messages up to seq.
func (d *Desk) emptyPage(ctx context.Context, a *Principal, conversation model.ID, seq int64) (older bool, err error) {
	return readOne(ctx, d, func(tx *store.Tx) (bool, error) {
		g, older, found, err := tx.Glimpse(a.Company.ID, conversation, seq)
		if err != nil || !found || !a.seesGlimpse(g) {
			return false, errOr(err, model.NotFound("conversation"))
		}
		return older, nil
	})
}

// messageCursor seals places in one conversation.
type messageCursor struct {
	key     model.CursorKey
	company model.ID
	filter  string
}

func (c messageCursor) seal(seq int64) *string {
	text := c.key.Seal(c.company, c.filter, model.CursorInt(seq))
	return &text
}

func (c messageCursor) open(text string) (int64, *model.Error) {
	payload, invalid := c.key.Open(c.company, c.filter, text)
	if invalid != nil {
		return 0, invalid
	}
	return model.ReadCursorInt(payload)
}

func (a *Principal) seesGlimpse(g store.Glimpse) bool {
	return a.reaches(g.Private, g.Channel) && a.sees(g.Assignee, g.Sector)
}

// Message gives one message.
func (d *Desk) Message(ctx context.Context, a *Principal, id model.ID) (*model.Message, error) {
	if err := a.May(VerbMessage); err != nil {
		return nil, err
	}
	return readOne(ctx, d, func(tx *store.Tx) (*model.Message, error) {
		m, g, found, err := tx.Message(a.Company.ID, id)
		if err != nil || !found || !a.seesGlimpse(g) {
			return nil, errOr(err, model.NotFound("message"))
		}
		return &m, nil
	})
}
