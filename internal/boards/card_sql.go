package boards

import (
	"slices"

	"recado/internal/fields"
	"recado/internal/fold"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/search"
)

var cardColumns = `
	c.id, c.company, c.board, c.stage, c.title, c.description, c.priority, c.labels, c.due_at, c.assignee, c.contact,
	c.conversation, c.attendance, c.private, c.erased, ` + cardHidden + ` AS hidden, c.status, c.rank, c.version,
	c.created_at, c.updated_at, c.completed_at, c.created_by, ` + fields.Column("c")

func scanCard(r db.Row) Card {
	return Card{
		ID: r.ID("id"), Company: r.ID("company"), BoardID: r.ID("board"), StageID: r.ID("stage"),
		Title: r.Text("title"), Description: r.NullText("description"), Priority: r.Text("priority"),
		LabelIDs: kernel.UnpackIDs(r.Bytes("labels")), DueAt: r.NullTime("due_at"), Assignee: r.NullID("assignee"),
		Contact: r.NullID("contact"), Conversation: r.NullID("conversation"), Attendance: r.NullID("attendance"),
		Private: r.Bool("private"), Erased: r.Bool("erased"), Hidden: r.Bool("hidden"), Status: r.Text("status"), Position: r.Text("rank"),
		Version: r.Int("version"), CreatedAt: r.Time("created_at"), UpdatedAt: r.Time("updated_at"), CompletedAt: r.NullTime("completed_at"),
		CreatedBy: r.NullID("created_by"), Fields: fields.Scan(r),
	}
}

// CardRow is a card with the data of its conversation that determine who may see it.
type CardRow struct {
	Card
	ConversationAssignee *kernel.ID
	ConversationSector   *kernel.ID
	ConversationChannel  *kernel.ID
}

// findCard finds a card of the company. The caller checks who may see it.
func findCard(tx *kernel.Tx, company, id kernel.ID) (CardRow, bool, error) {
	return kernel.Row(tx, `
		SELECT`+cardColumns+`, v.assignee AS conversation_assignee, v.sector, v.channel
		FROM cards c
		LEFT JOIN conversations v ON v.company = c.company AND v.id = c.conversation
		WHERE c.company = $1 AND c.id = $2`, []any{company, id}, func(r db.Row) CardRow {
		return CardRow{scanCard(r), r.NullID("conversation_assignee"), r.NullID("sector"), r.NullID("channel")}
	})
}

// lockCard is findCard and locks the card. It locks the card first, because the values of its fields are read from another table;
// see fields.Column.
func lockCard(tx *kernel.Tx, company, id kernel.ID) (CardRow, bool, error) {
	tx.ShareVisibility(company)
	if tx.Dialect().ConcurrentWrites() {
		tx.Later(`SELECT id FROM cards WHERE company = $1 AND id = $2 FOR UPDATE`, company, id)
	}
	c, found, err := findCard(tx, company, id)
	tx.NotBefore(c.UpdatedAt)
	return c, found, err
}

// lockAttendanceCard finds and locks the card of an attendance.
func lockAttendanceCard(tx *kernel.Tx, company, attendance kernel.ID) (Card, bool, error) {
	if tx.Dialect().ConcurrentWrites() { // first, as in lockCard
		tx.Later(`SELECT id FROM cards WHERE company = $1 AND attendance = $2 FOR UPDATE`, company, attendance)
	}
	return kernel.Row(tx, `SELECT`+cardColumns+` FROM cards c WHERE c.company = $1 AND c.attendance = $2`,
		[]any{company, attendance}, scanCard)
}

// InsertCard stores a new card with its labels.
func InsertCard(tx *kernel.Tx, c *Card) {
	tx.Later(`
		INSERT INTO cards (company, id, board, stage, title, description, folded, unindexed, priority, labels, due_at, assignee,
			contact, conversation, attendance, private, hidden, status, rank, version, created_at, updated_at, completed_at, created_by)
		VALUES ($1, $2, $3, $4, $5, $6, $7, TRUE, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23)`,
		c.Company, c.ID, c.BoardID, c.StageID, c.Title, c.Description, fold.Text(cardText(c)), c.Priority,
		kernel.PackIDs(c.LabelIDs), c.DueAt, c.Assignee, c.Contact, c.Conversation, c.Attendance, c.Private, c.Hidden,
		c.Status, c.Position, c.Version, c.CreatedAt, c.UpdatedAt, c.CompletedAt, c.CreatedBy)
	insertCardLabels(tx, c)
}

// saveCard stores a changed card whose row is locked.
func saveCard(tx *kernel.Tx, old, c *Card) {
	tx.Later(`
		UPDATE cards
		SET board = $3, stage = $4, title = $5, description = $6, priority = $7, labels = $8, due_at = $9, assignee = $10,
			contact = $11, conversation = $12, private = $13, status = $14, rank = $15, version = $16, updated_at = $17,
			completed_at = $18, hidden = $19, erased = $20
		WHERE company = $1 AND id = $2`,
		c.Company, c.ID, c.BoardID, c.StageID, c.Title, c.Description, c.Priority, kernel.PackIDs(c.LabelIDs), c.DueAt, c.Assignee,
		c.Contact, c.Conversation, c.Private, c.Status, c.Position, c.Version, c.UpdatedAt, c.CompletedAt, c.Hidden, c.Erased)
	if text := cardText(c); text != cardText(old) {
		tx.Later(`UPDATE cards SET folded = $3, unindexed = TRUE WHERE company = $1 AND id = $2`, c.Company, c.ID, fold.Text(text))
	}
	if len(old.LabelIDs) > 0 {
		tx.Later(`DELETE FROM card_labels WHERE company = $1 AND subject = $2`, c.Company, c.ID)
	}
	insertCardLabels(tx, c)
}

func insertCardLabels(tx *kernel.Tx, c *Card) {
	status := c.Status
	if c.Private || c.Hidden {
		status = ""
	}
	for _, label := range c.LabelIDs {
		tx.Later(`INSERT INTO card_labels (company, subject, label, board, status) VALUES ($1, $2, $3, $4, $5)`,
			c.Company, c.ID, label, c.BoardID, status)
	}
}

func deleteCard(tx *kernel.Tx, company, id kernel.ID) error {
	tx.Later(`DELETE FROM card_labels WHERE company = $1 AND subject = $2`, company, id)
	fields.Forget(tx, company, id)
	tx.Later(`DELETE FROM cards WHERE company = $1 AND id = $2`, company, id)
	return search.Forget(tx.Tx, &search.Cards, company, id)
}

// ObserveFields gives cards a new version when values of their custom fields are deleted.
func (d *Boards) ObserveFields(f *fields.Fields) {
	f.ObserveClearing(fields.EntityCard, func(tx *kernel.Tx, company kernel.ID, cards []kernel.ID) error {
		slices.SortFunc(cards, kernel.CompareIDs) // all that lock several cards this way do so in the same order
		for _, card := range cards {
			tx.Later(`UPDATE cards SET version = version + 1 WHERE company = $1 AND id = $2`, company, card)
		}
		return nil
	})
}

// cardText returns the searchable text of a card.
func cardText(c *Card) string {
	text := c.Title
	if c.Description != nil {
		text += "\n" + *c.Description
	}
	return text
}

// Ranked is a card's position in its stage.
type Ranked struct {
	Card kernel.ID
	Rank string
}

// lastRank returns the last rank in a stage, or "" if it is empty. It ignores the card that is being moved.
func lastRank(tx *kernel.Tx, company, stage, moving kernel.ID) (rank string, err error) {
	_, err = tx.One(`SELECT rank FROM cards WHERE company = $1 AND stage = $2 AND id <> $3 ORDER BY rank DESC LIMIT 1`,
		[]any{company, stage, moving}, func(r db.Row) { rank = r.Text("rank") })
	return rank, err
}

// ranksBefore lists the cards of a stage before a rank, nearest first, except the one that is being moved.
func ranksBefore(tx *kernel.Tx, company, stage, moving kernel.ID, rank string, limit int) ([]Ranked, error) {
	return selectRanks(tx, `rank < $4 ORDER BY rank DESC`, company, stage, moving, rank, limit)
}

// selectRanks lists the cards of a stage except the one that is being moved.
func selectRanks(tx *kernel.Tx, conditionAndOrder string, args ...any) ([]Ranked, error) {
	return kernel.Rows(tx, `
		SELECT id, rank
		FROM cards
		WHERE company = $1 AND stage = $2 AND id <> $3 AND `+conditionAndOrder+`
		LIMIT $5`, args, func(r db.Row) Ranked { return Ranked{r.ID("id"), r.Text("rank")} })
}

// publicContact reports whether the company has a contact that keys may see.
func publicContact(tx *kernel.Tx, company, id kernel.ID) (bool, error) {
	return tx.One(`
		SELECT 1
		FROM contacts
		WHERE company = $1 AND id = $2 AND pool = $1 AND (channel IS NULL OR `+kernel.Public("channel", "$1")+`)`,
		[]any{company, id}, func(db.Row) {})
}
