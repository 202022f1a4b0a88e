package store

import (
	"time"

	"github.com/go-json-experiment/json"

	"recado/internal/model"
)

// SaveMessageContent writes down what an edit, a deletion or a reaction made of a message.
func (tx *Tx) SaveMessageContent(m *model.Message) {
	tx.later(`
		UPDATE messages
		SET type = $3, text = $4, media = $5, edited_at = $6, revoked_at = $7, reactions = $8
		WHERE conversation = $1 AND seq = $2`,
		m.Conversation, m.Seq, m.Type, m.Text, m.MediaID, m.EditedAt, m.RevokedAt, writeReactions(m.Reactions))
}

// HistorySeq gives a free place in a conversation for a message of the imported history: before everything
// that arrived live, ordered by the time at which it was written, then by arrival.
func (tx *Tx) HistorySeq(conversation model.ID, written time.Time) (int64, error) {
	first := historyBegin + written.Unix()*historyEach
	seq := first
	_, err := tx.one(`SELECT MAX(seq) FROM messages WHERE conversation = $1 AND seq >= $2 AND seq < $3`,
		[]any{conversation, first, first + historyEach}, func(r Row) {
			if last := r.NullInt(0); last != nil {
				seq = *last + 1
			}
		})
	return seq, err
}

// The places of imported history. All are negative: the year 5138 is below 1e11 seconds.
const (
	historyBegin = -(int64(1) << 60)
	historyEach  = int64(1) << 20 // messages of one second
)

// scanAuthor reads who wrote a message of a group.
func scanAuthor(r Row, id, name int) *model.MessageAuthor {
	a := &model.MessageAuthor{}
	if !r.Null(name) {
		a.ID, a.Name = r.NullID(id), r.Text(name)
	}
	return a
}

// storedReaction is a reaction in the column reactions.
type storedReaction struct {
	Emoji   string     `json:"emoji,omitempty"`
	By      string     `json:"by"`
	User    *model.Ref `json:"user,omitempty"`
	Contact *model.ID  `json:"contact,omitempty"`
	At      int64      `json:"at"`
}

func writeReactions(rs model.Reactions) *string {
	if len(rs) == 0 {
		return nil
	}
	all := make([]storedReaction, len(rs))
	for i, r := range rs {
		all[i] = storedReaction{r.Emoji, r.By, r.User, r.Contact, r.At.UnixMilli()}
	}
	return writeJSON(&all)
}

// readReactions is for what writeReactions wrote; it gives nothing where that cannot be read.
func readReactions(written string) model.Reactions {
	var all []storedReaction
	_ = json.Unmarshal([]byte(written), &all)
	rs := make(model.Reactions, len(all))
	for i, r := range all {
		rs[i] = model.Reaction{Emoji: r.Emoji, By: r.By, User: r.User, Contact: r.Contact, At: time.UnixMilli(r.At).UTC()}
	}
	return rs
}

// writeJSON encodes a value of strings, ids and numbers; nil stays nil.
func writeJSON[T any](v *T) *string {
	if v == nil {
		return nil
	}
	b, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	s := string(b)
	return &s
}

// readJSON is for what writeJSON wrote.
func readJSON[T any](r Row, i int) *T {
	if r.Null(i) {
		return nil
	}
	v := new(T)
	if json.Unmarshal([]byte(r.Text(i)), v) != nil {
		return nil
	}
	return v
}
