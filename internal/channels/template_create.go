package channels

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"recado/internal/channels/provider"
	"recado/internal/channels/whatsapp"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/phone"
)

// Meta's limits for templates.
const (
	maxTemplateBody     = 1024
	maxTemplateLine     = 60 // header and footer
	maxTemplateButton   = 25
	maxTemplateButtons  = 10
	maxTemplateURLs     = 2
	maxTemplatePhones   = 1
	maxTemplateURL      = 2000
	maxTemplateExample  = 1000
	maxTemplateExamples = 64
)

var (
	// reasons: mixed numbers and names; sequence: not 1, 2, 3; name: not of the characters a-z, 0-9 and _; braces that enclose no
	// variable; header: more than one; button, footer: any; url: not one at the end; order: quick replies between other buttons.
	ruleTemplateText = kernel.NewRule("template_text", "braces", "button", "footer", "header", "mixed", "name", "order", "sequence", "url")
	// Meta did not accept the template. Params: reason, provider_message.
	ruleTemplateRefused = kernel.NewRule("template_refused", whatsapp.TemplateRefusals()...)
)

// NewTemplate describes a template to create.
type NewTemplate struct {
	Name       string
	Language   string
	Category   string
	Header     string
	HeaderType string // of a file: image video document; "": Header
	Body       string
	Footer     string
	Buttons    []provider.NewTemplateButton
	Examples   TemplateExamples
}

// TemplateExamples has an example for each gap of a template, in the order in which the gaps first occur. The example of a header
// that is a file is the id of the file.
type TemplateExamples struct {
	Header []string
	Body   []string
}

// OpenFile returns a file that the principal may use. The field is for its errors.
type OpenFile func(ctx context.Context, a *kernel.Principal, id kernel.ID, field string) (*provider.OutgoingMedia, error)

// UseFiles sets the function that opens the samples of templates. It must be called before the first request.
func (d *Channels) UseFiles(open OpenFile) { d.openFile = open }

// CreateTemplate creates a template at Meta and returns it with the status of its review. If the process ends before it is
// stored, the next fetch of the templates finds it.
func (d *Channels) CreateTemplate(
	ctx context.Context, a *kernel.Principal, channel kernel.ID, in NewTemplate,
) (provider.ChannelTemplate, error) {
	var none provider.ChannelTemplate
	ch, access, err := d.templateAccess(ctx, a, channel)
	if err != nil {
		return none, err
	}
	template, invalid := in.check()
	if invalid != nil {
		return none, invalid
	}
	if in.HeaderType != "" {
		if template.HeaderFile, err = d.sample(ctx, a, in); err != nil {
			return none, err
		}
	}
	if err := d.changeTemplates(ctx, ch, access); err != nil {
		return none, err
	}
	created, err := d.numbers.CreateTemplate(ctx, access, template)
	ctx = context.WithoutCancel(ctx) // what was requested is recorded even if the caller has gone
	if err != nil {
		d.fetchTemplatesSoon(ctx, ch, access)
		return none, errTemplate(err, "body", "created")
	}
	return kernel.WriteAnswer(ctx, d.Kernel, func(tx *kernel.Tx) (provider.ChannelTemplate, error) {
		if err := d.accountTemplatesDue(tx, ch.Company, access.WABAID); err != nil {
			return created, err
		}
		created.ID = kernel.NewID()
		_, err := tx.One(`SELECT id FROM templates WHERE company = $1 AND channel = $2 AND name = $3 AND language = $4`,
			[]any{ch.Company, ch.ID, created.Name, created.Language}, func(r db.Row) { created.ID = r.ID("id") }) // a fetch was faster
		if err != nil {
			return created, err
		}
		saveTemplate(tx, ch.Company, ch.ID, &created)
		tx.Audit(a, kernel.AuditEntry{
			Action: "template.created", Subject: kernel.NewAuditSubject("template", created.ID, created.Name), Channel: ch.ID,
			Changes: []kernel.AuditChange{
				{Field: "channel", To: ch.Name}, {Field: "language", To: created.Language}, {Field: "category", To: created.Category},
			},
		})
		return created, nil
	})
}

// DeleteTemplate deletes a template at Meta, in all its languages.
func (d *Channels) DeleteTemplate(ctx context.Context, a *kernel.Principal, channel kernel.ID, name string) error {
	ch, access, err := d.templateAccess(ctx, a, channel)
	if err != nil {
		return err
	}
	// The check and the request hold no lock: a template that becomes the reopening template in between is missing there, and
	// sending it fails with template_not_found.
	err = d.Store.Read(ctx, func(tx *kernel.Tx) error {
		known := false
		_, err := tx.One(`
			SELECT EXISTS (SELECT 1 FROM templates WHERE company = $1 AND channel = $2 AND name = $3) AS known`,
			[]any{ch.Company, ch.ID, name}, func(r db.Row) { known = r.Bool("known") })
		if err != nil || !known {
			return kernel.ErrOr(err, kernel.NotFound("template"))
		}
		return templateInUse(tx, ch.Company, access.WABAID, name)
	})
	if err != nil {
		return err
	}
	if err := d.changeTemplates(ctx, ch, access); err != nil {
		return err
	}
	err = d.numbers.DeleteTemplates(ctx, access, name)
	ctx = context.WithoutCancel(ctx) // what was requested is recorded even if the caller has gone
	if err != nil {
		d.fetchTemplatesSoon(ctx, ch, access)
		return errTemplate(err, "path.name", "deleted")
	}
	return d.Store.Write(ctx, func(tx *kernel.Tx) error {
		ids, err := LockAccount(tx, ch.Company, access.WABAID)
		for _, id := range ids {
			tx.Later(`DELETE FROM templates WHERE company = $1 AND channel = $2 AND name = $3`, ch.Company, id, name)
			d.TemplatesDue(tx, ch.Company, id)
		}
		tx.Audit(a, kernel.AuditEntry{
			Action: "template.deleted", Subject: kernel.AuditSubject{Type: "template", Name: name}, Channel: ch.ID,
			Changes: []kernel.AuditChange{{Field: "channel", From: ch.Name}},
		})
		return err
	})
}

// changeTemplates makes the templates of an account due in some minutes, before a change at Meta. If the process ends before the
// result is stored, the fetch finds it. A fetch that has begun stores nothing.
func (d *Channels) changeTemplates(ctx context.Context, ch Channel, access Access) error {
	return d.Store.Write(ctx, func(tx *kernel.Tx) error {
		ids, err := LockAccount(tx, ch.Company, access.WABAID)
		for _, id := range ids {
			templatesDue(tx, ch.Company, id, tx.Now.Add(templateSyncRetry))
		}
		return err
	})
}

// templateInUse returns an error if a number of the account uses a template to reopen conversations.
func templateInUse(tx *kernel.Tx, company kernel.ID, waba, name string) error {
	used := false
	_, err := tx.One(`
		SELECT EXISTS (
			SELECT 1 FROM channels WHERE company = $1 AND waba_id = $2 AND reopen_name = $3 AND archived_at IS NULL) AS used`,
		[]any{company, waba, name}, func(r db.Row) { used = r.Bool("used") })
	if err == nil && used {
		err = kernel.Errorf(kernel.CodeInUse, "A number uses this template to reopen conversations. Choose another one for it first.")
	}
	return err
}

// templateAccess returns a connected WhatsApp number with its access.
func (d *Channels) templateAccess(ctx context.Context, a *kernel.Principal, channel kernel.ID) (Channel, Access, error) {
	ch, access, err := d.channelAccess(ctx, a, channel)
	switch {
	case err != nil:
	case ch.Provider != ProviderWhatsApp:
		err = kernel.Invalid("path.id", RuleWhatsAppOnly, "only a WhatsApp channel has templates")
	case ch.ArchivedAt != nil:
		err = ErrChannelArchived()
	case ch.Status != ChannelConnected:
		err = kernel.Errorf(kernel.CodeChannelDisconnected, "The channel is disconnected. Connect it to change its templates.")
	case d.numbers == nil:
		err = errNoWhatsApp()
	}
	return ch, access, err
}

// accountTemplatesDue locks all numbers of an account and makes their templates due, because they share them.
func (d *Channels) accountTemplatesDue(tx *kernel.Tx, company kernel.ID, waba string) error {
	ids, err := LockAccount(tx, company, waba)
	for _, id := range ids {
		d.TemplatesDue(tx, company, id)
	}
	return err
}

// fetchTemplatesSoon makes the templates of an account due after a request that failed.
func (d *Channels) fetchTemplatesSoon(ctx context.Context, ch Channel, access Access) {
	err := d.Store.Write(ctx, func(tx *kernel.Tx) error {
		return d.accountTemplatesDue(tx, ch.Company, access.WABAID)
	})
	if err != nil {
		d.Log.Warn("cannot make templates due: " + err.Error())
	}
}

// sample returns the sample of a header that is a file.
func (d *Channels) sample(ctx context.Context, a *kernel.Principal, in NewTemplate) (*provider.OutgoingMedia, error) {
	const field = "body.examples.header[0]"
	id, ok := kernel.ParseID(in.Examples.Header[0])
	if !ok || d.openFile == nil {
		return nil, kernel.Malformed(field, "uuid")
	}
	file, err := d.openFile(ctx, a, id, field)
	if err == nil && file.Kind != in.HeaderType {
		err = kernel.Invalid(field, RuleTemplateParameter, "the header of this template requires a file of the type "+in.HeaderType,
			kernel.Params{"reason": "type", "parameter": "header", "type": in.HeaderType})
	}
	return file, err
}

// errTemplate converts an error of a request about a template that should be created or deleted. The field is that of a refusal.
func errTemplate(err error, field, done string) error {
	refused, ok := errors.AsType[*provider.SendError](err)
	switch {
	case !ok:
		return err
	case refused.Fate == provider.Uncertain:
		return &kernel.Error{
			Code: kernel.CodeUncertain, Params: refused.CauseParams(),
			Message: "WhatsApp did not respond, so it is not known whether the template was " + done + ". Look for it in the list of " +
				"templates before trying again.",
		}
	case refused.Disconnect:
		return &kernel.Error{Code: kernel.CodeChannelDisconnected, Message: Sentence(refused), Params: refused.CauseParams()}
	case refused.Code == "template_refused":
		if refused.ProviderField != "" && field == "body" {
			field += "." + refused.ProviderField
		}
		return kernel.Invalid(field, ruleTemplateRefused, Sentence(refused), refused.Params())
	case refused.Code == "media_unavailable":
		return kernel.Invalid("body.examples.header[0]", ruleRefused, Sentence(refused), refused.CauseParams())
	}
	return &kernel.Error{
		Code: kernel.CodeUnavailable, Message: Sentence(refused) + " Try again.", Params: refused.CauseParams(),
		RetryAfter: refused.RetryAfter,
	}
}

var (
	templateName     = regexp.MustCompile(`^[a-z0-9_]{1,512}$`)
	templateLanguage = regexp.MustCompile(`^[a-z]{2,3}(_[A-Z0-9][A-Za-z0-9]{1,3})?$`)
	variable         = regexp.MustCompile(`\{\{\s*(\w+)\s*\}\}`)
	variableName     = regexp.MustCompile(`^[a-z0-9_]+$`)
)

// check validates a template by Meta's rules, as far as they are known, and returns it without its sample.
func (in *NewTemplate) check() (provider.NewTemplate, *kernel.Error) {
	out := provider.NewTemplate{
		Name: in.Name, Language: in.Language, Category: strings.ToLower(in.Category), Header: in.Header, Body: in.Body, Footer: in.Footer,
		BodyExamples: in.Examples.Body,
	}
	var err *kernel.Error
	switch {
	case !templateName.MatchString(in.Name):
		err = kernel.Invalid("body.name", kernel.RulePattern, "must consist of lower-case letters, digits and underscores, at most 512",
			kernel.Params{"pattern": "^[a-z0-9_]{1,512}$"})
	case !templateLanguage.MatchString(in.Language):
		err = kernel.Invalid("body.language", kernel.RulePattern, "must be a language such as pt_BR or en",
			kernel.Params{"pattern": templateLanguage.String()})
	case out.Category == "authentication":
		err = kernel.Invalid("body.category", kernel.RuleOneOf,
			"must be marketing or utility: Meta defines the texts of authentication templates, so create them at Meta",
			kernel.Params{"values": []string{"marketing", "utility"}})
	case out.Category != "marketing" && out.Category != "utility":
		err = kernel.OneOf("body.category", "marketing", "utility")
	}
	for _, check := range []func() *kernel.Error{
		in.checkHeader,
		func() *kernel.Error {
			_, err := kernel.Text("body.body", in.Body, maxTemplateBody)
			return err
		},
		in.checkFooter,
		func() *kernel.Error { return checkVariables("body.body", in.Body, in.Header+in.Body) },
		func() *kernel.Error { return checkExamples("body.examples.body", in.Examples.Body, gapCount(in.Body)) },
		func() *kernel.Error { return in.checkButtons(&out) },
	} {
		if err == nil {
			err = check()
		}
	}
	if in.HeaderType == "" {
		out.HeaderExamples = in.Examples.Header
	}
	return out, err
}

func (in *NewTemplate) checkHeader() *kernel.Error {
	const field = "body.header"
	if in.HeaderType != "" {
		if !slices.Contains([]string{provider.TypeImage, provider.TypeVideo, provider.TypeDocument}, in.HeaderType) {
			return kernel.OneOf(field+".type", provider.TypeImage, provider.TypeVideo, provider.TypeDocument)
		}
		if len(in.Examples.Header) != 1 {
			return kernel.Count("body.examples.header", 1, 1)
		}
		return nil
	}
	if in.Header != "" {
		if _, err := kernel.Name(field, in.Header, maxTemplateLine); err != nil {
			return err
		}
	}
	if gapCount(in.Header) > 1 {
		return kernel.Invalid(field, ruleTemplateText, "may have one variable", kernel.Params{"reason": "header"})
	}
	if err := checkVariables(field, in.Header, in.Header+in.Body); err != nil {
		return err
	}
	return checkExamples("body.examples.header", in.Examples.Header, gapCount(in.Header))
}

func (in *NewTemplate) checkFooter() *kernel.Error {
	if in.Footer == "" {
		return nil
	}
	_, err := kernel.Name("body.footer", in.Footer, maxTemplateLine)
	if err == nil && strings.Contains(in.Footer, "{{") {
		err = kernel.Invalid("body.footer", ruleTemplateText, "must not have variables", kernel.Params{"reason": "footer"})
	}
	return err
}

// checkVariables checks the variables of a text. Those of all texts together have numbers or names. Numbers are consecutive in
// each text.
func checkVariables(field, text, all string) *kernel.Error {
	wrong := func(reason, message string) *kernel.Error {
		return kernel.Invalid(field, ruleTemplateText, message, kernel.Params{"reason": reason})
	}
	if rest := variable.ReplaceAllString(text, ""); strings.Contains(rest, "{{") || strings.Contains(rest, "}}") {
		return wrong("braces", "has double braces without a variable such as {{1}} or {{name}}")
	}
	numbers, names := 0, 0
	for _, gap := range provider.TemplateGaps(all) {
		if _, err := strconv.Atoi(gap); err == nil {
			numbers++
		} else {
			names++
		}
	}
	gaps := provider.TemplateGaps(text)
	if numbers > 0 && names > 0 && len(gaps) > 0 {
		return wrong("mixed", "either all variables of a template are numbers or all are names")
	}
	for i, gap := range gaps {
		if numbers > 0 && !slices.Contains(gaps, strconv.Itoa(i+1)) {
			return wrong("sequence", fmt.Sprintf("the variables must be numbered from {{1}} without gaps; {{%d}} is missing", i+1))
		}
		if !variableName.MatchString(gap) {
			return wrong("name", "the names of variables consist of lower-case letters, digits and underscores")
		}
	}
	return nil
}

func gapCount(text string) int { return len(provider.TemplateGaps(text)) }

// checkExamples checks that there is an example for each gap.
func checkExamples(field string, examples []string, gaps int) *kernel.Error {
	if len(examples) != gaps {
		return kernel.Count(field, gaps, gaps)
	}
	for i, example := range examples {
		if _, err := kernel.Text(kernel.Indexed(field, i), example, maxTemplateExample); err != nil {
			return err
		}
	}
	return nil
}

func (in *NewTemplate) checkButtons(out *provider.NewTemplate) *kernel.Error {
	if len(in.Buttons) > maxTemplateButtons {
		return kernel.TooMany("body.buttons", maxTemplateButtons)
	}
	counts, turns, last := map[string]int{}, 0, ""
	for i, b := range in.Buttons {
		field := kernel.Indexed("body.buttons", i)
		if _, err := kernel.Name(field+".text", b.Text, maxTemplateButton); err != nil {
			return err
		}
		if strings.Contains(b.Text, "{{") {
			return kernel.Invalid(field+".text", ruleTemplateText, "must not have variables", kernel.Params{"reason": "button"})
		}
		for j := range i {
			if in.Buttons[j].Text == b.Text {
				return kernel.Duplicate(field+".text", "another button has the same text")
			}
		}
		counts[b.Type]++
		if quick := b.Type == "quick_reply"; i == 0 || quick != (last == "quick_reply") {
			turns++
		}
		last = b.Type
		if err := checkButton(field, &b); err != nil {
			return err
		}
		out.Buttons = append(out.Buttons, b)
	}
	switch {
	case counts["url"] > maxTemplateURLs:
		return kernel.TooMany("body.buttons", maxTemplateURLs)
	case counts["phone"] > maxTemplatePhones:
		return kernel.TooMany("body.buttons", maxTemplatePhones)
	case turns > 2:
		return kernel.Invalid("body.buttons", ruleTemplateText, "the quick replies must stand together, before or after the other buttons",
			kernel.Params{"reason": "order"})
	}
	return nil
}

// checkButton checks the fields of one kind of button and completes its example.
func checkButton(field string, b *provider.NewTemplateButton) *kernel.Error {
	for name, value := range map[string]string{"url": b.URL, "phone_number": b.PhoneNumber, "example": b.Example} {
		allowed := b.Type == "url" && name != "phone_number" || b.Type == "phone" && name == "phone_number"
		if value != "" && !allowed {
			return kernel.Invalid(field+"."+name, kernel.RuleNotAllowed, "must be absent for a button of the type "+b.Type)
		}
	}
	switch b.Type {
	case "quick_reply":
		return nil
	case "phone":
		number, ok := phone.Normalize(b.PhoneNumber)
		if b.PhoneNumber == "" {
			return kernel.Required(field + ".phone_number")
		} else if !ok {
			return kernel.Malformed(field+".phone_number", "phone")
		}
		b.PhoneNumber = number
		return nil
	case "url":
		return checkURLButton(field, b)
	}
	return kernel.OneOf(field+".type", "quick_reply", "url", "phone")
}

// checkURLButton checks an address, which may have one gap at its end.
func checkURLButton(field string, b *provider.NewTemplateButton) *kernel.Error {
	if _, err := kernel.Name(field+".url", b.URL, maxTemplateURL); err != nil {
		return err
	}
	start := variable.ReplaceAllString(b.URL, "")
	if u, err := url.Parse(start); err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return kernel.Malformed(field+".url", "link")
	}
	if gaps := provider.TemplateGaps(b.URL); len(gaps) == 0 {
		if b.Example != "" {
			return kernel.Invalid(field+".example", kernel.RuleNotAllowed, "must be absent for an address without a variable")
		}
		return nil
	} else if len(gaps) > 1 || !strings.HasSuffix(b.URL, "{{1}}") || len(variable.FindAllString(b.URL, -1)) != 1 {
		return kernel.Invalid(field+".url", ruleTemplateText, "may have one variable, {{1}}, at its end", kernel.Params{"reason": "url"})
	}
	if _, err := kernel.Name(field+".example", b.Example, maxTemplateURL); err != nil {
		return err
	}
	if !strings.HasPrefix(b.Example, start) { // the value alone; Meta wants a whole address
		b.Example = start + b.Example
	}
	return nil
}
