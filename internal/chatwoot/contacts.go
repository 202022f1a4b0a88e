package chatwoot

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/jackc/pgx/v5"

	"recado/internal/channels"
	"recado/internal/fields"
	"recado/internal/kernel"
	"recado/internal/phone"
	"recado/internal/talk"
)

// contactBatch is how many contacts a transaction stores.
const contactBatch = 500

// contact is a contact of Chatwoot.
type contact struct {
	ID        int64
	Name      string
	Phone     string
	Blocked   bool
	CreatedAt time.Time
	Business  string
	City      string
	Custom    []byte // JSON object
	Inboxes   []int64
	Sources   []string // source_id of inboxes in which it is a phone number
	Labels    []string
}

// importContacts adds the contacts that have a phone number, also those without conversations. Contacts that only have
// conversations in private channels are added with these.
func (r *run) importContacts(ctx context.Context) error {
	var total int64
	if err := r.db.pool.QueryRow(ctx, `SELECT COUNT(*) FROM contacts WHERE account_id = $1`, r.db.account.id).Scan(&total); err != nil {
		return err
	}
	var phones []int64
	for _, inbox := range r.db.inboxes {
		if inbox.sourceIsPhone() {
			phones = append(phones, inbox.ID)
		}
	}
	sql := `
		SELECT c.id, COALESCE(c.name, ''), COALESCE(c.phone_number, ''), ` + r.db.optional("contacts", "c", "blocked", "false") + `, c.created_at,
			COALESCE(c.additional_attributes ->> 'company_name', ''), COALESCE(c.additional_attributes ->> 'city', ''), c.custom_attributes,
			(SELECT array_agg(i.inbox_id) FROM contact_inboxes i WHERE i.contact_id = c.id AND i.inbox_id IS NOT NULL),
			(SELECT array_agg(i.source_id ORDER BY i.id) FROM contact_inboxes i WHERE i.contact_id = c.id AND i.inbox_id = ANY ($3)),
			` + labelsOf("Contact", "c.id") + `
		FROM contacts c
		WHERE c.account_id = $1 AND c.id > $2
		ORDER BY c.id
		LIMIT $4`
	var done, last int64
	for {
		page, err := collect(ctx, r.db, sql, []any{r.db.account.id, last, phones, contactBatch}, pgx.RowToStructByPos[contact])
		if err != nil || len(page) == 0 {
			return err
		}
		if err := r.storeContacts(ctx, page); err != nil {
			return err
		}
		done, last = done+int64(len(page)), page[len(page)-1].ID
		r.progress(Progress{Phase: "contacts", Done: done, Total: total})
	}
}

// storeContacts adds the contacts of a page that are new.
func (r *run) storeContacts(ctx context.Context, page []contact) error {
	known, err := r.imported(ctx, kindContact, keysOf(page, func(c contact) int64 { return c.ID }))
	if err != nil {
		return err
	}
	var fresh []contact
	for _, c := range page {
		if _, found := known[strconv.FormatInt(c.ID, 10)]; found {
			continue
		}
		for _, id := range append([]string{c.Phone}, c.Sources...) {
			if c.Phone = phoneOf(id); c.Phone != "" {
				break
			}
		}
		if c.Phone == "" {
			r.result.NoPhone++
			continue
		}
		fresh = append(fresh, c)
	}
	if len(fresh) == 0 {
		return nil
	}
	added, err := kernel.Write(ctx, r.Talk.Kernel, func(tx *kernel.Tx) (added int64, err error) { return r.writeContacts(tx, fresh) })
	if err == nil {
		r.result.Contacts += added
		return nil
	}
	if fatal(ctx, err) {
		return err
	}
	for i := range fresh { // one of them cannot be stored
		added, err := kernel.Write(ctx, r.Talk.Kernel, func(tx *kernel.Tx) (added int64, err error) { return r.writeContacts(tx, fresh[i:i+1]) })
		if fatal(ctx, err) {
			return err
		}
		if err != nil {
			r.problem("contact %d cannot be stored: %v", fresh[i].ID, err)
		}
		r.result.Contacts += added
	}
	return nil
}

func (r *run) writeContacts(tx *kernel.Tx, page []contact) (added int64, err error) {
	private, err := r.privateInboxes(tx)
	if err != nil {
		return 0, err
	}
	custom, err := fields.Lock(tx, r.company, fields.EntityContact)
	if err != nil {
		return 0, err
	}
	past := r.Talk.Past(tx, r.name)
	var more []talk.ImportedContact
	seen := map[string]bool{}
	for _, c := range page {
		if c.isPrivate(private) {
			continue
		}
		erased, _, err := r.Talk.PhoneErased(tx, r.company, r.company, c.Phone)
		if err != nil {
			return 0, err
		}
		if erased != nil && c.CreatedAt.Before(*erased) {
			continue
		}
		stored, created, err := past.Contact(&channels.Channel{Company: r.company}, talk.PastContact{
			Name: c.Name, Phone: c.Phone, CreatedAt: r.moment(c.CreatedAt), Blocked: c.Blocked,
		})
		if err != nil {
			return 0, err
		}
		if created {
			added++
		}
		talk.SetImported(tx, r.company, r.name, kindContact, strconv.FormatInt(c.ID, 10), talk.Imported{Subject: stored.ID})
		details := talk.ImportedContact{
			Phone: c.Phone, BusinessName: cut(c.Business, kernel.MaxName), City: cut(c.City, kernel.MaxName),
			LabelIDs: r.labelIDs(c.Labels), Fields: c.fields(custom),
		}
		hasDetails := details.BusinessName != "" || details.City != "" || len(details.LabelIDs) > 0 || len(details.Fields) > 0
		if key := phone.Key(c.Phone); hasDetails && !seen[key] {
			seen[key] = true
			more = append(more, details)
		}
	}
	_, err = r.Talk.ImportContacts(tx, r.operator, more, custom, false)
	return added, err
}

// privateInboxes returns the inboxes whose channel is private.
func (r *run) privateInboxes(tx *kernel.Tx) (map[int64]bool, error) {
	private := map[int64]bool{}
	for inbox, id := range r.Inboxes {
		ch, _, err := channels.FindChannel(tx, r.company, id)
		if err != nil {
			return nil, err
		}
		private[inbox] = ch.Private
	}
	return private, nil
}

// isPrivate reports whether the contact has only written to private channels.
func (c *contact) isPrivate(private map[int64]bool) bool {
	for _, inbox := range c.Inboxes {
		if !private[inbox] {
			return false
		}
	}
	return len(c.Inboxes) > 0
}

// fields returns the custom attributes for which there is a field with the same key.
func (c *contact) fields(all []fields.Field) fields.Values {
	var attributes map[string]any
	if len(all) == 0 || json.Unmarshal(c.Custom, &attributes) != nil {
		return nil
	}
	values := fields.Values{}
	for i := range all {
		f := &all[i]
		text := ""
		switch v := attributes[f.Key].(type) {
		case string:
			text = strings.TrimSpace(v)
		case float64:
			text = strconv.FormatFloat(v, 'f', -1, 64)
		case bool:
			text = strconv.FormatBool(v)
		}
		if f.Type == fields.TypeDate && len(text) > len(time.DateOnly) {
			text = text[:len(time.DateOnly)]
		}
		if text == "" {
			continue
		}
		if value, invalid := f.Parse(f.Key, text); invalid == nil {
			values[f.Key] = value
		}
	}
	return values
}

// phoneOf returns a phone number or a source_id in E.164 format, or "" if it is not a phone number.
func phoneOf(text string) string {
	text = strings.TrimPrefix(strings.TrimSpace(text), "whatsapp:")
	if text == "" || strings.ContainsAny(text, "@") {
		return ""
	}
	e164, ok := phone.Normalize("+" + strings.TrimPrefix(text, "+"))
	if !ok {
		return ""
	}
	return e164
}

// moment returns a time of Chatwoot, or when the account was created if it cannot be right.
func (r *run) moment(at time.Time) time.Time {
	if at.Before(firstMoment) {
		at = r.db.account.createdAt
	}
	return at.UTC().Truncate(time.Millisecond)
}

// firstMoment is before every message of WhatsApp.
var firstMoment = time.Date(2009, 1, 1, 0, 0, 0, 0, time.UTC)
