package whatsapp

import (
	"context"
	"net/http"
	"strings"
	"unicode/utf8"

	"recado/internal/channels/provider"
)

// maxClientID is the maximum length of a client id at Meta.
const maxClientID = 512

// Send sends one message once. A file without a ProviderID is uploaded first; the result has its id. The *provider.SendError
// tells the caller whether to retry.
func (c *Client) Send(ctx context.Context, out provider.Outgoing) (provider.SendResult, error) {
	body, err := envelope(out)
	if err != nil {
		return provider.SendResult{}, err
	}
	var result provider.SendResult
	if m := out.Media; m != nil {
		if result.MediaID = m.ProviderID; result.MediaID == "" {
			if result.MediaID, err = c.UploadMedia(ctx, *m); err != nil {
				return provider.SendResult{}, err
			}
		}
		if out.Template != nil {
			body["template"] = template(*out.Template, result.MediaID)
		} else {
			body[m.Kind].(map[string]any)["id"] = result.MediaID
		}
	}
	var response struct {
		Contacts list[struct {
			WAID   text `json:"wa_id"`
			UserID text `json:"user_id"`
		}] `json:"contacts"`
		Messages list[struct {
			ID text `json:"id"`
		}] `json:"messages"`
	}
	request := call{method: http.MethodPost, path: []string{c.PhoneNumberID, "messages"}, sends: true, late: out.Expired}
	if err := c.callJSON(ctx, request, body, &response); err != nil {
		return provider.SendResult{MediaID: result.MediaID}, err
	}
	if len(response.Messages) == 0 || response.Messages[0].ID == "" {
		return provider.SendResult{MediaID: result.MediaID}, unreadable(nil, true)
	}
	result.ExternalID = string(response.Messages[0].ID)
	if len(response.Contacts) > 0 && out.GroupID == "" {
		result.WAID, result.UserID = string(response.Contacts[0].WAID), string(response.Contacts[0].UserID)
	}
	return result, nil
}

// envelope returns the body of the request, without the id of a file that is not uploaded yet. It rejects messages that Meta
// would certainly reject, with a better error.
func envelope(out provider.Outgoing) (map[string]any, error) {
	body := map[string]any{"messaging_product": "whatsapp", "recipient_type": "individual"}
	switch {
	case out.GroupID != "":
		body["recipient_type"], body["to"] = "group", out.GroupID
	case out.To.WAID != "":
		body["to"] = "+" + strings.TrimPrefix(out.To.WAID, "+")
	case out.To.Phone != "":
		body["to"] = "+" + strings.TrimPrefix(out.To.Phone, "+")
	case out.To.UserID != "":
		body["recipient"] = out.To.UserID
	default:
		return nil, refuse("invalid_request", "The message has no receiver.", nil)
	}
	if len(out.ClientID) > maxClientID {
		return nil, refuse("invalid_request", "The client id is too long for WhatsApp.", nil)
	}
	if out.ClientID != "" {
		body["biz_opaque_callback_data"] = out.ClientID
	}
	if out.ReplyTo != "" {
		body["context"] = map[string]any{"message_id": out.ReplyTo}
	}
	kind, content, err := content(out)
	if err != nil {
		return nil, err
	}
	body["type"], body[kind] = kind, content
	return body, nil
}

func content(out provider.Outgoing) (string, map[string]any, error) {
	switch {
	case out.Reaction != nil:
		return "reaction", map[string]any{"message_id": out.Reaction.ExternalID, "emoji": out.Reaction.Emoji}, nil
	case out.Interactive != nil:
		return "interactive", interactive(out.Interactive), nil
	case out.Template != nil:
		return "template", template(*out.Template, ""), nil
	case out.Media != nil:
		m, err := media(*out.Media, out.Text)
		return out.Media.Kind, m, err
	case strings.TrimSpace(out.Text) == "":
		return "", nil, refuse("invalid_request", "The message is empty.", nil)
	case utf8.RuneCountInString(out.Text) > provider.MaxText:
		return "", nil, refuse("text_too_long", "WhatsApp accepts texts of at most 4096 characters.", nil)
	}
	return "text", map[string]any{"body": out.Text, "preview_url": strings.Contains(out.Text, "://")}, nil
}

func media(m provider.OutgoingMedia, caption string) (map[string]any, error) {
	object := map[string]any{}
	switch m.Kind {
	case "image", "video", "document":
		if utf8.RuneCountInString(caption) > provider.MaxCaption {
			return nil, refuse("text_too_long", "WhatsApp accepts captions of at most 1024 characters.", nil)
		}
		if caption != "" {
			object["caption"] = caption
		}
		if m.Kind == "document" && m.FileName != "" {
			object["filename"] = m.FileName
		}
	case "audio", "sticker":
		if caption != "" {
			return nil, refuse("caption_not_allowed",
				"WhatsApp shows no text under audio and stickers; send the text as a message of its own.", nil)
		}
		if m.Kind == "audio" && m.Voice {
			object["voice"] = true
		}
	default:
		return nil, refuse("type_not_supported", "WhatsApp does not support this kind of message.", nil)
	}
	if m.ProviderID == "" && m.Open == nil {
		return nil, refuse("media_unavailable", "The file of the message is missing.", nil)
	}
	return object, nil
}

// interactive encodes buttons or a list.
func interactive(i *provider.Interactive) map[string]any {
	object := map[string]any{"type": "button", "body": map[string]any{"text": i.Body}}
	if i.Header != nil {
		object["header"] = map[string]any{"type": "text", "text": *i.Header}
	}
	if i.Footer != nil {
		object["footer"] = map[string]any{"text": *i.Footer}
	}
	if i.List == nil {
		buttons := make([]any, len(i.Buttons))
		for n, b := range i.Buttons {
			buttons[n] = map[string]any{"type": "reply", "reply": map[string]any{"id": b.ID, "title": b.Title}}
		}
		object["action"] = map[string]any{"buttons": buttons}
		return object
	}
	sections := make([]any, len(i.List.Sections))
	for n, s := range i.List.Sections {
		rows := make([]any, len(s.Rows))
		for k, r := range s.Rows {
			row := map[string]any{"id": r.ID, "title": r.Title}
			if r.Description != nil {
				row["description"] = *r.Description
			}
			rows[k] = row
		}
		section := map[string]any{"rows": rows}
		if s.Title != nil {
			section["title"] = *s.Title
		}
		sections[n] = section
	}
	object["type"], object["action"] = "list", map[string]any{"button": i.List.Button, "sections": sections}
	return object
}

// MarkRead shows the customer that the message, and all before it, was read. It does not work in groups.
func (c *Client) MarkRead(ctx context.Context, externalID string) error {
	return c.callJSON(ctx, call{method: http.MethodPost, path: []string{c.PhoneNumberID, "messages"}},
		map[string]any{"messaging_product": "whatsapp", "status": "read", "message_id": externalID}, nil)
}
