package boards

import (
	"bytes"
	"slices"

	"recado/internal/fold"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/search"
)

const cardColumns = `
	c.id, c.company, c.board, c.stage, c.title, c.description, c.priority, c.labels, c.due_at, c.assignee, c.contact,
	c.conversation, c.attendance, c.private, ` + cardHidden + `, c.status, c.rank, c.version, c.created_at, c.updated_at, c.completed_at,
	c.created_by`

func scanCard(r db.Row) Card {
	return Card{
		ID: r.ID(0), Company: r.ID(1), BoardID: r.ID(2), StageID: r.ID(3), Title: r.Text(4), Description: r.NullText(5),
		Priority: r.Text(6), LabelIDs: kernel.UnpackIDs(r.Bytes(7)), DueAt: r.NullTime(8), Assignee: r.NullID(9), Contact: r.NullID(10),
		Conversation: r.NullID(11), Attendance: r.NullID(12), Private: r.Bool(13), Hidden: r.Bool(14), Status: r.Text(15),
		Position: r.Text(16), Version: r.Int(17), CreatedAt: r.Time(18), UpdatedAt: r.Time(19), CompletedAt: r.NullTime(20),
		CreatedBy: r.NullID(21),
	}
}

// CardRow is a card with what decides who may see it: the channel, the responsible person and the sector of its
// conversation.
type CardRow struct {
	Card
	ConversationAssignee *kernel.ID
	ConversationSector   *kernel.ID
	ConversationChannel  *kernel.ID
}

// findCard gives one card of the company, invisible ones included: the caller checks who may see it.
func findCard(tx *kernel.Tx, company, id kernel.ID) (CardRow, bool, error) {
	return selectCard(tx, company, id, "")
}

// lockCard is Card, and keeps every other writer away from it until the end of the transaction.
func lockCard(tx *kernel.Tx, company, id kernel.ID) (CardRow, bool, error) {
	tx.ShareVisibility(company)
	return selectCard(tx, company, id, tx.Dialect().Lock(` FOR UPDATE OF c`))
}

func selectCard(tx *kernel.Tx, company, id kernel.ID, lock string) (CardRow, bool, error) {
	var c CardRow
	found, err := tx.One(`
		SELECT`+cardColumns+`, v.assignee, v.sector, v.channel
		FROM cards c
		LEFT JOIN conversations v ON v.company = c.company AND v.id = c.conversation
		WHERE c.company = $1 AND c.id = $2`+lock, []any{company, id}, func(r db.Row) {
		c = CardRow{scanCard(r), r.NullID(22), r.NullID(23), r.NullID(24)}
	})
	return c, found, err
}

// lockAttendanceCard finds and locks the card that follows an attendance.
func lockAttendanceCard(tx *kernel.Tx, company, attendance kernel.ID) (Card, bool, error) {
	var c Card
	found, err := tx.One(`SELECT`+cardColumns+` FROM cards c WHERE c.company = $1 AND c.attendance = $2`+tx.ForUpdate(),
		[]any{company, attendance}, func(r db.Row) { c = scanCard(r) })
	return c, found, err
}

// InsertCard adds a card with its labels.
func InsertCard(tx *kernel.Tx, c *Card) {
	tx.Later(`
		INSERT INTO cards (company, id, board, stage, title, description, folded, unindexed, priority, labels, due_at, assignee,
			contact, conversation, attendance, private, hidden, status, rank, version, created_at, updated_at, completed_at,
			created_by)
		VALUES ($1, $2, $3, $4, $5, $6, $7, TRUE, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23)`,
		c.Company, c.ID, c.BoardID, c.StageID, c.Title, c.Description, fold.Text(cardText(c)), c.Priority, kernel.PackIDs(c.LabelIDs), c.DueAt, c.Assignee,
		c.Contact, c.Conversation, c.Attendance, c.Private, c.Hidden, c.Status, c.Position, c.Version, c.CreatedAt, c.UpdatedAt, c.CompletedAt,
		c.CreatedBy)
	insertCardLabels(tx, c)
}

// saveCard writes what changed between two states of a card whose row is locked.
func saveCard(tx *kernel.Tx, was, c *Card) {
	tx.Later(`
		UPDATE cards
		SET board = $3, stage = $4, title = $5, description = $6, priority = $7, labels = $8, due_at = $9, assignee = $10, contact = $11,
			conversation = $12, private = $13, status = $14, rank = $15, version = $16, updated_at = $17, completed_at = $18,
			hidden = $19
		WHERE company = $1 AND id = $2`,
		c.Company, c.ID, c.BoardID, c.StageID, c.Title, c.Description, c.Priority, kernel.PackIDs(c.LabelIDs), c.DueAt, c.Assignee, c.Contact,
		c.Conversation, c.Private, c.Status, c.Position, c.Version, c.UpdatedAt, c.CompletedAt, c.Hidden)
	if text := cardText(c); text != cardText(was) {
		tx.Later(`UPDATE cards SET folded = $3, unindexed = TRUE WHERE company = $1 AND id = $2`, c.Company, c.ID, fold.Text(text))
	}
	if !slices.Equal(was.LabelIDs, c.LabelIDs) || was.Status != c.Status || was.Private != c.Private || was.Hidden != c.Hidden || was.BoardID != c.BoardID {
		if len(was.LabelIDs) > 0 {
			tx.Later(`DELETE FROM card_labels WHERE company = $1 AND subject = $2`, c.Company, c.ID)
		}
		insertCardLabels(tx, c)
	}
}

func insertCardLabels(tx *kernel.Tx, c *Card) {
	status := c.Status
	if c.Private || c.Hidden {
		status = ""
	}
	for _, label := range c.LabelIDs {
		tx.Later(`INSERT INTO card_labels (company, subject, label, board, status) VALUES ($1, $2, $3, $4, $5)`, c.Company, c.ID, label, c.BoardID, status)
	}
}

// deleteCard removes a card permanently.
func deleteCard(tx *kernel.Tx, company, id kernel.ID) error {
	tx.Later(`DELETE FROM card_labels WHERE company = $1 AND subject = $2`, company, id)
	tx.Later(`DELETE FROM cards WHERE company = $1 AND id = $2`, company, id)
	return search.Forget(tx.On, &search.Cards, company, id)
}

// cardText is what a search looks at, folded: title and description.
func cardText(c *Card) string {
	text := c.Title
	if c.Description != nil {
		text += "\n" + *c.Description
	}
	return text
}

// lastRank gives the rank of the last card of a stage, or "" when there is none. A card that is being
// moved does not count.
func lastRank(tx *kernel.Tx, company, stage, moving kernel.ID) (string, error) {
	return selectRank(tx, `SELECT rank FROM cards WHERE company = $1 AND stage = $2 AND id <> $3 ORDER BY rank DESC LIMIT 1`, company, stage, moving)
}

// rankBefore gives the rank of the card of a stage that comes before a rank, or "".
func rankBefore(tx *kernel.Tx, company, stage, moving kernel.ID, rank string) (string, error) {
	return selectRank(tx, `SELECT rank FROM cards WHERE company = $1 AND stage = $2 AND id <> $3 AND rank < $4 ORDER BY rank DESC LIMIT 1`, company, stage, moving, rank)
}

func selectRank(tx *kernel.Tx, sql string, args ...any) (string, error) {
	rank := ""
	_, err := tx.One(sql, args, func(r db.Row) { rank = r.Text(0) })
	return rank, err
}

// Ranked is a card's place in its stage.
type Ranked struct {
	Card kernel.ID
	Rank string
}

// rankedBefore lists the places before a rank, nearest first.
func rankedBefore(tx *kernel.Tx, company, stage, moving kernel.ID, rank string, limit int) ([]Ranked, error) {
	return ranked(tx, `SELECT id, rank FROM cards WHERE company = $1 AND stage = $2 AND id <> $3 AND rank < $4 ORDER BY rank DESC LIMIT $5`, company, stage, moving, rank, limit)
}

// rankedFrom lists the places from a rank on, nearest first.
func rankedFrom(tx *kernel.Tx, company, stage, moving kernel.ID, rank string, limit int) ([]Ranked, error) {
	return ranked(tx, `SELECT id, rank FROM cards WHERE company = $1 AND stage = $2 AND id <> $3 AND rank >= $4 ORDER BY rank LIMIT $5`, company, stage, moving, rank, limit)
}

func ranked(tx *kernel.Tx, sql string, args ...any) ([]Ranked, error) {
	var out []Ranked
	err := tx.Query(sql, args, func(r db.Row) error {
		out = append(out, Ranked{r.ID(0), r.Text(1)})
		return nil
	})
	return out, err
}

// setRank gives a card another text for its place. The card looks different afterwards, so its version grows.
func setRank(tx *kernel.Tx, company kernel.ID, p Ranked) {
	tx.Later(`UPDATE cards SET rank = $3, version = version + 1 WHERE company = $1 AND id = $2`, company, p.Card, p.Rank)
}

// recentEvents is how many of a company's latest events are searched for the last move of a card: there is no index
// by card.
const recentEvents = 500

// lastCardMove gives the body of the latest event that tells of a move of the card to another stage, if it is recent.
func lastCardMove(tx *kernel.Tx, company, card kernel.ID) (body []byte, found bool, err error) {
	found, err = tx.One(`
		SELECT e.body
		FROM (SELECT position, id, type, card, body FROM events WHERE company = $1 ORDER BY position DESC, id DESC LIMIT $2) e
		WHERE e.card = $3 AND e.type = $4
		ORDER BY e.position DESC, e.id DESC
		LIMIT 1`, []any{company, recentEvents, card, EventCardMoved}, func(r db.Row) { body = bytes.Clone(r.Bytes(0)) })
	return body, found, err
}

// publicContact reports whether the company has a contact that keys may see.
func publicContact(tx *kernel.Tx, company, id kernel.ID) (bool, error) {
	return tx.One(`SELECT 1 FROM contacts WHERE company = $1 AND id = $2 AND pool = $1 AND (channel IS NULL OR `+kernel.Public("channel", "$1")+`)`, []any{company, id}, func(db.Row) {})
}

// cardsOfContact lists the cards that name a contact.
func cardsOfContact(tx *kernel.Tx, company, contact kernel.ID) ([]kernel.ID, error) {
	return tx.IDs(`SELECT id FROM cards WHERE company = $1 AND contact = $2 ORDER BY id`, company, contact)
}
