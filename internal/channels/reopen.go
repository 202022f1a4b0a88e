package channels

import (
	"slices"

	"recado/internal/channels/provider"
	"recado/internal/kernel"
)

// PayloadDecline is the payload of the last quick reply of a reopening template, with which the customer declines.
const PayloadDecline = "no"

// ReopenTemplate names the template that asks a customer to write again, so that held messages can be sent.
type ReopenTemplate struct {
	Name     string `json:"name" minLength:"1" maxLength:"512"`
	Language string `json:"language" minLength:"2" maxLength:"20" example:"pt_BR"`
}

// setReopenTemplate sets the reopening template of a channel; nil removes it.
func setReopenTemplate(tx *kernel.Tx, ch *Channel, in *ReopenTemplate) error {
	const field = "body.reopen_template"
	var name, language *string
	if in != nil {
		if ch.Provider != ProviderWhatsApp {
			return kernel.Invalid(field, RuleWhatsAppOnly, "only a WhatsApp channel has templates")
		}
		t, found, _, err := Template(tx, ch.Company, ch.ID, in.Name, in.Language)
		switch {
		case err != nil:
			return err
		case !found:
			return kernel.NoSuch(field+".name", "template")
		case t.Status != provider.TemplateApproved:
			return kernel.Invalid(field, ruleReopenTemplate, "the template is not approved by WhatsApp", kernel.Params{"reason": "not_approved"})
		case !mayReopen(&t):
			return kernel.Invalid(field, ruleReopenTemplate,
				"the template must have no parameters, or only one in the body", kernel.Params{"reason": "parameters"})
		}
		name, language = &in.Name, &in.Language
	}
	ch.ReopenTemplate = in
	tx.Later(`UPDATE channels SET reopen_name = $3, reopen_language = $4, updated_at = $5 WHERE company = $1 AND id = $2`,
		ch.Company, ch.ID, name, language, tx.Now)
	return nil
}

// mayReopen reports whether a template has no parameters besides one in its body.
func mayReopen(t *provider.ChannelTemplate) bool {
	return len(t.Parameters) == 0 || len(t.Parameters) == 1 && t.Parameters[0].Component == provider.ComponentBody
}

// FillReopening returns the template to send for a reopening template whose parameter, if it has one, is the protocol.
func FillReopening(t *provider.ChannelTemplate, protocol string) *provider.Template {
	out := &provider.Template{Name: t.Name, Language: t.Language}
	for _, gap := range t.Parameters {
		p := provider.TemplateParameter{Text: protocol}
		kernel.Set(&p.Name, gap.Name)
		out.Parameters = append(out.Parameters, p)
	}
	for i, b := range slices.Backward(t.Buttons) {
		if b.Type == "quick_reply" {
			out.Parameters = append(out.Parameters, provider.TemplateParameter{
				Component: provider.ComponentButton, Button: i, SubType: b.Type, Text: PayloadDecline,
			})
			break
		}
	}
	return out
}

// FindReopening returns the reopening template of a channel. found reports whether one is set and usable reports whether it can
// still be sent.
func FindReopening(tx *kernel.Tx, company, channel kernel.ID) (t provider.ChannelTemplate, found, usable bool, err error) {
	ch, _, err := FindChannel(tx, company, channel)
	if err != nil || ch.ReopenTemplate == nil {
		return t, false, false, err
	}
	t, usable, _, err = Template(tx, company, channel, ch.ReopenTemplate.Name, ch.ReopenTemplate.Language)
	return t, true, usable && t.Status == provider.TemplateApproved && mayReopen(&t), err
}
