package kernel

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"time"

	"recado/internal/kernel/db"
)

// Erasure lists what belongs to a person who is being erased. It contains no personal data.
type Erasure struct {
	Company       ID        `json:"company"`
	Contact       ID        `json:"contact"`
	Former        []ID      `json:"former"`        // contacts and conversations that were merged into these
	Conversations []ID      `json:"conversations"` // with the person; they stay without name and content
	Others        []ID      `json:"others"`        // further rows about the person, such as cards
	InGroups      []ID      `json:"in_groups"`     // messages of the person in groups that events or responses may still show, in order
	Files         []ID      `json:"files"`         // files that were uploaded lately, whose responses may still be stored
	At            time.Time `json:"at"`            // when the contact was removed
}

// Subjects returns the ids of the contact, the conversations, those that were merged into these, and the others.
func (e *Erasure) Subjects() []ID {
	return slices.Concat([]ID{e.Contact}, e.Former, e.Conversations, e.Others)
}

// mentions reports whether a JSON text contains one of the ids.
func mentions(text []byte, ids ...ID) bool {
	for _, id := range ids {
		if bytes.Contains(text, []byte(id.String())) {
			return true
		}
	}
	return false
}

// MentionedIn reports whether the body of an event from a time is about the person. Later events of the conversations do not know
// the person any more.
func (e *Erasure) MentionedIn(body []byte, at time.Time) bool {
	return mentions(body, e.Contact) || mentions(body, e.Former...) || e.quotedIn(body) || at.Before(e.At) && mentions(body, e.Conversations...)
}

// quotedIn reports whether a JSON text has the id of one of the messages in groups. There may be thousands of them.
func (e *Erasure) quotedIn(text []byte) bool {
	if len(e.InGroups) == 0 {
		return false
	}
	for part := range bytes.SplitSeq(text, []byte(`"`)) {
		if id, ok := ParseID(string(part)); ok {
			if _, found := slices.BinarySearchFunc(e.InGroups, id, CompareIDs); found {
				return true
			}
		}
	}
	return false
}

// eraseBatch is the number of stored responses that a transaction looks at.
const eraseBatch = 500

// EraseAnswers deletes a batch of the stored responses that are about the person or mention them. after is the result of the
// previous call; the result is empty at the end.
func (d *Kernel) EraseAnswers(ctx context.Context, e *Erasure, after string) (next string, err error) {
	type row struct {
		owner ID
		key   string
	}
	owner, afterKey, _ := strings.Cut(after, " ")
	first, _ := ParseID(owner)
	ids := append(e.Subjects(), e.Files...)
	return Write(ctx, d, func(tx *Tx) (next string, err error) {
		n, last := 0, row{}
		var gone []row
		err = tx.Query(`
			SELECT key_id, key, body, subject
			FROM idempotency
			WHERE company = $1 AND (key_id, key) > ($2, $3)
			ORDER BY key_id, key
			LIMIT $4`, []any{e.Company, OrFirst(first), afterKey, eraseBatch}, func(r db.Row) error {
			n, last = n+1, row{r.ID("key_id"), r.Text("key")}
			subject := r.NullID("subject")
			if subject != nil && slices.Contains(ids, *subject) || mentions(r.Bytes("body"), ids...) || e.quotedIn(r.Bytes("body")) {
				gone = append(gone, last)
			}
			return nil
		})
		for _, g := range gone {
			tx.Later(`DELETE FROM idempotency WHERE company = $1 AND key_id = $2 AND key = $3`, e.Company, g.owner, g.key)
		}
		if n == eraseBatch {
			next = last.owner.String() + " " + last.key
		}
		return next, err
	})
}
