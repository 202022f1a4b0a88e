package desk

import (
	"context"
	"fmt"
	"time"

	"recado/internal/model"
	"recado/internal/store"
)

// AttendanceFilter chooses attendances of a list. Zero values choose all.
type AttendanceFilter struct {
	Status       string // "", open or closed
	Nobody       bool   // those that nobody is responsible for
	Responsible  model.ID
	Sector       model.ID
	Conversation model.ID
	Protocol     string // with or without the prefix and leading zeros
	From         string // RFC 3339, or a day of the company's: opened then or later
	To           string // likewise: opened before
	Limit        int
	Cursor       string
}

// Attendances lists the attendances that the principal may see, the newest first. A page continues where the
// one before it ended, whatever was opened or closed meanwhile. next is "" on the last page.
func (d *Desk) Attendances(ctx context.Context, a *Principal, f AttendanceFilter) (page []model.Attendance, next string, err error) {
	if err := a.May(VerbAttendances); err != nil {
		return nil, "", err
	}
	chosen, err := f.chosen(a)
	if err != nil {
		return nil, "", err
	}
	name := f.name()
	var openedAt int64
	var after model.ID
	if f.Cursor != "" {
		payload, invalid := d.cursors.Open(a.Company.ID, name, f.Cursor)
		if invalid == nil {
			openedAt, after, invalid = model.ReadCursorIntID(payload)
		}
		if invalid != nil {
			return nil, "", invalid
		}
	}
	var more bool
	look, sight := d.store.ReadOne, a.sight()
	if len(sight.Sectors) > 0 || len(sight.Private) > 0 {
		look = d.store.Read // counts first what lies in the sectors; private ones are read apart
	}
	err = look(ctx, func(tx *store.Tx) (err error) {
		page, more, err = tx.Attendances(a.Company.ID, chosen, sight, openedAt, after, f.Limit)
		return err
	})
	if err == nil && more {
		last := page[f.Limit-1]
		next = d.cursors.Seal(a.Company.ID, name, model.CursorIntID(last.OpenedAt.UnixMilli(), last.ID))
	}
	return page, next, err
}

// chosen reads the parts of the filter that are text.
func (f *AttendanceFilter) chosen(a *Principal) (store.AttendanceFilter, error) {
	out := store.AttendanceFilter{
		Status: f.Status, Nobody: f.Nobody, Responsible: f.Responsible, Sector: f.Sector, Conversation: f.Conversation,
	}
	if f.Protocol != "" {
		number, ok := model.ParseProtocol(f.Protocol)
		if !ok && len(a.Views) > 0 {
			number, ok = model.ParsePrivateProtocol(f.Protocol)
		}
		if !ok {
			return out, model.Invalid("query.protocol", "must be a protocol number such as "+model.FormatProtocol(123))
		}
		out.Number = number
	}
	zone, invalid := model.LoadZone("timezone", a.Company.Timezone)
	if invalid != nil {
		return out, fmt.Errorf("company %s: %s", a.Company.ID, invalid.Message)
	}
	for _, bound := range []struct {
		field, text string
		to          **time.Time
	}{{"query.from", f.From, &out.From}, {"query.to", f.To, &out.To}} {
		if bound.text == "" {
			continue
		}
		at, err := model.ParseMoment(bound.text, zone)
		if err != nil {
			return out, model.Invalid(bound.field, err.Error())
		}
		*bound.to = &at
	}
	if out.From != nil && out.To != nil && out.From.After(*out.To) {
		return out, model.Invalid("query.from", "must not come after to")
	}
	return out, nil
}

// name tells the list that a cursor belongs to from all others.
func (f *AttendanceFilter) name() string {
	return fmt.Sprintf("attendances %q %t %s %s %s %q %q %q",
		f.Status, f.Nobody, f.Responsible, f.Sector, f.Conversation, f.Protocol, f.From, f.To)
}

// Attendance gives one attendance whose conversation the principal may see.
func (d *Desk) Attendance(ctx context.Context, a *Principal, id model.ID) (model.Attendance, error) {
	if err := a.May(VerbAttendance); err != nil {
		return model.Attendance{}, err
	}
	return read(ctx, d, func(tx *store.Tx) (model.Attendance, error) {
		att, found, err := tx.Attendance(a.Company.ID, id)
		if err != nil || !found {
			return att, errOr(err, model.NotFound("attendance"))
		}
		c, found, err := tx.Conversation(a.Company.ID, att.Conversation)
		if err != nil || !found || !a.MaySee(&c) {
			return att, errOr(err, model.NotFound("attendance"))
		}
		return att, nil
	})
}

// CurrentAttendance gives the open attendance of a conversation, or nil.
func (d *Desk) CurrentAttendance(ctx context.Context, a *Principal, conversation model.ID) (*model.Attendance, error) {
	if err := a.May(VerbCurrentAttendance); err != nil {
		return nil, err
	}
	return read(ctx, d, func(tx *store.Tx) (*model.Attendance, error) {
		c, found, err := tx.Conversation(a.Company.ID, conversation)
		if err != nil || !found || !a.MaySee(&c) {
			return nil, errOr(err, model.NotFound("conversation"))
		}
		if c.Attendance == nil {
			return nil, nil
		}
		att, found, err := tx.Attendance(a.Company.ID, c.Attendance.ID)
		if err != nil || !found {
			return nil, errOr(err, errAttendanceLost(c.Attendance.ID))
		}
		return &att, nil
	})
}
