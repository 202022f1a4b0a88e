package talk

import (
	"math"
	"slices"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

// Identity is what identifies a contact to WhatsApp.
type Identity struct {
	Kind  string `json:"kind"`
	Value string `json:"value"`
}

// IdentitiesOf returns what identifies a contact to WhatsApp. The caller has checked that the contact may be seen.
func IdentitiesOf(tx *kernel.Tx, company, contact kernel.ID) ([]Identity, error) {
	return kernel.Rows(tx, `SELECT kind, value FROM contact_identities WHERE company = $1 AND contact = $2 ORDER BY kind, value`,
		[]any{company, contact}, func(r db.Row) Identity { return Identity{r.Text("kind"), r.Text("value")} })
}

// ConversationsOf returns the conversations with a contact that the principal may see, oldest first.
func ConversationsOf(tx *kernel.Tx, a *kernel.Principal, contact kernel.ID) ([]Conversation, error) {
	all, err := kernel.Rows(tx, `SELECT`+conversationColumns+` FROM conversations c WHERE c.company = $1 AND c.contact = $2 ORDER BY c.id`,
		[]any{a.Company.ID, contact}, scanConversation)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(c Conversation) bool { return !MaySee(a, &c) })
	pointers := make([]*Conversation, len(all))
	for i := range all {
		pointers[i] = &all[i]
	}
	return all, addDrafts(tx, a, pointers...)
}

// FirstMessage is the position before the first message of a conversation; see MessagesAfter.
const FirstMessage = math.MinInt64

// MessagesAfter returns up to limit messages of a conversation that follow the position of another one, oldest first.
func MessagesAfter(tx *kernel.Tx, a *kernel.Principal, conversation kernel.ID, seq int64, limit int) ([]Message, error) {
	page, _, v, err := messagePage(tx, a.Company.ID, conversation, seq, true, limit)
	if err != nil || len(page) > 0 && !a.MaySeeBy(&v) {
		return nil, kernel.ErrOr(err, kernel.NotFound("conversation"))
	}
	return page, nil
}

// FirstID is before the ids of all messages; see MessagesBy. The zero id would be NULL.
var FirstID = kernel.ID{15: 1}

// MessagesBy returns up to limit messages in groups by a contact, with ids after another one, in the order of their ids. It leaves out
// groups that the principal may not see. next is the id after which to continue, or nil at the end.
func MessagesBy(tx *kernel.Tx, a *kernel.Principal, author, after kernel.ID, limit int) (page []Message, next *kernel.ID, err error) {
	n := 0
	err = tx.Query(`
		SELECT`+messageColumns+`, `+visibilityColumns+`
		FROM messages m
		JOIN conversations c ON c.company = m.company AND c.id = m.conversation`+messageFile+`
		WHERE m.company = $1 AND m.author = $2 AND m.id > $3
		ORDER BY m.id
		LIMIT $4`, []any{a.Company.ID, author, after, limit}, func(r db.Row) error {
		m, v := scanMessage(r), scanVisibility(r)
		if a.MaySeeBy(&v) {
			page = append(page, m)
		}
		n, next = n+1, &m.ID
		return nil
	})
	if n < limit {
		next = nil
	}
	return page, next, err
}

// CountMessages returns the number of messages of conversations.
func CountMessages(tx *kernel.Tx, company kernel.ID, conversations []kernel.ID) (n int64, err error) {
	s := tx.Statement()
	s.WriteString(`SELECT COUNT(*) AS total FROM messages WHERE company = ` + s.Arg(company) + ` AND conversation IN (` + db.Listed(conversations)(s) + `)`)
	_, err = tx.One(s.String(), s.Args, func(r db.Row) { n = r.Int("total") })
	return n, err
}
