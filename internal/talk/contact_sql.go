package talk

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"recado/internal/fields"
	"recado/internal/fold"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/phone"
	"recado/internal/search"
)

// contactColumns are the columns of a contact ct. The pool follows the privacy of the channel, which may have changed.
var contactColumns = `
	ct.id, ct.company, ct.name, ct.phone, ct.business_name, ct.city, ct.channel, ct.labels, ct.blocked, CASE
		WHEN ct.pool = ct.company AND EXISTS (SELECT 1 FROM channels x WHERE x.company = ct.company AND x.id = ct.channel AND x.private) THEN ct.channel
		WHEN ct.pool <> ct.company AND EXISTS (SELECT 1 FROM channels x WHERE x.company = ct.company AND x.id = ct.pool AND NOT x.private) THEN ct.company
		ELSE ct.pool END AS pool,
	ct.created_at, ct.updated_at, ct.automation, ct.opted_out_at, ct.opt_changed_at, ` + fields.Column("ct")

func scanContact(r db.Row) Contact {
	return Contact{
		ID: r.ID("id"), Company: r.ID("company"), Name: r.Text("name"), Phone: r.NullText("phone"),
		BusinessName: r.NullText("business_name"), City: r.NullText("city"), Channel: r.NullID("channel"),
		LabelIDs: kernel.UnpackIDs(r.Bytes("labels")), Blocked: r.Bool("blocked"), Pool: r.ID("pool"), CreatedAt: r.Time("created_at"), UpdatedAt: r.Time("updated_at"), Automation: r.Bool("automation"),
		OptedOut: !r.Null("opted_out_at"), OptedOutAt: r.NullTime("opted_out_at"), optChangedAt: r.NullTime("opt_changed_at"),
		Fields: fields.Scan(r),
	}
}

// findContact returns a contact of the company, public or not. The caller checks who may see it.
func findContact(tx *kernel.Tx, company, id kernel.ID) (Contact, bool, error) {
	return selectContact(tx, `WHERE ct.company = $1 AND ct.id = $2`, company, id)
}

// lockContact is findContact with an exclusive lock until the end of the transaction. It locks the contact first, because the
// values of its fields are read from another table; see fields.Column.
func lockContact(tx *kernel.Tx, company, id kernel.ID) (Contact, bool, error) {
	if tx.Dialect().ConcurrentWrites() {
		tx.Later(`SELECT id FROM contacts WHERE company = $1 AND id = $2 FOR UPDATE`, company, id)
	}
	return findContact(tx, company, id)
}

// contactInUse reports whether the contact has a conversation or has written in a group.
func contactInUse(tx *kernel.Tx, company, id kernel.ID) (bool, error) {
	return tx.One(`
		SELECT 1
		WHERE EXISTS (SELECT 1 FROM conversations WHERE company = $1 AND contact = $2)
			OR EXISTS (SELECT 1 FROM messages WHERE company = $1 AND author = $2)`, []any{company, id}, func(db.Row) {})
}

// lockContactWithPhone finds and locks the contact of the pool with a phone number.
func lockContactWithPhone(tx *kernel.Tx, company, pool kernel.ID, number string) (Contact, bool, error) {
	return selectContact(tx, `WHERE ct.company = $1 AND ct.pool = $2 AND ct.phone_key = $3`+tx.ForUpdate(), company, pool, phone.Key(number))
}

func selectContact(tx *kernel.Tx, where string, args ...any) (Contact, bool, error) {
	return kernel.Row(tx, `SELECT`+contactColumns+` FROM contacts ct `+where, args, scanContact)
}

// InsertContact inserts a contact without labels and fields. It returns false if its pool already has one with that phone.
func InsertContact(tx *kernel.Tx, c *Contact) (bool, error) {
	n, err := tx.Exec(insertContact+` ON CONFLICT DO NOTHING`, insertContactArgs(c, foldedLines(&c.Name, c.Phone))...)
	return n == 1, err
}

const insertContact = `
	INSERT INTO contacts (id, company, name, phone, phone_key, business_name, city, channel, blocked, pool,
		folded, unindexed, created_at, updated_at, automation, opted_out_at, opt_changed_at)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, TRUE, $12, $12, $13, $14, $15)`

// insertContactArgs returns the arguments of insertContact. text is what searches match.
func insertContactArgs(c *Contact, text string) []any {
	return []any{
		c.ID, c.Company, c.Name, c.Phone, phoneKey(c.Phone), c.BusinessName, c.City, c.Channel, c.Blocked, c.Pool,
		text, c.CreatedAt, c.Automation, c.OptedOutAt, c.optChangedAt,
	}
}

// saveContact stores what the team can change, except labels, phone and fields.
func saveContact(tx *kernel.Tx, c *Contact) error {
	text, err := contactText(tx, c)
	saveContactWith(tx, c, text)
	return err
}

// saveContactWith is saveContact with the text that searches match.
func saveContactWith(tx *kernel.Tx, c *Contact, text string) {
	tx.Later(`
		UPDATE contacts
		SET name = $3, business_name = $4, city = $5, channel = $6, blocked = $7,
			folded = $8, unindexed = unindexed OR folded <> $8, updated_at = $9, automation = $10,
			opted_out_at = $11, opt_changed_at = $12
		WHERE company = $1 AND id = $2`,
		c.Company, c.ID, c.Name, c.BusinessName, c.City, c.Channel, c.Blocked, text, c.UpdatedAt, c.Automation,
		c.OptedOutAt, c.optChangedAt)
}

func setContactLabels(tx *kernel.Tx, company, id kernel.ID, labels []kernel.ID) {
	tx.Later(`UPDATE contacts SET labels = $3 WHERE company = $1 AND id = $2`, company, id, kernel.PackIDs(labels))
	setLabels(tx, "contact_labels", company, id, labels)
}

// contactText returns the text that searches match, folded: name, phone and fields.
func contactText(tx *kernel.Tx, c *Contact) (string, error) {
	var all []fields.Field
	if len(c.Fields) > 0 {
		var err error
		if all, err = fields.List(tx, c.Company, fields.EntityContact); err != nil {
			return "", err
		}
	}
	return contactTextWith(c, all), nil
}

// contactTextWith is contactText with the fields of contacts.
func contactTextWith(c *Contact, all []fields.Field) string {
	lines := []*string{&c.Name, c.Phone}
	for _, text := range c.Fields.Texts(all) {
		lines = append(lines, &text)
	}
	return foldedLines(lines...)
}

// refoldContacts updates the searchable text of contacts after values of their fields were deleted.
func (d *Talk) refoldContacts(tx *kernel.Tx, company kernel.ID, ids []kernel.ID) error {
	slices.SortFunc(ids, kernel.CompareIDs)
	for _, id := range ids {
		c, found, err := lockContact(tx, company, id)
		if err != nil {
			return err
		}
		if found {
			if err := saveContact(tx, &c); err != nil {
				return err
			}
		}
	}
	tx.AfterCommit(d.Wakeup(WakeIndex).Notify)
	return nil
}

// ObserveFields keeps contacts up to date when custom fields are deleted.
func (d *Talk) ObserveFields(f *fields.Fields) {
	f.ObserveClearing(fields.EntityContact, d.refoldContacts)
}

// foldedLines returns lines of text, folded. Nil lines are left out.
func foldedLines(lines ...*string) string {
	var text []string
	for _, line := range lines {
		if line != nil {
			text = append(text, *line)
		}
	}
	return fold.Text(strings.Join(text, "\n"))
}

// phoneKey returns the form of a phone that is unique within a pool.
func phoneKey(number *string) *string {
	if number == nil {
		return nil
	}
	key := phone.Key(*number)
	return &key
}

// The kinds of identity that providers use for a person.
const (
	IdentityUser = "user_id" // business-scoped, or the LID that linked numbers have for the person
	IdentityWA   = "wa_id"
)

// isLID reports whether a user id is a LID.
func isLID(userID string) bool { return strings.HasSuffix(userID, "@lid") }

// KnownAs is a contact and the identity by which it was found.
type KnownAs struct {
	Contact Contact
	Kind    string // IdentityUser, IdentityWA or "phone"
	Value   string
}

// contactsKnownAs returns the contacts of the pool with any of the identities, the most reliable first: user ids, then
// WhatsApp ids, then the phone's key. Empty values match nothing.
func contactsKnownAs(tx *kernel.Tx, company, pool kernel.ID, userIDs, waIDs [2]string, phoneKey string) ([]KnownAs, error) {
	args := []any{company, userIDs[0], userIDs[1], waIDs[0], waIDs[1], phoneKey, pool}
	return kernel.Rows(tx, selectKnownAs(tx), args, func(r db.Row) KnownAs {
		return KnownAs{scanContact(r), r.Text("kind"), r.Text("value")}
	})
}

// selectKnownAs looks up each value separately and each contact by its id. With a list of values or a join, a plan that was made
// while there were few contacts would read all of them.
func selectKnownAs(tx *kernel.Tx) string {
	return `
		SELECT ` + contactColumns + `, ids.kind, ids.value
		` + tx.FromSubset("$1", `
			SELECT contact AS id, kind, value, 1 AS rank FROM contact_identities
			WHERE company = $1 AND pool = $7 AND kind = 'user_id' AND value = $2
			UNION ALL
			SELECT contact, kind, value, 1 FROM contact_identities
			WHERE company = $1 AND pool = $7 AND kind = 'user_id' AND value = $3 AND value <> $2
			UNION ALL
			SELECT contact, kind, value, 2 FROM contact_identities
			WHERE company = $1 AND pool = $7 AND kind = 'wa_id' AND value = $4
			UNION ALL
			SELECT contact, kind, value, 2 FROM contact_identities
			WHERE company = $1 AND pool = $7 AND kind = 'wa_id' AND value = $5 AND value <> $4
			UNION ALL
			SELECT id, 'phone', phone_key, 3 FROM contacts
			WHERE company = $1 AND pool = $7 AND phone_key = $6`, "contacts", "ct") + `
		ORDER BY ids.rank, ids.value, ct.id`
}

// linkIdentity links an identity to a contact in the pool of that contact, unless it is already linked.
const linkIdentity = `
	INSERT INTO contact_identities (company, pool, kind, value, contact)
	SELECT company, pool, $3, $4, id
	FROM contacts
	WHERE company = $1 AND id = $2
	ON CONFLICT DO NOTHING`

// forgetContact deletes the rows of a contact without references.
func forgetContact(tx *kernel.Tx, company, id kernel.ID) {
	tx.Later(`DELETE FROM contact_identities WHERE company = $1 AND contact = $2`, company, id)
	tx.Later(`DELETE FROM contacts WHERE company = $1 AND id = $2`, company, id)
}

// nameContact stores the name and phone of a contact.
func nameContact(tx *kernel.Tx, c *Contact) error {
	text, err := contactText(tx, c)
	tx.Later(`
		UPDATE contacts
		SET name = $3, phone = $4, phone_key = $5, folded = $6, unindexed = TRUE, updated_at = $7
		WHERE company = $1 AND id = $2`,
		c.Company, c.ID, c.Name, c.Phone, phoneKey(c.Phone), text, tx.Now)
	return err
}

// keepAddressBookName stores the name that the phone of a channel has for a person without a contact. Empty identities are
// ignored.
func keepAddressBookName(tx *kernel.Tx, company, channel kernel.ID, userID, phoneKey, name string) {
	for kind, value := range map[string]string{IdentityUser: userID, IdentityWA: phoneKey} {
		if value != "" {
			tx.Later(`
				INSERT INTO address_book (company, channel, kind, value, name, created_at)
				VALUES ($1, $2, $3, $4, $5, $6)
				ON CONFLICT (company, channel, kind, value) DO UPDATE SET name = excluded.name`, company, channel, kind, value, name, tx.Now)
		}
	}
}

// addressBookName returns the name that the phone of a channel has for a person, or "".
func addressBookName(tx *kernel.Tx, company, channel kernel.ID, userID, phoneKey string) (string, error) {
	name, _, err := kernel.Row(tx, `
		SELECT name
		FROM address_book
		WHERE company = $1 AND channel = $2 AND (kind = 'user_id' AND value = $3 OR kind = 'wa_id' AND value = $4)
		ORDER BY kind
		LIMIT 1`, []any{company, channel, userID, phoneKey}, func(r db.Row) string { return r.Text("name") })
	return name, err
}

// lockConversationsOf locks and returns the conversations with a contact, by id.
func lockConversationsOf(tx *kernel.Tx, company, contact kernel.ID) ([]Conversation, error) {
	tx.ShareVisibility(company)
	return kernel.Rows(tx, `
		SELECT`+conversationColumns+`
		FROM conversations c
		WHERE c.company = $1 AND c.contact = $2
		ORDER BY c.id`+tx.ForUpdate(), []any{company, contact}, scanConversation)
}

// hasSends reports whether messages of a conversation are queued.
func hasSends(tx *kernel.Tx, company, conversation kernel.ID) (bool, error) {
	return tx.One(`SELECT 1 FROM sends WHERE company = $1 AND conversation = $2 LIMIT 1`, []any{company, conversation}, func(db.Row) {})
}

// moveConversation assigns a conversation and its attendances to another contact of the company.
func moveConversation(tx *kernel.Tx, company, conversation, contact kernel.ID) {
	tx.Later(`UPDATE conversations SET contact = $3 WHERE company = $1 AND id = $2`, company, conversation, contact)
	tx.Later(`UPDATE attendances SET contact = $3 WHERE company = $1 AND conversation = $2`, company, conversation, contact)
}

// joinConversations moves everything from one conversation into another of the same channel and deletes the first. Messages,
// notes and assignments are renumbered from base + 1 in the order in which they arrived, after imported history, and
// attendances keep their places among them. It returns the greatest number.
func joinConversations(tx *kernel.Tx, company kernel.ID, into *Conversation, from kernel.ID, base int64) (int64, error) {
	last := base
	for _, table := range []string{"assignments", "notes", "messages"} { // messages last: the query reads their old numbers
		n, err := tx.Exec(`
			UPDATE `+table+`
			SET conversation = $2, seq = $4 + o.place
			FROM (
				SELECT subject, ROW_NUMBER() OVER (ORDER BY history, subject) AS place
				FROM (
					SELECT id AS subject, CASE WHEN seq < 0 THEN seq ELSE 0 END AS history FROM messages WHERE company = $1 AND conversation IN ($2, $3)
					UNION ALL
					SELECT id AS subject, 0 AS history FROM assignments WHERE company = $1 AND conversation IN ($2, $3)
					UNION ALL
					SELECT id AS subject, CASE WHEN seq < 0 THEN seq ELSE 0 END AS history FROM notes WHERE company = $1 AND conversation IN ($2, $3)
				) all_of_both
			) o
			WHERE `+table+`.company = $1 AND `+table+`.conversation IN ($2, $3) AND `+table+`.id = o.subject`, company, into.ID, from, base)
		if err != nil {
			return 0, err
		}
		last += n
	}
	if err := joinMarks(tx, company, into.ID, from, base); err != nil {
		return 0, err
	}
	tx.Later(`UPDATE attendances SET conversation = $3, contact = $4 WHERE company = $1 AND conversation = $2`, company, from, into.ID, into.Contact)
	tx.Later(`UPDATE cards SET conversation = $3, version = version + 1 WHERE company = $1 AND conversation = $2`, company, from, into.ID)
	tx.Later(`UPDATE events SET conversation = $3 WHERE company = $1 AND conversation = $2`, company, from, into.ID)
	joinTalk(tx, company, into.ID, from)
	tx.Later(`DELETE FROM conversation_labels WHERE company = $1 AND subject = $2`, company, from)
	tx.Later(`DELETE FROM conversations WHERE company = $1 AND id = $2`, company, from)
	return last, search.Forget(tx.Tx, &search.Conversations, company, from)
}

// joinTalk moves drafts, notifications, scheduled and held messages. Of two drafts of a person it keeps that of the remaining
// conversation, and of two reopening templates the newer.
func joinTalk(tx *kernel.Tx, company, into, from kernel.ID) {
	tx.Later(`
		DELETE FROM drafts
		WHERE company = $1 AND conversation = $3
			AND EXISTS (SELECT 1 FROM drafts k WHERE k.company = $1 AND k.conversation = $2 AND k.member = drafts.member)`, company, into, from)
	tx.Later(`
		UPDATE conversations
		SET reopening = (
			SELECT o.reopening
			FROM conversations o
			WHERE o.company = $1 AND o.id IN ($2, $3) AND o.reopening IS NOT NULL
			ORDER BY o.reopening DESC
			LIMIT 1)
		WHERE company = $1 AND id = $2`, company, into, from)
	tx.Later(`DELETE FROM reply_renderings WHERE company = $1 AND conversation = $2`, company, from)
	for _, table := range []string{"drafts", "notifications", "scheduled_messages", "held_messages"} {
		tx.Later(`UPDATE `+table+` SET conversation = $2 WHERE company = $1 AND conversation = $3`, company, into, from)
	}
}

// joinMarks moves the marks of attendances to their places among the messages of both conversations.
func joinMarks(tx *kernel.Tx, company, into, from kernel.ID, base int64) error {
	type mark struct {
		kind       int64
		attendance kernel.ID
		at         time.Time
	}
	marks, err := kernel.Rows(tx, `
		SELECT k.kind, k.attendance, CASE WHEN k.kind = $4 THEN a.opened_at ELSE a.closed_at END AS marked_at
		FROM attendance_marks k
		JOIN attendances a ON a.company = k.company AND a.id = k.attendance
		WHERE k.company = $1 AND k.conversation IN ($2, $3)`, []any{company, into, from, RankOpened},
		func(r db.Row) mark { return mark{r.Int("kind"), r.ID("attendance"), r.Time("marked_at")} })
	if err != nil {
		return err
	}
	tx.Later(`DELETE FROM attendance_marks WHERE company = $1 AND conversation IN ($2, $3)`, company, into, from)
	for _, m := range marks {
		var seq int64
		_, err := tx.One(`SELECT COALESCE(MAX(seq), $4) AS last FROM messages WHERE company = $1 AND conversation = $2 AND id < $3`,
			[]any{company, into, kernel.FirstIDOf(m.at.Add(time.Millisecond)), base}, func(r db.Row) { seq = r.Int("last") })
		if err != nil {
			return err
		}
		insertAttendanceMark(tx, company, into, seq, m.kind, m.attendance)
	}
	return nil
}

// replaceContact makes everything that refers to one contact refer to another of the company, and deletes the first.
func replaceContact(tx *kernel.Tx, company, gone, by kernel.ID) error {
	tx.Later(`
		DELETE FROM contact_identities
		WHERE company = $1 AND contact = $2 AND EXISTS (
			SELECT 1
			FROM contact_identities o
			WHERE o.company = $1 AND o.contact <> $2 AND o.pool = (SELECT k.pool FROM contacts k WHERE k.company = $1 AND k.id = $3)
				AND o.kind = contact_identities.kind AND o.value = contact_identities.value)`, company, gone, by)
	tx.Later(`
		UPDATE contact_identities
		SET contact = $3, pool = (SELECT k.pool FROM contacts k WHERE k.company = $1 AND k.id = $3)
		WHERE company = $1 AND contact = $2`, company, gone, by)
	tx.Later(`UPDATE cards SET contact = $3, version = version + 1 WHERE company = $1 AND contact = $2`, company, gone, by)
	tx.Later(`UPDATE messages SET author = $3 WHERE company = $1 AND author = $2`, company, gone, by)
	tx.Later(`UPDATE audit SET subject = $3 WHERE company = $1 AND subject = $2`, company, gone, by)
	tx.Later(`UPDATE jobs SET subject = $3 WHERE company = $1 AND subject = $2`, company, gone, by)
	tx.Later(`DELETE FROM contact_labels WHERE company = $1 AND subject = $2`, company, gone)
	fields.Copy(tx, company, gone, by)
	fields.Forget(tx, company, gone)
	tx.Later(`DELETE FROM contacts WHERE company = $1 AND id = $2`, company, gone)
	return search.Forget(tx.Tx, &search.Contacts, company, gone)
}

// keepFormer records the ids that a merge removes, and those that earlier merges removed; see kernel.Erasure.
func keepFormer(tx *kernel.Tx, company, gone, by kernel.ID, former []kernel.ID) {
	tx.Later(`UPDATE former_ids SET contact = $3 WHERE company = $1 AND contact = $2`, company, gone, by)
	addFormer(tx, company, by, former...)
}

// addFormer records removed ids that were about a contact.
func addFormer(tx *kernel.Tx, company, contact kernel.ID, former ...kernel.ID) {
	for _, id := range former {
		tx.Later(`INSERT INTO former_ids (company, contact, former) VALUES ($1, $2, $3)`, company, contact, id)
	}
}

// contactCriteria selects the contacts of a list. Zero values filter nothing.
type contactCriteria struct {
	Q       string
	Label   kernel.ID
	Channel kernel.ID

	OptedOut *bool

	Fields map[string]string // see fields.Query
	After  kernel.ID         // only contacts that follow this one in the list
	Limit  int
	Offset int

	fields fields.Filter

	Near bool // see conversationCriteria

	Company kernel.ID
	Private []kernel.ID // private channels whose contacts are listed too

	end kernel.ID // stop at this contact, unless it is zero
}

// contactsWithPrivate is findContacts including the contacts of private channels, of which there are few.
func contactsWithPrivate(tx *kernel.Tx, f contactCriteria) ([]Contact, bool, error) {
	public := f
	public.Offset, public.Limit, public.Private = 0, f.Offset+f.Limit, nil
	rows, more, err := findContacts(tx, public)
	if err != nil {
		return nil, false, err
	}
	s := tx.Statement()
	s.WriteString("SELECT" + contactColumns + "\n\tFROM contacts ct\n\tWHERE ct.company = " + s.Arg(f.Company))
	s.And(s.In("ct.pool", f.Private))
	if !f.Channel.IsZero() {
		s.And("ct.pool = " + s.Arg(f.Channel))
	}
	f.andOptedOut(s)
	f.andLabel(s)
	f.fields.And(s, "ct")
	search.NewText(f.Q).Check(s, "ct.folded")
	s.WriteString("\n\tORDER BY ct.id DESC")
	tx.Page(s, public.Limit, 0)
	private, morePrivate, err := kernel.Collect(tx, s, public.Limit, scanContact)
	newest := func(x, y Contact) int { return kernel.CompareIDs(y.ID, x.ID) }
	page, more := Merged(rows, private, newest, f.Offset, f.Limit, more || morePrivate)
	return page, more, err
}

// findContacts lists the contacts of the company, newest first. It reads the contacts with a rare label or value of a field,
// those that contain a text, or else the index in the order of the list.
func findContacts(tx *kernel.Tx, f contactCriteria) (page []Contact, more bool, err error) {
	if len(f.Private) > 0 {
		return contactsWithPrivate(tx, f)
	}
	s, err := listContacts(tx, &f)
	if err != nil {
		return nil, false, err
	}
	page, more, err = kernel.Collect(tx, s, f.Limit, scanContact)
	if err == nil && !f.end.IsZero() && !more {
		err = kernel.ErrFar
	}
	return page, more, err
}

func listContacts(tx *kernel.Tx, f *contactCriteria) (*db.Statement, error) {
	text := search.NewText(f.Q)
	s := tx.Statement()
	rare, err := rareContacts(tx, f)
	if err != nil {
		return nil, err
	}
	from := alongContacts(tx, f)
	switch {
	case rare != nil:
		from = tx.FromSubset(s.Arg(f.Company), rare(s), "contacts", "ct")
	case !text.IsEmpty():
		plan := &search.Plan{
			Tx: tx.Tx, List: &contactSearchList{tx, f}, Noun: &search.Contacts, Text: text,
			Want: f.Offset + f.Limit + 1, Company: f.Company,
		}
		ids, err := plan.Run(f.Offset, f.Limit+1)
		s.WriteString("SELECT" + contactColumns + "\n\t" + tx.FromSubset(s.Arg(f.Company), db.Listed(ids)(s), "contacts", "ct") + "\n\tORDER BY ct.id DESC")
		return s, err
	case f.Near && (!f.Label.IsZero() && !f.Channel.IsZero() || !f.fields.IsEmpty()):
		if f.end, err = farContact(tx, f); err != nil {
			return nil, err
		}
	}
	s.WriteString("SELECT" + contactColumns + "\n\t" + from)
	f.whereListed(s)
	f.andLabel(s)
	f.fields.And(s, "ct")
	text.Check(s, "ct.folded")
	if !f.end.IsZero() {
		s.And("ct.id >= " + s.Arg(f.end))
	}
	s.WriteString("\n\tORDER BY ct.id DESC")
	tx.Page(s, f.Limit, f.Offset)
	return s, nil
}

// alongContacts returns the FROM clause that reads the index in the order of the list.
func alongContacts(tx *kernel.Tx, f *contactCriteria) string {
	switch {
	case f.OptedOut != nil && *f.OptedOut:
		return "FROM contacts ct" + IndexedBy(tx, "contacts_opted_out")
	case !f.Channel.IsZero():
		return "FROM contacts ct" + IndexedBy(tx, "contacts_channel")
	}
	return "FROM contacts ct" + IndexedBy(tx, "contacts_list")
}

// farContact returns the contact after the first kernel.Few of the index, or zero if there are fewer.
func farContact(tx *kernel.Tx, f *contactCriteria) (id kernel.ID, err error) {
	s := tx.Statement()
	s.WriteString("SELECT ct.id " + alongContacts(tx, f))
	f.whereListed(s)
	s.WriteString("\n\tORDER BY ct.id DESC LIMIT 1 OFFSET " + s.Arg(kernel.Few))
	_, err = tx.One(s.String(), s.Args, func(r db.Row) { id = r.ID("id") })
	return id, err
}

// whereListed adds the WHERE clause of the list, without label and text.
func (f *contactCriteria) whereListed(s *db.Statement) {
	company := s.Arg(f.Company)
	s.WriteString("\n\tWHERE ct.company = " + company + " AND ct.pool = " + company)
	s.And("(ct.channel IS NULL OR " + kernel.Public("ct.channel", company) + ")")
	if !f.Channel.IsZero() {
		s.And("ct.channel = " + s.Arg(f.Channel))
	}
	f.andOptedOut(s)
	f.andAfter(s)
}

func (f *contactCriteria) andOptedOut(s *db.Statement) {
	switch {
	case f.OptedOut == nil:
	case *f.OptedOut:
		s.And("ct.opted_out_at IS NOT NULL")
	default:
		s.And("ct.opted_out_at IS NULL")
	}
}

func (f *contactCriteria) andAfter(s *db.Statement) {
	if !f.After.IsZero() {
		s.And("ct.id < " + s.Arg(f.After))
	}
}

func (f *contactCriteria) andLabel(s *db.Statement) {
	if !f.Label.IsZero() { // evaluated row by row, unlike EXISTS
		s.And("(SELECT TRUE FROM contact_labels l WHERE l.company = ct.company AND l.subject = ct.id AND l.label = " + s.Arg(f.Label) + ")")
	}
}

// contactSearchList implements search.List.
type contactSearchList struct {
	tx *kernel.Tx
	f  *contactCriteria
}

func (l *contactSearchList) Newest(n int, text search.Text) ([]*db.Statement, int) {
	s := l.tx.Statement()
	s.WriteString("SELECT ct.id, COALESCE(" + text.Contains(s, "ct.folded"))
	l.f.andLabel(s)
	l.f.fields.And(s, "ct")
	s.WriteString(", FALSE) AS matches " + alongContacts(l.tx, l.f))
	l.f.whereListed(s)
	s.WriteString("\n\tORDER BY ct.id DESC LIMIT " + strconv.Itoa(n))
	return []*db.Statement{s}, n
}

func (l *contactSearchList) Among(of db.Subset, text search.Text) *db.Statement {
	s := l.tx.Statement()
	s.WriteString("SELECT ct.id, " + text.Contains(s, "ct.folded") + " AS matches " +
		l.tx.FromSubset(s.Arg(l.f.Company), of(s), "contacts", "ct"))
	l.f.whereListed(s)
	l.f.andLabel(s)
	l.f.fields.And(s, "ct")
	return s
}

func (l *contactSearchList) Pinned() ([]kernel.ID, bool, error) { return nil, true, nil }

// rareContacts returns the contacts with a value of a field or with the label if they are few, or nil.
func rareContacts(tx *kernel.Tx, f *contactCriteria) (db.Subset, error) {
	if rare, err := f.fields.Rare(tx, f.Company); err != nil || rare != nil || f.Label.IsZero() {
		return rare, err
	}
	labelled := func(s *db.Statement) string {
		return "SELECT subject AS id FROM contact_labels WHERE company = " + s.Arg(f.Company) + " AND label = " + s.Arg(f.Label)
	}
	if few, err := tx.IsFew(labelled); err != nil || !few {
		return nil, err
	}
	return labelled, nil
}
