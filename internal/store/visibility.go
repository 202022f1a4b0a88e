package store

import (
	"cmp"
	"slices"

	"recado/internal/model"
	"recado/internal/store/search"
)

// Sight is how far a member sees: everything, or what is assigned to them or lies in one of their sectors.
type Sight struct {
	All     bool
	Member  model.ID
	Sectors []model.ID
	Private []model.ID // the private channels that a list shows beside the public ones
}

// PrivateChannels lists the company's private channels with the present members who see them.
func (tx *Tx) PrivateChannels(company model.ID) ([]model.PrivateChannel, error) {
	channels := []model.PrivateChannel{}
	err := tx.query(`
		SELECT ch.id, ch.name, u.id, u.name
		FROM channels ch
		LEFT JOIN channel_viewers v ON v.company = ch.company AND v.channel = ch.id
		LEFT JOIN users u ON u.id = v.member AND u.removed_at IS NULL
		WHERE ch.company = $1 AND ch.private
		ORDER BY ch.id, u.name, u.id`, []any{company}, func(r Row) error {
		if n := len(channels); n == 0 || channels[n-1].ID != r.ID(0) {
			channels = append(channels, model.PrivateChannel{ID: r.ID(0), Name: r.Text(1), Viewers: []model.Ref{}})
		}
		if last := &channels[len(channels)-1]; !r.Null(2) {
			last.Viewers = append(last.Viewers, model.Ref{ID: r.ID(2), Name: r.Text(3)})
		}
		return nil
	})
	return channels, err
}

// IsLastViewer reports whether a private channel has no present viewer but this member.
func (tx *Tx) IsLastViewer(company, member model.ID) (bool, error) {
	return tx.one(`
		SELECT 1
		FROM channel_viewers v
		JOIN channels ch ON ch.id = v.channel AND ch.private
		WHERE v.company = $1 AND v.member = $2
			AND NOT EXISTS (
				SELECT 1
				FROM channel_viewers o
				JOIN users u ON u.id = o.member AND u.removed_at IS NULL
				WHERE o.company = $1 AND o.channel = v.channel AND o.member <> $2)
		LIMIT 1`, []any{company, member}, func(Row) {})
}

// SetViewers sets the members who see a private channel; a public channel has none.
func (tx *Tx) SetViewers(company, channel model.ID, members []model.ID) {
	tx.later(`DELETE FROM channel_viewers WHERE company = $1 AND channel = $2`, company, channel)
	for _, member := range members {
		tx.later(`INSERT INTO channel_viewers (company, channel, member) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`, company, channel, member)
	}
}

// SetChannelPrivate makes a channel private or public unless it has a conversation, and reports whether it did.
func (tx *Tx) SetChannelPrivate(company, channel model.ID, private bool) (bool, error) {
	n, err := tx.exec(`
		UPDATE channels
		SET private = $3
		WHERE company = $1 AND id = $2 AND NOT EXISTS (SELECT 1 FROM conversations c WHERE c.company = $1 AND c.channel = channels.id)`, company, channel, private)
	return n == 1, err
}

// merged puts the rows of two pages of the same list in order and keeps limit of them behind offset.
func merged[T any](a, b []T, compare func(x, y T) int, offset, limit int, more bool) ([]T, bool) {
	all := append(slices.Clone(a), b...)
	slices.SortStableFunc(all, compare)
	from := min(offset, len(all))
	to := min(from+limit, len(all))
	return all[from:to], more || to < len(all)
}

// privateConversations lists the conversations of the private channels that the member sees, in the order of the
// list, up to the end of the page. There are few.
func (tx *Tx) privateConversations(f *ConversationFilter) (page []model.Conversation, more bool, err error) {
	for _, part := range f.parts() {
		s := tx.statement()
		s.WriteString("SELECT" + conversationColumns + "\n\tFROM conversations c\n\tWHERE c.company = " + s.Arg(f.Company))
		s.And("c.private", s.In("c.channel", f.Sight.Private))
		part.andPart(s)
		part.andFilters(s)
		part.andBehind(s)
		search.NewText(f.Q).Check(s, "c.folded")
		s.WriteString(part.order())
		tx.page(s, f.Offset+f.Limit, 0)
		rows, further, err := collect(tx, s, f.Offset+f.Limit, scanConversation)
		if err != nil {
			return nil, false, err
		}
		page, more = append(page, rows...), more || further
	}
	return page, more, nil
}

// parts are the parts of a list by OldestWaiting, each from the place After on, or the whole list. What they show is
// private.
func (f *ConversationFilter) parts() []ConversationFilter {
	whole := *f
	whole.Sight = f.Sight.private()
	if !f.OldestWaiting || f.Status == model.ListClosed {
		return []ConversationFilter{whole}
	}
	waiting, rest := whole, whole
	waiting.part, rest.part = partWaiting, partRest
	if f.After != nil && f.After.Waiting == 0 {
		return []ConversationFilter{rest}
	}
	rest.After = nil
	return []ConversationFilter{waiting, rest}
}

// withPrivate is Conversations for a member who sees private channels.
func (tx *Tx) withPrivate(f ConversationFilter) ([]model.Conversation, bool, error) {
	public := f
	public.Offset, public.Limit, public.Sight.Private = 0, f.Offset+f.Limit, nil
	shown, more, err := tx.Conversations(public)
	if err != nil {
		return nil, false, err
	}
	private, also, err := tx.privateConversations(&f)
	if err != nil {
		return nil, false, err
	}
	page, more := merged(shown, private, f.compare, f.Offset, f.Limit, more || also)
	return page, more, nil
}

// compare is the order of the list.
func (f *ConversationFilter) compare(x, y model.Conversation) int {
	a, b := f.PlaceOf(&x), f.PlaceOf(&y)
	switch {
	case (a.Waiting != 0) != (b.Waiting != 0):
		return cmp.Compare(b.Waiting, a.Waiting) // 0 comes last
	case a.Waiting != b.Waiting:
		return cmp.Compare(a.Waiting, b.Waiting)
	case a.Waiting != 0:
		return slices.Compare(a.ID[:], b.ID[:])
	case a.Pinned != b.Pinned && a.Pinned:
		return -1
	case a.Pinned != b.Pinned:
		return 1
	}
	return compareActivity(x, y)
}

// compareActivity puts the conversation with the newest activity first.
func compareActivity(x, y model.Conversation) int {
	return cmp.Or(y.ActivityAt.Compare(x.ActivityAt), slices.Compare(y.ID[:], x.ID[:]))
}
