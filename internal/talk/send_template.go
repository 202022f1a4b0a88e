package talk

import (
	"fmt"

	"github.com/go-json-experiment/json"

	"recado/internal/channels"
	"recado/internal/channels/provider"
	"recado/internal/kernel"
)

// fillTemplate sets the content of a message to a template. It checks the parameters against the channel's copy of the template.
func (d *Talk) fillTemplate(tx *kernel.Tx, a *kernel.Principal, m *Message, o *Outbox, in *provider.Template) (extras MessageExtras, err error) {
	if o.Provider != channels.ProviderWhatsApp {
		return extras, kernel.Invalid("body.template", channels.RuleWhatsAppOnly, "templates are only for WhatsApp channels")
	}
	copied, found, synced, err := channels.Template(tx, m.Company, m.Channel, in.Name, in.Language)
	if err != nil {
		return extras, err
	}
	line := channels.TemplateLine(in)
	if synced {
		if !found {
			return extras, kernel.NoSuch("body.template.name", "template")
		}
		if invalid := channels.MatchTemplate(&copied, in); invalid != nil {
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
	if synced && copied.Status != provider.TemplateApproved {
		return extras, kernel.Errorf(kernel.CodeTemplateUnavailable,
			"The template %s is %s at WhatsApp, so it cannot be sent. Choose an approved one.", copied.Name, copied.Status)
	}
	raw, err := json.Marshal(in)
	if err != nil {
		return extras, err
	}
	extras.Template, m.Text = new(string(raw)), &line
	return extras, nil
}

// templateFile attaches the file of a header parameter.
func (d *Talk) templateFile(tx *kernel.Tx, a *kernel.Principal, m *Message, p *provider.TemplateParameter, field string) error {
	media, err := d.usableMedia(tx, a, *p.MediaID)
	if refused, ok := err.(*kernel.Error); ok && refused.Code == kernel.CodeInvalidRequest {
		refused.Fields[0].Field = field
	}
	if err != nil {
		return err
	}
	if p.Kind == "" {
		p.Kind = string(media.Kind)
	}
	if p.Kind != string(media.Kind) {
		return kernel.Invalid(field, channels.RuleTemplateParameter, "the header of this template requires a file of the type "+p.Kind,
			kernel.Params{"reason": "type", "parameter": "header", "type": p.Kind})
	}
	attach(m, &media)
	return nil
}
