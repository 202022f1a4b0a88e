package whatsapp

import (
	"fmt"
	"strings"

	"recado/internal/model"
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

// read reports whether the file can be fetched at all.
func (f fileContent) read(in *model.IncomingMessage) bool {
	in.Text = string(f.Caption)
	if f.ID == "" && f.URL == "" {
		return false
	}
	in.Media = &model.IncomingMedia{
		ProviderID: string(f.ID),
		URL:        string(f.URL),
		MimeType:   string(f.MimeType),
		FileName:   string(f.FileName),
		SHA256:     string(f.SHA256),
		Voice:      f.Voice.value,
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
	Phones list[struct {
		Phone text `json:"phone"`
		WAID  text `json:"wa_id"`
	}] `json:"phones"`
	Emails list[struct {
		Email text `json:"email"`
	}] `json:"emails"`
}

func (c cardContent) line() string {
	name := string(c.Name.value.Formatted)
	if name == "" {
		name = joined(" ", string(c.Name.value.First), string(c.Name.value.Last))
	}
	var ways []string
	for _, p := range c.Phones {
		if p.Phone != "" {
			ways = append(ways, string(p.Phone))
		} else {
			ways = append(ways, e164(string(p.WAID)))
		}
	}
	for _, e := range c.Emails {
		ways = append(ways, string(e.Email))
	}
	return joined(": ", name, joined(", ", ways...))
}

type buttonContent struct {
	Text text `json:"text"`
}

type interactiveContent struct {
	Button lenient[choice] `json:"button_reply"`
	List   lenient[choice] `json:"list_reply"`
	Form   lenient[struct {
		Body     text `json:"body"`
		Response text `json:"response_json"`
	}] `json:"nfm_reply"`
}

type choice struct {
	Title       text `json:"title"`
	Description text `json:"description"`
}

func (i interactiveContent) line() string {
	switch {
	case i.Button.ok:
		return string(i.Button.value.Title)
	case i.List.ok:
		return joined("\n", string(i.List.value.Title), string(i.List.value.Description))
	}
	return joined("\n", string(i.Form.value.Body), string(i.Form.value.Response))
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

// joined puts the parts together that are not empty.
func joined(separator string, parts ...string) string {
	full := parts[:0:0]
	for _, part := range parts {
		if part = strings.TrimSpace(part); part != "" {
			full = append(full, part)
		}
	}
	return strings.Join(full, separator)
}
