package channels

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"recado/internal/channels/provider"
	"recado/internal/jobs"
	"recado/internal/kernel"
)

// WakeTemplates wakes the loop that fetches templates.
const WakeTemplates = "templates"

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
func (d *Channels) Templates(ctx context.Context, a *kernel.Principal, channel kernel.ID, f TemplateFilter) (page []provider.ChannelTemplate, next string, err error) {
	if err := a.May(VerbTemplates); err != nil {
		return nil, "", err
	}
	in := templateCriteria{Q: f.Q, Status: strings.ToLower(f.Status), Limit: f.Limit}
	list := fmt.Sprintf("templates %s %q %q", channel, f.Q, f.Status)
	if f.Cursor != "" {
		payload, invalid := d.Cursors.Open(a.Company.ID, list, f.Cursor)
		if invalid != nil {
			return nil, "", invalid
		}
		in.AfterName, in.AfterLanguage, _ = strings.Cut(string(payload), "\x00")
	}
	more := false
	_, err = kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (_ struct{}, err error) {
		if _, err = d.Known(tx, a, channel); err == nil {
			page, more, err = listTemplates(tx, a.Company.ID, channel, in)
		}
		return struct{}{}, err
	})
	if err == nil && more {
		last := page[len(page)-1]
		next = d.Cursors.Seal(a.Company.ID, list, []byte(last.Name+"\x00"+last.Language))
	}
	return page, next, err
}

// SyncTemplates has the copy of a channel's templates fetched soon and gives when that was done last.
func (d *Channels) SyncTemplates(ctx context.Context, a *kernel.Principal, channel kernel.ID) (synced *time.Time, err error) {
	if err := a.May(VerbSyncTemplates); err != nil {
		return nil, err
	}
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
				refused := kernel.Errorf(kernel.CodeRateLimited, "The templates of this channel were synchronized less than a minute ago. Try again later.")
				refused.RetryAfter = wait
				return nil, refused
			}
		}
		if ch.Status != ChannelConnected {
			return nil, kernel.Errorf(kernel.CodeChannelDisconnected, "The channel is disconnected. Connect it to fetch its templates.")
		}
		askForTemplates(tx, a.Company.ID, channel)
		tx.AfterCommit(d.Wakeup(WakeTemplates).Notify)
		return last.SyncedAt, nil
	})
}

// TemplatesDue has the copy of a channel fetched now.
func (d *Channels) TemplatesDue(tx *kernel.Tx, company, channel kernel.ID) {
	templatesDue(tx, company, channel, tx.Now)
	tx.AfterCommit(d.Wakeup(WakeTemplates).Notify)
}

// TemplateClaim is a channel whose copy of templates one node fetches, and when it is due again if that fails.
type TemplateClaim struct {
	Company kernel.ID
	Channel kernel.ID
	until   time.Time
}

// ClaimTemplates gives a channel whose copy of templates has to be fetched. A failure leaves it due after some minutes.
func (d *Channels) ClaimTemplates(ctx context.Context) (claim TemplateClaim, found bool, err error) {
	_, err = kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (_ struct{}, err error) {
		var ch Channel
		until := tx.Now.Add(templateSyncRetry)
		ch, found, err = claimTemplates(tx, until)
		claim = TemplateClaim{ch.Company, ch.ID, until}
		return struct{}{}, err
	})
	return claim, found, err
}

// KeepTemplates makes templates the copy of a channel until they are fetched again: after some hours, or at once where a
// caller or the provider asked for it while these were on their way.
func (d *Channels) KeepTemplates(ctx context.Context, claim TemplateClaim, templates []provider.ChannelTemplate) error {
	_, err := kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (struct{}, error) {
		for i := range templates {
			t := &templates[i]
			t.Name, t.Body = kernel.CleanText(t.Name), kernel.CleanText(t.Body)
		}
		templatesFetched(tx, claim.Company, claim.Channel, claim.until, tx.Now.Add(templateSyncEvery))
		return struct{}{}, replaceTemplates(tx, claim.Company, claim.Channel, templates)
	})
	return err
}

// CheckTemplate checks the form of a template that a caller wants to send.
func CheckTemplate(t *provider.Template) *kernel.Error {
	if _, invalid := kernel.Name("body.template.name", t.Name, 512); invalid != nil {
		return invalid
	}
	if _, invalid := kernel.Name("body.template.language", t.Language, 20); invalid != nil {
		return invalid
	}
	named := map[string]bool{} // by component
	for i, p := range t.Parameters {
		field := fmt.Sprintf("body.template.parameters[%d]", i)
		switch {
		case p.MediaID != nil && (p.Text != "" || p.In() != provider.ComponentHeader):
			return kernel.Invalid(field+".media_id", kernel.RuleNotAllowed, "is only for the component header, without text")
		case p.MediaID == nil:
			if _, invalid := kernel.Text(field+".text", p.Text, provider.MaxText); invalid != nil {
				return invalid
			}
		}
		if was, known := named[p.In()]; known && was != (p.Name != "") {
			return kernel.Invalid("body.template.parameters", ruleParameterNames, "either all parameters of a component have a name or none has")
		}
		named[p.In()] = p.Name != ""
	}
	return nil
}

// MatchTemplate assigns parameters to the gaps of a template, and completes them.
func MatchTemplate(t *provider.ChannelTemplate, in *provider.Template) *kernel.Error {
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
			return kernel.Invalid(fmt.Sprintf("body.template.parameters[%d]", i), RuleTemplateParameter, "the template has no parameter "+name, kernel.Params{"reason": "unknown", "parameter": name})
		}
		filled[at] = true
		gap := &t.Parameters[at]
		if (gap.Type == "text") != (p.MediaID == nil) {
			return kernel.Invalid(fmt.Sprintf("body.template.parameters[%d]", i), RuleTemplateParameter, "the parameter "+gap.String()+" is of the type "+gap.Type, kernel.Params{"reason": "type", "parameter": gap.String(), "type": gap.Type})
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
			return kernel.Invalid("body.template.parameters", RuleTemplateParameter, "the parameter "+t.Parameters[i].String()+" is missing",
				kernel.Params{"reason": "missing", "parameter": t.Parameters[i].String()})
		}
	}
	return nil
}

// nextGap finds the gap that a parameter fills: by name, or the next of its component. It gives -1 where there is none.
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

// TemplateLine is what people read in place of a template whose text only the provider knows.
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

// Templates keeps the copies of the WhatsApp numbers' templates up to date.
type Templates struct {
	Desk   *Channels
	Graph  *Graph
	Logger *slog.Logger
}

// step fetches the templates of one channel. One that fails is tried again after some minutes.
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
		t.Logger.Warn("the templates of a channel could not be fetched", slog.String("channel", claim.Channel.String()), slog.Any("error", err))
		return true, nil
	}
	return true, t.Desk.KeepTemplates(ctx, claim, templates)
}

// Run ends with ctx.
func (t *Templates) Run(ctx context.Context) {
	jobs.Repeat(ctx, t.Logger, "templates", t.Desk.Wakeup(WakeTemplates).C, templatePoll, t.step)
}

// templatePoll is how often it looks without being told: for what another node or the clock made due.
const templatePoll = 10 * time.Second
