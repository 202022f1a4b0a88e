package talk

import (
	"recado/internal/kernel"
	"recado/internal/search"
)

// findIndexText brings the text index of conversations, contacts and cards up to date for at most n rows; see search.Update.
func findIndexText(tx *kernel.Tx, n int) (done int, err error) { return search.Update(tx.On, n) }

// indexMessages brings the text index of messages up to date for at most n of them; see search.UpdateMessages.
func indexMessages(tx *kernel.Tx, n int) (done int, err error) {
	return search.UpdateMessages(tx.On, n)
}

// NewSearchText gives the text that a caller typed.
func NewSearchText(q string) search.Text { return search.NewText(q) }
