package channels

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"recado/internal/channels/provider"
	"recado/internal/fold"
	"recado/internal/jobs"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

// WakeTemplates is the name of the wakeup of the loop that fetches templates.
const WakeTemplates = "templates"

// How often the templates of a channel are fetched: regularly, after a failure, and on request.
const (
	templateSyncEvery = 6 * time.Hour
	templateSyncRetry = 5 * time.Minute
	templateSyncPause = time.Minute
)

// TemplateFilter selects templates of a list. Zero values select all.
type TemplateFilter struct {
	Q      string
	Status string
	Limit  int
	Cursor string
}

// Templates returns a page of the stored templates of a channel, sorted by name and language. next is "" on the last page.
func (d *Channels) Templates(
	ctx context.Context, a *kernel.Principal, channel kernel.ID, f TemplateFilter,
) (page []provider.ChannelTemplate, next string, err error) {
	var afterName, afterLanguage string
	list := fmt.Sprintf("templates %s %q %q", channel, f.Q, f.Status)
	if f.Cursor != "" {
		payload, invalid := d.Cursors.Open(a.Company.ID, list, f.Cursor)
		if invalid != nil {
			return nil, "", invalid
		}
		afterName, afterLanguage, _ = strings.Cut(string(payload), "\x00")
	}
	more := false
	err = d.Store.Read(ctx, func(tx *kernel.Tx) error {
		if _, err := d.Known(tx, a, channel); err != nil {
			return err
		}
		s := tx.Statement()
		s.WriteString("SELECT" + templateColumns + "FROM templates")
		s.WriteString(" WHERE company = " + s.Arg(a.Company.ID) + " AND channel = " + s.Arg(channel))
		s.And("(name, language) > (" + s.Arg(afterName) + ", " + s.Arg(afterLanguage) + ")")
		s.AndGiven("status", strings.ToLower(f.Status))
		if q := fold.Text(f.Q); q != "" {
			s.And(s.Contains("folded", q))
		}
		s.WriteString(" ORDER BY name, language")
		tx.Page(s, f.Limit, 0)
		page, more, err = kernel.Collect(tx, s, f.Limit, scanTemplate)
		return err
	})
	if err == nil && more {
		last := page[len(page)-1]
		next = d.Cursors.Seal(a.Company.ID, list, []byte(last.Name+"\x00"+last.Language))
	}
	return page, next, err
}

// SyncTemplates makes the templates of a channel due and returns when they were last fetched.
func (d *Channels) SyncTemplates(ctx context.Context, a *kernel.Principal, channel kernel.ID) (synced *time.Time, err error) {
	return kernel.WriteAnswer(ctx, d.Kernel, func(tx *kernel.Tx) (*time.Time, error) {
		ch, err := d.Known(tx, a, channel)
		if err != nil {
			return nil, err
		}
		if ch.Provider != ProviderWhatsApp {
			return nil, kernel.Invalid("path.id", RuleWhatsAppOnly, "only a WhatsApp channel has templates")
		}
		last, err := lockTemplateSync(tx, a.Company.ID, channel)
		if err != nil {
			return nil, err
		}
		if last.AskedAt != nil {
			if wait := templateSyncPause - tx.Now.Sub(*last.AskedAt); wait > 0 {
				refused := kernel.Errorf(kernel.CodeRateLimited,
					"The templates of this channel were synchronized less than a minute ago. Try again later.")
				refused.RetryAfter = wait
				return nil, refused
			}
		}
		if ch.Status != ChannelConnected {
			return nil, kernel.Errorf(kernel.CodeChannelDisconnected,
				"The channel is disconnected. Connect it to fetch its templates.")
		}
		tx.Later(`UPDATE channels SET templates_due_at = $3, templates_asked_at = $3 WHERE company = $1 AND id = $2`,
			a.Company.ID, channel, tx.Now)
		tx.AfterCommit(d.Wakeup(WakeTemplates).Notify)
		return last.SyncedAt, nil
	})
}

// TemplatesDue makes the templates of a channel due now.
func (d *Channels) TemplatesDue(tx *kernel.Tx, company, channel kernel.ID) {
	templatesDue(tx, company, channel, tx.Now)
	tx.AfterCommit(d.Wakeup(WakeTemplates).Notify)
}

// TemplateClaim is a channel whose templates this node fetches, and when they are due again if that fails.
type TemplateClaim struct {
	Company kernel.ID
	Channel kernel.ID
	until   time.Time
}

// ClaimTemplates returns a channel whose templates are due. Unless KeepTemplates follows they are due again after some minutes.
func (d *Channels) ClaimTemplates(ctx context.Context) (claim TemplateClaim, found bool, err error) {
	err = d.Store.Write(ctx, func(tx *kernel.Tx) (err error) {
		var ch Channel
		ch, found, err = oneChannel(tx, `
			ch.templates_due_at <= $1 AND ch.status = 'connected' AND ch.provider = 'whatsapp' /* all companies: due work */
			ORDER BY ch.templates_due_at
			LIMIT 1`+tx.Dialect().Lock(` FOR UPDATE SKIP LOCKED`), tx.Now)
		claim = TemplateClaim{ch.Company, ch.ID, tx.Now.Add(templateSyncRetry)}
		if err == nil && found {
			templatesDue(tx, ch.Company, ch.ID, claim.until)
		}
		return err
	})
	return claim, found, err
}

// KeepTemplates stores the templates of a channel. They are due again after some hours. If they became due during the fetch, it
// stores nothing: the next fetch follows at once, and this one may lack what was created, decided or deleted meanwhile.
func (d *Channels) KeepTemplates(ctx context.Context, claim TemplateClaim, templates []provider.ChannelTemplate) error {
	return d.Store.Write(ctx, func(tx *kernel.Tx) error {
		for i := range templates {
			t := &templates[i]
			t.Name, t.Body = kernel.CleanText(t.Name), kernel.CleanText(t.Body)
		}
		n, err := tx.Exec(`UPDATE channels SET templates_due_at = $4 WHERE company = $1 AND id = $2 AND templates_due_at = $3`,
			claim.Company, claim.Channel, claim.until, tx.Now.Add(templateSyncEvery))
		if err != nil || n == 0 {
			return err
		}
		return replaceTemplates(tx, claim.Company, claim.Channel, templates)
	})
}

// CheckTemplate validates a template that a caller wants to send.
func CheckTemplate(t *provider.Template) *kernel.Error {
	_, invalid := kernel.Name("body.template.name", t.Name, 512)
	if invalid == nil {
		_, invalid = kernel.Name("body.template.language", t.Language, 20)
	}
	if invalid != nil {
		return invalid
	}
	named := map[string]bool{} // by component
	for i, p := range t.Parameters {
		field := kernel.Indexed("body.template.parameters", i)
		switch {
		case p.MediaID != nil && (p.Text != "" || p.In() != provider.ComponentHeader):
			return kernel.Invalid(field+".media_id", kernel.RuleNotAllowed, "is only for the component header, without text")
		case p.MediaID == nil:
			if _, invalid := kernel.Text(field+".text", p.Text, provider.MaxText); invalid != nil {
				return invalid
			}
		}
		if others, seen := named[p.In()]; seen && others != (p.Name != "") {
			return kernel.Invalid("body.template.parameters", ruleParameterNames,
				"either all parameters of a component have a name or none has")
		}
		named[p.In()] = p.Name != ""
	}
	return nil
}

// MatchTemplate assigns the parameters of a message to the gaps of its template, and completes them.
func MatchTemplate(t *provider.ChannelTemplate, in *provider.Template) *kernel.Error {
	filled := make([]bool, len(t.Parameters))
	for i := range in.Parameters {
		p := &in.Parameters[i]
		field := kernel.Indexed("body.template.parameters", i)
		at := nextGap(t.Parameters, filled, p)
		if at < 0 {
			name := p.In()
			if p.Name != "" {
				name += "." + p.Name
			} else {
				name += fmt.Sprintf(".%d", 1+countIn(in.Parameters[:i], p.In()))
			}
			return kernel.Invalid(field, RuleTemplateParameter, "the template has no parameter "+name,
				kernel.Params{"reason": "unknown", "parameter": name})
		}
		filled[at] = true
		gap := &t.Parameters[at]
		if (gap.Type == "text") != (p.MediaID == nil) {
			return kernel.Invalid(field, RuleTemplateParameter, "the parameter "+gap.String()+" is of the type "+gap.Type,
				kernel.Params{"reason": "type", "parameter": gap.String(), "type": gap.Type})
		}
		if p.MediaID != nil {
			p.Kind = gap.Type
		}
		if gap.Component == provider.ComponentButton {
			p.Button, p.SubType = gap.Index-1, t.Buttons[gap.Index-1].Type
		}
	}
	for i := range filled {
		if !filled[i] {
			return kernel.Invalid("body.template.parameters", RuleTemplateParameter,
				"the parameter "+t.Parameters[i].String()+" is missing",
				kernel.Params{"reason": "missing", "parameter": t.Parameters[i].String()})
		}
	}
	return nil
}

// nextGap returns the index of the gap that a parameter fills: by name, or the next one of its component. It returns -1 if
// there is none.
func nextGap(gaps []provider.TemplateGap, filled []bool, p *provider.TemplateParameter) int {
	for i := range gaps {
		gap := &gaps[i]
		if filled[i] || gap.Component != p.In() {
			continue
		}
		if p.Name == "" && gap.Name == nil || gap.Name != nil && *gap.Name == p.Name {
			return i
		}
	}
	return -1
}

func countIn(parameters []provider.TemplateParameter, component string) (n int) {
	for i := range parameters {
		if parameters[i].In() == component {
			n++
		}
	}
	return n
}

// TemplateLine returns the text to show for a template whose text is not known.
func TemplateLine(t *provider.Template) string {
	var values []string
	for _, p := range t.Parameters {
		if p.Text != "" {
			values = append(values, p.Text)
		}
	}
	if len(values) == 0 {
		return t.Name
	}
	return t.Name + ": " + strings.Join(values, ", ")
}

// Templates is the worker that fetches the templates of WhatsApp numbers.
type Templates struct {
	Desk   *Channels
	Graph  *Graph
	Logger *slog.Logger
}

// step fetches the templates of one channel. A failure is retried after some minutes.
func (t *Templates) step(ctx context.Context) (more bool, err error) {
	claim, found, err := t.Desk.ClaimTemplates(ctx)
	if err != nil || !found {
		return false, err
	}
	_, access, found, err := t.Desk.Access(ctx, claim.Company, claim.Channel)
	if err != nil || !found {
		return true, err
	}
	templates, err := t.Graph.Templates(ctx, access)
	if err != nil {
		t.Logger.Warn("cannot fetch the templates of a channel", slog.String("channel", claim.Channel.String()), slog.Any("error", err))
		return true, nil
	}
	return true, t.Desk.KeepTemplates(ctx, claim, templates)
}

// Run fetches templates until ctx ends.
func (t *Templates) Run(ctx context.Context) {
	jobs.Repeat(ctx, t.Logger, "templates", t.Desk.Wakeup(WakeTemplates).C, templatePoll, t.step)
}

// templatePoll is the interval of checks for templates that became due by time or through another node.
const templatePoll = 10 * time.Second

// templateContent is the JSON in the column content.
type templateContent struct {
	Body       string                    `json:"body"`
	Header     *string                   `json:"header,omitempty"`
	Footer     *string                   `json:"footer,omitempty"`
	Buttons    []provider.TemplateButton `json:"buttons"`
	Parameters []provider.TemplateGap    `json:"parameters"`
}

const templateColumns = ` id, name, language, category, status, content, provider_id, quality, reason, reason_text `

func scanTemplate(r db.Row) provider.ChannelTemplate {
	t := provider.ChannelTemplate{
		ID: r.ID("id"), Name: r.Text("name"), Language: r.Text("language"), Category: r.Text("category"), Status: r.Text("status"),
		Buttons: []provider.TemplateButton{}, Parameters: []provider.TemplateGap{},
		Quality: r.NullText("quality"), Reason: r.NullText("reason"), ReasonText: r.NullText("reason_text"),
	}
	if c := kernel.ReadJSON[templateContent](r, "content"); c != nil {
		t.Body, t.Header, t.Footer = c.Body, c.Header, c.Footer
		t.Buttons, t.Parameters = append(t.Buttons, c.Buttons...), append(t.Parameters, c.Parameters...)
	}
	t.ProviderID = r.Text("provider_id")
	return t
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
	t, found, err = kernel.Row(tx, `
		SELECT`+templateColumns+`
		FROM templates
		WHERE company = $1 AND channel = $2 AND name = $3 AND language = $4`, []any{company, channel, name, language}, scanTemplate)
	return t, found, true, err
}

// saveTemplate stores a template. An existing template of the name and language keeps its id, and the explanation of its rejection
// while it stays rejected for the same reason, because only callbacks have that.
func saveTemplate(tx *kernel.Tx, company, channel kernel.ID, t *provider.ChannelTemplate) {
	content := kernel.WriteJSON(&templateContent{t.Body, t.Header, t.Footer, t.Buttons, t.Parameters})
	tx.Later(`
		INSERT INTO templates (company, channel, id, provider_id, name, language, folded, status, category, content, quality, reason)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
		ON CONFLICT (company, channel, name, language) DO UPDATE
		SET provider_id = excluded.provider_id, folded = excluded.folded, status = excluded.status, category = excluded.category,
			content = excluded.content, quality = excluded.quality, reason = excluded.reason,
			reason_text = CASE WHEN templates.reason = excluded.reason THEN templates.reason_text END`,
		company, channel, t.ID, t.ProviderID, t.Name, t.Language, fold.Text(t.Name+"\n"+t.Body), t.Status, t.Category, content,
		t.Quality, t.Reason)
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
		t.ID = kernel.NewID()
		saveTemplate(tx, company, channel, &t)
	}
	for k := range gone {
		tx.Later(`DELETE FROM templates WHERE company = $1 AND channel = $2 AND name = $3 AND language = $4`,
			company, channel, k.name, k.language)
	}
	tx.Later(`UPDATE channels SET templates_synced_at = $3 WHERE company = $1 AND id = $2`, company, channel, tx.Now)
	return nil
}

// UpdateTemplate stores what the provider reports about a template.
func UpdateTemplate(tx *kernel.Tx, company, channel kernel.ID, u *provider.IncomingTemplate) {
	if u.Status != "" {
		tx.Later(`
			UPDATE templates
			SET status = $5, reason = $6, reason_text = $7
			WHERE company = $1 AND channel = $2 AND name = $3 AND language = $4`,
			company, channel, u.Name, u.Language, u.Status, kernel.TextOrNil(kernel.CleanText(u.Reason)),
			kernel.TextOrNil(kernel.CleanText(u.ReasonText)))
	}
	if u.Quality != "" {
		tx.Later(`UPDATE templates SET quality = $5 WHERE company = $1 AND channel = $2 AND name = $3 AND language = $4`,
			company, channel, u.Name, u.Language, u.Quality)
	}
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

// templatesDue sets when the templates of a channel are fetched next.
func templatesDue(tx *kernel.Tx, company, channel kernel.ID, at time.Time) {
	tx.Later(`UPDATE channels SET templates_due_at = $3 WHERE company = $1 AND id = $2`, company, channel, at)
}
