package desk

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"recado/internal/model"
	"recado/internal/store"
)

// How often the copy of a channel's templates is fetched: regularly, after a failure, and when callers ask for it.
const (
	templateSyncEvery = 6 * time.Hour
	templateSyncRetry = 5 * time.Minute
	templateSyncPause = time.Minute
)

// TemplateFilter chooses templates of a list. Zero values choose all.
type TemplateFilter struct {
	Q      string
	Status string
	Limit  int
	Cursor string
}

// Templates lists the templates of a channel from its copy, by name and language. next is "" on the last page.
func (d *Desk) Templates(ctx context.Context, a *Principal, channel model.ID, f TemplateFilter) (page []model.ChannelTemplate, next string, err error) {
	if err := a.May(VerbTemplates); err != nil {
		return nil, "", err
	}
	in := store.TemplateFilter{Q: f.Q, Status: strings.ToLower(f.Status), Limit: f.Limit}
	list := fmt.Sprintf("templates %s %q %q", channel, f.Q, f.Status)
	if f.Cursor != "" {
		payload, invalid := d.cursors.Open(a.Company.ID, list, f.Cursor)
		if invalid != nil {
			return nil, "", invalid
		}
		in.AfterName, in.AfterLanguage, _ = strings.Cut(string(payload), "\x00")
	}
	more := false
	_, err = read(ctx, d, func(tx *store.Tx) (_ struct{}, err error) {
		if _, err = d.channel(tx, a, channel); err == nil {
			page, more, err = tx.Templates(a.Company.ID, channel, in)
		}
		return struct{}{}, err
	})
	if err == nil && more {
		last := page[len(page)-1]
		next = d.cursors.Seal(a.Company.ID, list, []byte(last.Name+"\x00"+last.Language))
	}
	return page, next, err
}

// SyncTemplates has the copy of a channel's templates fetched soon and gives when that was done last.
func (d *Desk) SyncTemplates(ctx context.Context, a *Principal, channel model.ID) (synced *time.Time, err error) {
	if err := a.May(VerbSyncTemplates); err != nil {
		return nil, err
	}
	return writeAnswer(ctx, d, func(tx *store.Tx) (*time.Time, error) {
		ch, err := d.channel(tx, a, channel)
		if err != nil {
			return nil, err
		}
		if ch.Provider != model.ProviderWhatsApp {
			return nil, model.Invalid("path.id", "only a WhatsApp channel has templates")
		}
		last, err := tx.LockTemplateSync(a.Company.ID, channel)
		if err != nil {
			return nil, err
		}
		if last.AskedAt != nil {
			if wait := templateSyncPause - tx.Now.Sub(*last.AskedAt); wait > 0 {
				refused := model.Errorf(model.CodeRateLimited, "The templates of this channel were synchronized less than a minute ago. Try again later.")
				refused.RetryAfter = wait
				return nil, refused
			}
		}
		if ch.Status != model.ChannelConnected {
			return nil, model.Errorf(model.CodeChannelDisconnected, "The channel is disconnected. Connect it to fetch its templates.")
		}
		tx.AskForTemplates(a.Company.ID, channel)
		tx.AfterCommit(d.wakeups.Templates.Notify)
		return last.SyncedAt, nil
	})
}

// templatesDue has the copy of a channel fetched now.
func (d *Desk) templatesDue(tx *store.Tx, company, channel model.ID) {
	tx.TemplatesDue(company, channel, tx.Now)
	tx.AfterCommit(d.wakeups.Templates.Notify)
}

// TemplateClaim is a channel whose copy of templates one node fetches, and when it is due again if that fails.
type TemplateClaim struct {
	Channel model.ID
	until   time.Time
}

// ClaimTemplates gives a channel whose copy of templates has to be fetched. A failure leaves it due after some minutes.
func (d System) ClaimTemplates(ctx context.Context) (claim TemplateClaim, found bool, err error) {
	_, err = write(ctx, d.Desk, func(tx *store.Tx) (_ struct{}, err error) {
		var ch model.Channel
		until := tx.Now.Add(templateSyncRetry)
		ch, found, err = tx.ClaimTemplates(until)
		claim = TemplateClaim{ch.ID, until}
		return struct{}{}, err
	})
	return claim, found, err
}

// KeepTemplates makes templates the copy of a channel until they are fetched again: after some hours, or at once where a
// caller or the provider asked for it while these were on their way.
func (d System) KeepTemplates(ctx context.Context, claim TemplateClaim, templates []model.ChannelTemplate) error {
	_, err := write(ctx, d.Desk, func(tx *store.Tx) (struct{}, error) {
		ch, found, err := tx.AnyChannel(claim.Channel)
		if err != nil || !found {
			return struct{}{}, err
		}
		for i := range templates {
			t := &templates[i]
			t.Name, t.Body = cleanText(t.Name), cleanText(t.Body)
		}
		tx.TemplatesFetched(ch.Company, ch.ID, claim.until, tx.Now.Add(templateSyncEvery))
		return struct{}{}, tx.ReplaceTemplates(ch.Company, ch.ID, templates)
	})
	return err
}

// template notes what the provider said of a template, and has the copies of its account fetched again.
func (in *inboundBatch) template(u *model.IncomingTemplate) error {
	in.notice(&u.Notice)
	channels, err := in.tx.ChannelsOfAccount(in.channel.Company, u.WABAID, "")
	for _, id := range channels {
		if u.Status != "" {
			in.tx.SetTemplateStatus(in.channel.Company, id, u.Name, u.Language, u.Status)
		}
		in.d.templatesDue(in.tx, in.channel.Company, id)
	}
	return err
}

func checkTemplate(t *model.Template) *model.Error {
	if _, invalid := model.Name("body.template.name", t.Name, 512); invalid != nil {
		return invalid
	}
	if _, invalid := model.Name("body.template.language", t.Language, 20); invalid != nil {
		return invalid
	}
	named := map[string]bool{} // by component
	for i, p := range t.Parameters {
		field := fmt.Sprintf("body.template.parameters[%d]", i)
		switch {
		case p.MediaID != nil && (p.Text != "" || p.In() != model.ComponentHeader):
			return model.Invalid(field+".media_id", "is only for the component header, without text")
		case p.MediaID == nil:
			if _, invalid := model.Text(field+".text", p.Text, model.MaxText); invalid != nil {
				return invalid
			}
		}
		if was, known := named[p.In()]; known && was != (p.Name != "") {
			return model.Invalid("body.template.parameters", "either all parameters of a component have a name or none has")
		}
		named[p.In()] = p.Name != ""
	}
	return nil
}

// fillTemplate makes a template the content of a message, after its parameters were compared with the copy of the channel.
func (d *Desk) fillTemplate(tx *store.Tx, a *Principal, m *model.Message, o *store.Outbox, in *model.Template) (extras store.MessageExtras, err error) {
	if o.Provider != model.ProviderWhatsApp {
		return extras, model.Invalid("body.template", "templates are only for WhatsApp channels")
	}
	copied, found, synced, err := tx.Template(m.Company, m.Channel, in.Name, in.Language)
	if err != nil {
		return extras, err
	}
	line := templateLine(in)
	if synced {
		if !found {
			return extras, model.Invalid("body.template.name", "this channel has no template with this name in "+in.Language)
		}
		if invalid := matchTemplate(&copied, in); invalid != nil {
			return extras, invalid
		}
		line = copied.Fill(in.Parameters)
	}
	for i := range in.Parameters {
		if p := &in.Parameters[i]; p.MediaID != nil {
			if err := d.templateFile(tx, a, m, p, fmt.Sprintf("body.template.parameters[%d].media_id", i)); err != nil {
				return extras, err
			}
		}
	}
	if synced && copied.Status != model.TemplateApproved {
		return extras, model.Errorf(model.CodeTemplateUnavailable, "The template %s is %s at WhatsApp, so it cannot be sent. Choose an approved one.", copied.Name, copied.Status)
	}
	raw, err := json.Marshal(in)
	if err != nil {
		return extras, err
	}
	template := string(raw)
	extras.Template, m.Text = &template, &line
	return extras, nil
}

// templateFile attaches the file of a header.
func (d *Desk) templateFile(tx *store.Tx, a *Principal, m *model.Message, p *model.TemplateParameter, field string) error {
	media, err := d.usableMedia(tx, a, *p.MediaID)
	if err != nil {
		if refused, ok := err.(*model.Error); ok && refused.Code == model.CodeInvalidRequest {
			return model.Invalid(field, refused.Fields[0].Message)
		}
		return err
	}
	if p.Kind == "" {
		p.Kind = string(media.Kind)
	}
	if p.Kind != string(media.Kind) {
		return model.Invalid(field, "the header of this template takes a file of the type "+p.Kind)
	}
	attach(m, &media)
	return nil
}

// matchTemplate assigns parameters to the gaps of a template, and completes them.
func matchTemplate(t *model.ChannelTemplate, in *model.Template) *model.Error {
	filled := make([]bool, len(t.Parameters))
	for i := range in.Parameters {
		p := &in.Parameters[i]
		at := nextGap(t.Parameters, filled, p)
		if at < 0 {
			name := p.In()
			if p.Name != "" {
				name += "." + p.Name
			} else {
				name += fmt.Sprintf(".%d", 1+countIn(in.Parameters[:i], p.In()))
			}
			return model.Invalid(fmt.Sprintf("body.template.parameters[%d]", i), "the template has no parameter "+name)
		}
		filled[at] = true
		gap := &t.Parameters[at]
		if (gap.Type == "text") != (p.MediaID == nil) {
			return model.Invalid(fmt.Sprintf("body.template.parameters[%d]", i), "the parameter "+gap.String()+" is of the type "+gap.Type)
		}
		if p.MediaID != nil {
			p.Kind = gap.Type
		}
		if gap.Component == model.ComponentButton {
			p.Button, p.SubType = gap.Index-1, t.Buttons[gap.Index-1].Type
		}
	}
	for i := range filled {
		if !filled[i] {
			return model.Invalid("body.template.parameters", "the parameter "+t.Parameters[i].String()+" is missing")
		}
	}
	return nil
}

// nextGap finds the gap that a parameter fills: by name, or the next of its component. It gives -1 where there is none.
func nextGap(gaps []model.TemplateGap, filled []bool, p *model.TemplateParameter) int {
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

func countIn(parameters []model.TemplateParameter, component string) (n int) {
	for i := range parameters {
		if parameters[i].In() == component {
			n++
		}
	}
	return n
}

// templateLine is what people read in place of a template whose text only the provider knows.
func templateLine(t *model.Template) string {
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
