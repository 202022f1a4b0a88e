package store

import (
	"cmp"
	"slices"

	"recado/internal/model"
	"recado/internal/store/search"
)

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

// SetViewers says who sees a private channel. A public one has no viewers.
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
		WHERE company = $1 AND id = $2 AND NOT EXISTS (SELECT 1 FROM conversations c WHERE c.channel = channels.id)`, company, channel, private)
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
func (tx *Tx) privateConversations(f *ConversationFilter) ([]model.Conversation, bool, error) {
	s := tx.statement()
	s.WriteString("SELECT" + conversationColumns + "\n\tFROM conversations c\n\tWHERE c.company = " + s.Arg(f.Company))
	s.And("c.private", s.In("c.channel", f.Sight.Private))
	f.andFilters(s)
	search.NewText(f.Q).Check(s, "c.folded")
	s.WriteString(f.order())
	tx.page(s, f.Offset+f.Limit, 0)
	return collect(tx, s, f.Offset+f.Limit, scanConversation)
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
	page, more := merged(shown, private, compareConversations, f.Offset, f.Limit, more || also)
	return page, more, nil
}

// compareConversations is the order of the list.
func compareConversations(x, y model.Conversation) int {
	if x.Pinned != y.Pinned {
		if x.Pinned {
			return -1
		}
		return 1
	}
	return compareActivity(x, y)
}

// compareActivity puts the conversation with the newest activity first.
func compareActivity(x, y model.Conversation) int {
	return cmp.Or(y.ActivityAt.Compare(x.ActivityAt), slices.Compare(y.ID[:], x.ID[:]))
}
