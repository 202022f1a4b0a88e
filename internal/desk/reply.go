package desk

import (
	"context"
	"slices"

	"recado/internal/model"
	"recado/internal/store"
)

// ReplyChange is what of a canned reply is to change; nil or unset leaves a part as it is.
type ReplyChange struct {
	Shortcut  *string
	Title     *string
	Text      *string
	MediaID   model.Optional[model.ID]
	SectorIDs *[]model.ID
}

// Replies lists the canned replies of the team and the caller's own, by shortcut.
func (d *Desk) Replies(ctx context.Context, a *Principal) ([]model.Reply, error) {
	if err := a.May(VerbReplies); err != nil {
		return nil, err
	}
	return read(ctx, d, func(tx *store.Tx) ([]model.Reply, error) {
		replies, err := tx.Replies(a.Company.ID, a.User.ID)
		if err != nil {
			return nil, err
		}
		return replies, dropRemovedSectors(tx, a, pointers(replies)...)
	})
}

// dropRemovedSectors leaves out sectors that do not exist any more.
func dropRemovedSectors(tx *store.Tx, a *Principal, replies ...*model.Reply) error {
	if !slices.ContainsFunc(replies, func(p *model.Reply) bool { return len(p.SectorIDs) > 0 }) {
		return nil
	}
	ids, err := tx.SectorIDs(a.Company.ID)
	present := make(map[model.ID]bool, len(ids))
	for _, id := range ids {
		present[id] = true
	}
	for _, p := range replies {
		p.SectorIDs = slices.DeleteFunc(p.SectorIDs, func(id model.ID) bool { return !present[id] })
	}
	return err
}

// CreateReply adds a canned reply: one of the caller's own, or with owner null one of the team's.
func (d *Desk) CreateReply(ctx context.Context, a *Principal, owner model.Optional[model.ID], in ReplyChange) (model.Reply, error) {
	if err := a.May(VerbCreateReply); err != nil {
		return model.Reply{}, err
	}
	p := model.Reply{ID: model.NewID(), Owner: &a.User, SectorIDs: []model.ID{}}
	limit, plural := int64(model.MaxOwnReplies), "canned replies of one person"
	switch id := owner.Pointer(); {
	case id != nil && *id != a.User.ID:
		return p, model.Invalid("body.owner", "must be null, for a reply of the team, or your own id")
	case owner.Set && owner.Null:
		if err := a.mayManageReplies(); err != nil {
			return p, err
		}
		p.Owner, limit, plural = nil, model.MaxTeamReplies, "canned replies of the team"
	}
	return writeAnswer(ctx, d, func(tx *store.Tx) (model.Reply, error) {
		n, err := tx.CountReplies(a.Company.ID, refID(p.Owner))
		if err != nil {
			return p, err
		}
		if n >= limit {
			return p, model.LimitReached(plural, limit)
		}
		made := p
		if err := d.fillReply(tx, a, &made, &in); err != nil {
			return p, err
		}
		if fresh, err := tx.InsertReply(a.Company.ID, &made); err != nil || !fresh {
			return p, errOr(err, errShortcut(made.Shortcut))
		}
		return made, nil
	})
}

// mayManageReplies reports whether the principal may change the canned replies of the team.
func (a *Principal) mayManageReplies() error {
	switch {
	case a.Scopes.Has(model.ScopeRepliesManage):
		return nil
	case a.kind == KindSession:
		return model.Errorf(model.CodeInsufficientRole, "Canned replies of the team are managed by members with the role manager or above.")
	}
	return errScope(a, model.ScopeRepliesManage)
}

func errShortcut(shortcut string) error {
	return model.Errorf(model.CodeNameTaken, "There is already a canned reply with the shortcut %q. Choose another one.", shortcut)
}

// UpdateReply changes a canned reply of the caller's own, or one of the team's.
func (d *Desk) UpdateReply(ctx context.Context, a *Principal, id model.ID, in ReplyChange) (model.Reply, error) {
	if err := a.May(VerbUpdateReply); err != nil {
		return model.Reply{}, err
	}
	return write(ctx, d, func(tx *store.Tx) (model.Reply, error) {
		tx.LockCompany(a.Company.ID) // no other reply takes the shortcut meanwhile
		p, err := editableReply(tx, a, id)
		if err != nil {
			return p, err
		}
		if err := d.fillReply(tx, a, &p, &in); err != nil {
			return p, err
		}
		if saved, err := tx.SaveReply(a.Company.ID, &p); err != nil || !saved {
			return p, errOr(err, errShortcut(p.Shortcut))
		}
		return p, nil
	})
}

// DeleteReply removes a canned reply of the caller's own, or one of the team's.
func (d *Desk) DeleteReply(ctx context.Context, a *Principal, id model.ID) error {
	if err := a.May(VerbDeleteReply); err != nil {
		return err
	}
	_, err := write(ctx, d, func(tx *store.Tx) (struct{}, error) {
		_, err := editableReply(tx, a, id)
		if err == nil {
			tx.DeleteReply(a.Company.ID, id)
		}
		return struct{}{}, err
	})
	return err
}

// editableReply gives a canned reply that the principal may change. Another person's does not exist for them.
func editableReply(tx *store.Tx, a *Principal, id model.ID) (model.Reply, error) {
	p, found, err := tx.LockReply(a.Company.ID, id)
	if err != nil || !found || !ownOrShared(a, &p) {
		return p, errOr(err, model.NotFound("canned reply"))
	}
	if p.Owner == nil {
		return p, a.mayManageReplies()
	}
	return p, nil
}

func ownOrShared(a *Principal, p *model.Reply) bool { return p.Owner == nil || p.Owner.ID == a.User.ID }

// fillReply checks a change and applies it.
func (d *Desk) fillReply(tx *store.Tx, a *Principal, p *model.Reply, in *ReplyChange) error {
	set(&p.Shortcut, in.Shortcut)
	if invalid := model.Shortcut("body.shortcut", p.Shortcut); invalid != nil {
		return invalid
	}
	set(&p.Title, in.Title)
	title, invalid := model.Name("body.title", p.Title, model.MaxName)
	if invalid != nil {
		return invalid
	}
	p.Title = title
	set(&p.Text, in.Text)
	if in.MediaID.Set {
		if p.MediaID = in.MediaID.Pointer(); p.MediaID != nil {
			if _, err := d.usableMedia(tx, a, *p.MediaID); err != nil {
				return err
			}
		}
	}
	if invalid := checkReplyText(p); invalid != nil {
		return invalid
	}
	p.UpdatedAt = tx.Now
	if in.SectorIDs == nil {
		return dropRemovedSectors(tx, a, p)
	}
	p.SectorIDs = slices.Clone(*in.SectorIDs)
	return checkSectors(tx, a, p.SectorIDs)
}

func checkReplyText(p *model.Reply) *model.Error {
	check, most := model.Text, model.MaxText
	if p.MediaID != nil {
		check, most = model.OptionalText, model.MaxCaption
	}
	if _, invalid := check("body.text", p.Text, most); invalid != nil {
		return invalid
	}
	return model.CheckVariables("body.text", p.Text)
}

// RenderReply gives a canned reply with the values of a conversation. A message of the caller there that contains the
// result counts as a use.
func (d *Desk) RenderReply(ctx context.Context, a *Principal, id, conversation model.ID) (model.Rendered, error) {
	if err := a.May(VerbRenderReply); err != nil {
		return model.Rendered{}, err
	}
	return writeAnswer(ctx, d, func(tx *store.Tx) (model.Rendered, error) {
		p, found, err := tx.Reply(a.Company.ID, id)
		if err != nil || !found || !ownOrShared(a, &p) {
			return model.Rendered{}, errOr(err, model.NotFound("canned reply"))
		}
		c, found, err := tx.Conversation(a.Company.ID, conversation)
		if err != nil || !found || !a.MaySee(&c) {
			return model.Rendered{}, errOr(err, model.Invalid("body.conversation_id", "there is no such conversation"))
		}
		values, err := replyValues(tx, a, &c)
		if err != nil {
			return model.Rendered{}, err
		}
		out := model.Rendered{Text: model.RenderVariables(p.Text, values), MediaID: p.MediaID, Conversation: conversation}
		tx.KeepRendering(a.Company.ID, a.User.ID, conversation, store.Rendering{Reply: id, Text: out.Text, Media: p.MediaID})
		return out, nil
	})
}

// replyValues gives the values that a conversation has for the variables of canned replies.
func replyValues(tx *store.Tx, a *Principal, c *model.Conversation) (map[string]string, error) {
	values := map[string]string{model.VarUserName: a.User.Name, model.VarCompany: a.Company.Name}
	if c.Contact != nil {
		contact, _, err := tx.Contact(a.Company.ID, *c.Contact)
		if err != nil {
			return nil, err
		}
		if first := model.FirstName(contact.Name); first != "" {
			values[model.VarContactName], values[model.VarContactFirst] = contact.Name, first
		}
	}
	if c.Attendance != nil {
		values[model.VarProtocol] = c.Attendance.Protocol
	}
	if c.Sector == nil {
		return values, nil
	}
	name, err := tx.SectorName(a.Company.ID, *c.Sector)
	values[model.VarSector] = name
	return values, err
}

// countUses counts the renderings that a message contains.
func countUses(tx *store.Tx, a *Principal, m *model.Message) error {
	renderings, err := tx.Renderings(a.Company.ID, a.User.ID, m.Conversation)
	for _, r := range renderings {
		sent := m.Text != nil && model.ContainsRendering(*m.Text, r.Text)
		if r.Text == "" {
			sent = same(m.MediaID, r.Media)
		}
		if sent {
			tx.CountUse(a.Company.ID, a.User.ID, m.Conversation, r.Reply)
		}
	}
	return err
}
