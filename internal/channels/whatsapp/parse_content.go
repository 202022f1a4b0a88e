package whatsapp

import (
	"cmp"
	"fmt"
	"strings"

	"recado/internal/channels/provider"
	"recado/internal/kernel"
)

type textContent struct {
	Body text `json:"body"`
}

type fileContent struct {
	ID       text          `json:"id"`
	URL      text          `json:"url"`
	MimeType text          `json:"mime_type"`
	SHA256   text          `json:"sha256"`
	FileName text          `json:"filename"`
	Caption  text          `json:"caption"`
	Voice    lenient[bool] `json:"voice"`
}

// read fills in the file and reports whether it can be fetched.
func (f fileContent) read(in *provider.IncomingMessage) bool {
	in.Text = string(f.Caption)
	if f.ID == "" && f.URL == "" {
		return false
	}
	in.Media = &provider.IncomingMedia{
		ProviderID: string(f.ID), URL: string(f.URL), MimeType: string(f.MimeType), FileName: string(f.FileName),
		SHA256: string(f.SHA256), Voice: f.Voice.value,
	}
	return true
}

type locationContent struct {
	Latitude  text `json:"latitude"`
	Longitude text `json:"longitude"`
	Name      text `json:"name"`
	Address   text `json:"address"`
}

func (l locationContent) line() string {
	place := joined(", ", string(l.Name), string(l.Address))
	point := joined(", ", string(l.Latitude), string(l.Longitude))
	if place != "" && point != "" {
		return place + " (" + point + ")"
	}
	return place + point
}

type cardContent struct {
	Name lenient[struct {
		Formatted text `json:"formatted_name"`
		First     text `json:"first_name"`
		Last      text `json:"last_name"`
	}] `json:"name"`
	Phones list[cardPhone] `json:"phones"`
	Emails list[struct {
		Email text `json:"email"`
	}] `json:"emails"`
	Origin text `json:"origin"`
	VCard  text `json:"vcard"`
	Org    lenient[struct {
		Company    text `json:"company"`
		Department text `json:"department"`
		Title      text `json:"title"`
	}] `json:"org"`
	Addresses list[struct {
		Street  text `json:"street"`
		City    text `json:"city"`
		State   text `json:"state"`
		Zip     text `json:"zip"`
		Country text `json:"country"`
	}] `json:"addresses"`
}

type cardPhone struct {
	Phone text `json:"phone"`
	WAID  text `json:"wa_id"`
}

// numbers returns the phones of a card, or those of its vCard if it has none.
func (c cardContent) numbers() []cardPhone {
	for _, p := range c.Phones {
		if p.Phone != "" || p.WAID != "" {
			return c.Phones
		}
	}
	return readVCard(string(c.VCard)).phones
}

func (c cardContent) line() string {
	vcard := readVCard(string(c.VCard))
	n := c.Name.value
	name := cmp.Or(string(n.Formatted), joined(" ", string(n.First), string(n.Last)), vcard.name)
	var details []string
	for _, p := range c.numbers() {
		details = append(details, cmp.Or(string(p.Phone), e164(string(p.WAID))))
	}
	for _, e := range c.Emails {
		details = append(details, string(e.Email))
	}
	if len(c.Emails) == 0 {
		details = append(details, vcard.emails...)
	}
	if o := c.Org.value; o.Company != "" || o.Department != "" || o.Title != "" {
		details = append(details, joined(", ", string(o.Title), string(o.Department), string(o.Company)))
	} else {
		details = append(details, vcard.org)
	}
	for _, a := range c.Addresses {
		details = append(details, joined(", ", string(a.Street), string(a.City), string(a.State), string(a.Zip), string(a.Country)))
	}
	return joined(": ", name, joined(", ", details...))
}

type buttonContent struct {
	Text    text `json:"text"`
	Payload text `json:"payload"`
}

func (b buttonContent) line() string { return strings.TrimSpace(string(cmp.Or(b.Text, b.Payload))) }

func (b buttonContent) chosen() *provider.Choice {
	return choice{ID: b.Payload, Title: b.Text}.chosen()
}

// templateContent is a template that the team sent from the phone.
type templateContent struct {
	Name       text `json:"name"`
	Components list[struct {
		Parameters list[parameter] `json:"parameters"`
	}] `json:"components"`
}

type unsupportedContent struct {
	Type text `json:"type"`
}

type interactiveContent struct {
	Button         lenient[choice]      `json:"button_reply"`
	List           lenient[choice]      `json:"list_reply"`
	Form           lenient[formContent] `json:"nfm_reply"`
	CallPermission lenient[struct {
		Response text `json:"response"`
	}] `json:"call_permission_reply"`
	Payment lenient[struct {
		Method    text `json:"payment_method"`
		Reference text `json:"reference_id"`
	}] `json:"payment_method"`
	// Of a message that the team sent from the phone.
	Header lenient[parameter] `json:"header"`
	Body   lenient[parameter] `json:"body"`
	Footer lenient[parameter] `json:"footer"`
	Action lenient[struct {
		Buttons list[struct {
			Reply lenient[choice] `json:"reply"`
		}] `json:"buttons"`
		Sections list[struct {
			Rows list[choice] `json:"rows"`
		}] `json:"sections"`
	}] `json:"action"`
}

type choice struct {
	ID          text `json:"id"`
	Title       text `json:"title"`
	Description text `json:"description"`
}

// parameter is an object with a text.
type parameter struct {
	Text text `json:"text"`
}

func (i interactiveContent) read(in *provider.IncomingMessage) {
	switch {
	case i.Button.ok:
		in.Text, in.Choice = i.Button.value.line(), i.Button.value.chosen()
	case i.List.ok:
		in.Text, in.Choice = i.List.value.line(), i.List.value.chosen()
	case i.Form.ok:
		in.Text, in.Form = i.Form.value.read()
	case i.CallPermission.ok:
		in.Text, in.Notice = "The customer does not allow calls.", notice(provider.NoticeCallsRefused)
		if strings.HasPrefix(strings.ToLower(string(i.CallPermission.value.Response)), "accept") {
			in.Text, in.Notice = "The customer allows calls.", notice(provider.NoticeCallsAllowed)
		}
	case i.Payment.ok:
		method, reference := clip(string(i.Payment.value.Method), maxChoice), clip(string(i.Payment.value.Reference), maxChoice)
		in.Text = joined(", ", "Payment method chosen: "+strings.ReplaceAll(method, "_", " "), reference)
		in.Notice = notice(provider.NoticePaymentMethod)
		in.Notice.Params = map[string]any{"method": method, "reference": reference}
	default:
		in.Text = i.sent()
	}
}

func notice(code provider.NoticeCode) *provider.MessageNotice {
	return &provider.MessageNotice{Code: code}
}

// sent returns the text of an interactive message with its options.
func (i interactiveContent) sent() string {
	lines := []string{string(i.Header.value.Text), string(i.Body.value.Text), string(i.Footer.value.Text)}
	for _, b := range i.Action.value.Buttons {
		lines = append(lines, bullet(b.Reply.value))
	}
	for _, section := range i.Action.value.Sections {
		for _, row := range section.Rows {
			lines = append(lines, bullet(row))
		}
	}
	return joined("\n", lines...)
}

func bullet(c choice) string {
	if c.Title == "" {
		return ""
	}
	return "- " + string(c.Title)
}

// chosen returns the choice to store, or nil.
func (c choice) chosen() *provider.Choice {
	if c.ID == "" && c.Title == "" {
		return nil
	}
	return &provider.Choice{ID: clip(string(c.ID), maxChoice), Title: clip(string(c.Title), maxChoice)}
}

// maxChoice is the maximum length of a stored id or title, in bytes.
const maxChoice = 1024

func (c choice) line() string {
	return joined("\n", string(cmp.Or(c.Title, c.ID)), string(c.Description))
}

// line returns the name of the template and its values.
func (t templateContent) line() string {
	var values []string
	for _, c := range t.Components {
		for _, p := range c.Parameters {
			values = append(values, string(p.Text))
		}
	}
	return joined(": ", string(t.Name), joined(", ", values...))
}

type reactionContent struct {
	MessageID text `json:"message_id"`
	Emoji     text `json:"emoji"`
}

type orderContent struct {
	Text  text `json:"text"`
	Items list[struct {
		Product  text `json:"product_retailer_id"`
		Quantity text `json:"quantity"`
		Price    text `json:"item_price"`
		Currency text `json:"currency"`
	}] `json:"product_items"`
}

func (o orderContent) line() string {
	lines := []string{string(o.Text)}
	for _, item := range o.Items {
		line := fmt.Sprintf("%s × %s", item.Quantity, item.Product)
		if item.Price != "" {
			line += fmt.Sprintf(" (%s %s)", item.Currency, item.Price)
		}
		lines = append(lines, line)
	}
	return joined("\n", lines...)
}

// joined joins the parts that are not blank.
func joined(separator string, parts ...string) string {
	var full []string
	for _, part := range parts {
		if part = strings.TrimSpace(part); part != "" {
			full = append(full, part)
		}
	}
	return strings.Join(full, separator)
}

// words is a notice with its English text.
type words struct {
	code provider.NoticeCode
	text string
}

// unsupportedWords are the notices of messages whose type WhatsApp reports without their content.
var unsupportedWords = map[text]words{
	"button":            {provider.NoticeButton, "Button"},
	"edit":              {provider.NoticeEdit, "Edited message"},
	"gif":               {provider.NoticeGIF, "GIF"},
	"group_invite":      {provider.NoticeGroupInvite, "Group invitation"},
	"hsm":               {provider.NoticeTemplate, "Template"},
	"image":             {provider.NoticeImage, "Image"},
	"interactive":       {provider.NoticeInteractive, "Interactive message"},
	"keep_in_chat":      {provider.NoticeKeptMessage, "Kept message"},
	"link_preview":      {provider.NoticeLinkPreview, "Link preview"},
	"list":              {provider.NoticeList, "List"},
	"location":          {provider.NoticeLocation, "Location"},
	"media_placeholder": {provider.NoticeFile, "File"},
	"order":             {provider.NoticeOrder, "Order"},
	"pin":               {provider.NoticePinned, "Pinned message"},
	"poll_creation":     {provider.NoticePoll, "Poll"},
	"poll_update":       {provider.NoticePollVote, "Vote in a poll"},
	"product":           {provider.NoticeProduct, "Product"},
	"reaction":          {provider.NoticeReaction, "Reaction"},
}

// unsupportedError are the notices for error codes of messages without content.
var unsupportedError = map[number]words{
	131052: {provider.NoticeNotDelivered, "The customer sent a file that WhatsApp could not hand over."},
	131060: {provider.NoticeOnPhoneOnly, "This message is not available here. It can be read on the phone."},
}

// unsupported returns the text and the notice for a message without content. They are empty if nothing is known about it.
func (m *messageContent) unsupported() (string, *provider.MessageNotice) {
	kind := unsupportedWords[m.Unsupported.value.Type]
	if kind.code == "" && m.Type != "interactive" && m.Type != "button" {
		kind = unsupportedWords[m.Type]
	}
	for _, e := range m.Errors {
		if reason := unsupportedError[e.Code]; reason.code != "" {
			n := notice(reason.code)
			if kind.code != "" {
				n.Params = map[string]any{"kind": string(kind.code)}
			}
			return joined(": ", kind.text, reason.text), n
		}
	}
	if kind.code == "" {
		return "", nil
	}
	return kind.text, notice(kind.code)
}

// referralContent is the ad or post that a customer came from.
type referralContent struct {
	SourceURL    text               `json:"source_url"`
	SourceID     text               `json:"source_id"`
	SourceType   text               `json:"source_type"`
	Headline     text               `json:"headline"`
	Body         text               `json:"body"`
	MediaType    text               `json:"media_type"`
	ImageURL     text               `json:"image_url"`
	VideoURL     text               `json:"video_url"`
	ThumbnailURL text               `json:"thumbnail_url"`
	ClickID      text               `json:"ctwa_clid"`
	Welcome      lenient[parameter] `json:"welcome_message"`
}

// maxReferral is the maximum length of each part of a referral, in bytes.
const maxReferral = 4096

func (r referralContent) read() *provider.Referral {
	out := provider.Referral{
		SourceURL: part(r.SourceURL), SourceID: part(r.SourceID), SourceType: part(r.SourceType), Headline: part(r.Headline),
		Body: part(r.Body), MediaType: part(r.MediaType), ImageURL: part(r.ImageURL), VideoURL: part(r.VideoURL),
		ThumbnailURL: part(r.ThumbnailURL), CTWAClickID: part(r.ClickID), WelcomeMessage: part(r.Welcome.value.Text),
	}
	if out == (provider.Referral{}) {
		return nil
	}
	return &out
}

func part(t text) *string { return kernel.TextOrNil(clip(string(t), maxReferral)) }

// productContent is the catalog item that a customer asks about.
type productContent struct {
	CatalogID  text `json:"catalog_id"`
	RetailerID text `json:"product_retailer_id"`
}

func (c productContent) read() *provider.Product {
	if c.CatalogID == "" && c.RetailerID == "" {
		return nil
	}
	return &provider.Product{CatalogID: clip(string(c.CatalogID), 256), ProductRetailerID: clip(string(c.RetailerID), 256)}
}

// vCard has the fields of a vCard that are shown.
type vCard struct {
	name   string
	phones []cardPhone
	emails []string
	org    string
}

// readVCard parses a vCard of any version. It returns the zero value for other text.
func readVCard(source string) (card vCard) {
	source = strings.NewReplacer("\r\n ", "", "\r\n\t", "", "\n ", "", "\n\t", "").Replace(source) // long lines are folded
	for line := range strings.Lines(source) {
		head, value, ok := strings.Cut(strings.TrimSpace(line), ":")
		if !ok {
			continue
		}
		parts := strings.Split(head, ";")
		name := parts[0][strings.LastIndexByte(parts[0], '.')+1:] // item1.TEL
		switch strings.ToUpper(name) {
		case "FN":
			card.name = unescapeVCard(value)
		case "N":
			if card.name == "" {
				family, rest, _ := strings.Cut(value, ";")
				given, _, _ := strings.Cut(rest, ";")
				card.name = unescapeVCard(joined(" ", given, family))
			}
		case "TEL":
			p := cardPhone{Phone: text(unescapeVCard(strings.TrimPrefix(value, "tel:")))}
			for _, parameter := range parts[1:] {
				if key, id, found := strings.Cut(parameter, "="); found && strings.EqualFold(key, "waid") {
					p.WAID = text(id)
				}
			}
			card.phones = append(card.phones, p)
		case "EMAIL":
			card.emails = append(card.emails, unescapeVCard(value))
		case "ORG":
			card.org = unescapeVCard(strings.Trim(strings.ReplaceAll(value, ";", ", "), ", "))
		}
	}
	return card
}

func unescapeVCard(s string) string {
	return strings.TrimSpace(strings.NewReplacer(`\n`, " ", `\,`, ",", `\;`, ";", `\\`, `\`).Replace(s))
}

// LocationText describes a place in words.
func LocationText(name, address, latitude, longitude string) string {
	return locationContent{Name: text(name), Address: text(address), Latitude: text(latitude), Longitude: text(longitude)}.line()
}

// CardText describes a contact card in words.
func CardText(vcard string) string { return cardContent{VCard: text(vcard)}.line() }
