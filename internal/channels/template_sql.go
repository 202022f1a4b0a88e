package channels

import (
	"time"

	"recado/internal/channels/provider"
	"recado/internal/fold"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

// templateContent is the JSON in the column content.
type templateContent struct {
	Body       string                    `json:"body"`
	Header     *string                   `json:"header,omitempty"`
	Footer     *string                   `json:"footer,omitempty"`
	Buttons    []provider.TemplateButton `json:"buttons"`
	Parameters []provider.TemplateGap    `json:"parameters"`
}

const templateColumns = ` id, name, language, category, status, content, provider_id `

func scanTemplate(r db.Row) provider.ChannelTemplate {
	t := provider.ChannelTemplate{
		ID: r.ID("id"), Name: r.Text("name"), Language: r.Text("language"), Category: r.Text("category"), Status: r.Text("status"),
		Buttons: []provider.TemplateButton{}, Parameters: []provider.TemplateGap{},
	}
	if c := kernel.ReadJSON[templateContent](r, "content"); c != nil {
		t.Body, t.Header, t.Footer = c.Body, c.Header, c.Footer
		t.Buttons, t.Parameters = append(t.Buttons, c.Buttons...), append(t.Parameters, c.Parameters...)
	}
	t.ProviderID = r.Text("provider_id")
	return t
}

// templateCriteria selects templates of a channel. Zero values select all.
type templateCriteria struct {
	Q             string
	Status        string
	AfterName     string // with AfterLanguage: only templates after this one
	AfterLanguage string
	Limit         int
}

// listTemplates returns a page of the templates of a channel, sorted by name and language.
func listTemplates(
	tx *kernel.Tx, company, channel kernel.ID, f templateCriteria,
) (page []provider.ChannelTemplate, more bool, err error) {
	s := tx.Statement()
	s.WriteString("SELECT" + templateColumns + "FROM templates WHERE company = " + s.Arg(company) + " AND channel = " +
		"" + s.Arg(channel))
	s.And("(name, language) > (" + s.Arg(f.AfterName) + ", " + s.Arg(f.AfterLanguage) + ")")
	s.AndGiven("status", f.Status)
	if q := fold.Text(f.Q); q != "" {
		s.And(s.Contains("folded", q))
	}
	s.WriteString(" ORDER BY name, language")
	tx.Page(s, f.Limit, 0)
	return kernel.Collect(tx, s, f.Limit, scanTemplate)
}

// Template returns a template of a channel. synced reports whether the templates of the channel were ever fetched.
func Template(
	tx *kernel.Tx, company, channel kernel.ID, name, language string,
) (t provider.ChannelTemplate, found, synced bool, err error) {
	_, err = tx.One(`SELECT templates_synced_at IS NOT NULL AS synced FROM channels WHERE company = $1 AND id = $2`,
		[]any{company, channel}, func(r db.Row) { synced = r.Bool("synced") })
	if err != nil || !synced {
		return t, false, synced, err
	}
	found, err = tx.One(`
		SELECT`+templateColumns+`
		FROM templates
		WHERE company = $1 AND channel = $2 AND name = $3 AND language = $4`,
		[]any{company, channel, name, language}, func(r db.Row) { t = scanTemplate(r) })
	return t, found, true, err
}

// replaceTemplates replaces the templates of a channel. Existing templates keep their ids.
func replaceTemplates(tx *kernel.Tx, company, channel kernel.ID, templates []provider.ChannelTemplate) error {
	type key struct{ name, language string }
	gone := map[key]bool{}
	err := tx.Query(`SELECT name, language FROM templates WHERE company = $1 AND channel = $2`,
		[]any{company, channel}, func(r db.Row) error {
			gone[key{r.Text("name"), r.Text("language")}] = true
			return nil
		})
	if err != nil {
		return err
	}
	for _, t := range templates {
		delete(gone, key{t.Name, t.Language})
		content := kernel.WriteJSON(&templateContent{t.Body, t.Header, t.Footer, t.Buttons, t.Parameters})
		tx.Later(`
			INSERT INTO templates (company, channel, id, provider_id, name, language, folded, status, category, content)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
			ON CONFLICT (company, channel, name, language) DO UPDATE
			SET provider_id = excluded.provider_id, folded = excluded.folded, status = excluded.status, category = excluded.category,
				content = excluded.content`,
			company, channel, kernel.NewID(), t.ProviderID, t.Name, t.Language, fold.Text(t.Name+"\n"+t.Body), t.Status,
			t.Category, content)
	}
	for k := range gone {
		tx.Later(`DELETE FROM templates WHERE company = $1 AND channel = $2 AND name = $3 AND language = $4`,
			company, channel, k.name, k.language)
	}
	tx.Later(`UPDATE channels SET templates_synced_at = $3 WHERE company = $1 AND id = $2`, company, channel, tx.Now)
	return nil
}

// SetTemplateStatus stores the status of a template at the provider.
func SetTemplateStatus(tx *kernel.Tx, company, channel kernel.ID, name, language, status string) {
	tx.Later(`UPDATE templates SET status = $5 WHERE company = $1 AND channel = $2 AND name = $3 AND language = $4`,
		company, channel, name, language, status)
}

// TemplateSync has the times when the templates of a channel were last fetched and last requested.
type TemplateSync struct{ SyncedAt, AskedAt *time.Time }

// lockTemplateSync returns the TemplateSync of a channel and locks it until the end of the transaction.
func lockTemplateSync(tx *kernel.Tx, company, channel kernel.ID) (s TemplateSync, err error) {
	_, err = tx.One(`
		SELECT templates_synced_at, templates_asked_at
		FROM channels
		WHERE company = $1 AND id = $2`+tx.ForUpdate(), []any{company, channel}, func(r db.Row) {
		s = TemplateSync{r.NullTime("templates_synced_at"), r.NullTime("templates_asked_at")}
	})
	return s, err
}

// askForTemplates makes the templates of a channel due now and records the request.
func askForTemplates(tx *kernel.Tx, company, channel kernel.ID) {
	tx.Later(`UPDATE channels SET templates_due_at = $3, templates_asked_at = $3 WHERE company = $1 AND id = $2`,
		company, channel, tx.Now)
}

// templatesDue sets when the templates of a channel are fetched next.
func templatesDue(tx *kernel.Tx, company, channel kernel.ID, at time.Time) {
	tx.Later(`UPDATE channels SET templates_due_at = $3 WHERE company = $1 AND id = $2`, company, channel, at)
}

// templatesFetched sets when the templates of a channel are fetched next, unless they were requested since they were claimed.
func templatesFetched(tx *kernel.Tx, company, channel kernel.ID, claimed, at time.Time) {
	tx.Later(`UPDATE channels SET templates_due_at = $4 WHERE company = $1 AND id = $2 AND templates_due_at = $3`,
		company, channel, claimed, at)
}

// claimTemplates returns a connected channel whose templates are due, and makes them due again at a later time so that no other
// node fetches them.
func claimTemplates(tx *kernel.Tx, again time.Time) (ch Channel, found bool, err error) {
	found, err = tx.One(`
		SELECT /* all companies: due work */`+channelColumns+`
		FROM channels ch
		WHERE ch.templates_due_at <= $1 AND ch.status = 'connected' AND ch.provider = 'whatsapp'
		ORDER BY ch.templates_due_at
		LIMIT 1`+tx.Dialect().Lock(` FOR UPDATE SKIP LOCKED`), []any{tx.Now}, func(r db.Row) { ch = scanChannel(r) })
	if err == nil && found {
		templatesDue(tx, ch.Company, ch.ID, again)
	}
	return ch, found, err
}
