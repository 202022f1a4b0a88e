package model

import (
	"slices"
	"strconv"

	"recado/internal/jsonenc"
)

// AppendJSON writes the message as the API shows it.
func (m *Message) AppendJSON(b []byte) []byte {
	b = appendID(append(b, `{"id":`...), m.ID)
	b = appendNullID(append(b, `,"client_id":`...), m.ClientID)
	b = appendID(append(b, `,"conversation":`...), m.Conversation)
	b = jsonenc.AppendString(append(b, `,"direction":`...), m.Direction)
	b = jsonenc.AppendString(append(b, `,"origin":`...), m.Origin)
	b = jsonenc.AppendString(append(b, `,"type":`...), m.Type)
	b = jsonenc.AppendNullString(append(b, `,"text":`...), m.Text)
	b = appendNullID(append(b, `,"media_id":`...), m.MediaID)
	b = m.Media.AppendJSON(append(b, `,"media":`...))
	b = jsonenc.AppendNullString(append(b, `,"reply_to_external_id":`...), m.ReplyTo)
	b = jsonenc.AppendNullString(append(b, `,"external_id":`...), m.ExternalID)
	b = jsonenc.AppendString(append(b, `,"status":`...), m.Status)
	if b = append(b, `,"error":`...); m.Error == nil {
		b = append(b, "null"...)
	} else {
		b = jsonenc.AppendString(append(b, `{"code":`...), m.Error.Code)
		b = append(jsonenc.AppendString(append(b, `,"message":`...), m.Error.Message), '}')
	}
	b = appendNullRef(append(b, `,"sent_by":`...), m.SentBy)
	b = jsonenc.AppendTime(append(b, `,"created_at":`...), m.CreatedAt)
	b = jsonenc.AppendNullTime(append(b, `,"sent_at":`...), m.SentAt)
	b = jsonenc.AppendNullTime(append(b, `,"delivered_at":`...), m.DeliveredAt)
	b = jsonenc.AppendNullTime(append(b, `,"read_at":`...), m.ReadAt)
	b = m.appendDetails(b)
	b = jsonenc.AppendNullTime(append(b, `,"edited_at":`...), m.EditedAt)
	b = jsonenc.AppendNullTime(append(b, `,"revoked_at":`...), m.RevokedAt)
	b = m.Interactive.AppendJSON(append(b, `,"interactive":`...))
	b = m.Choice.AppendJSON(append(b, `,"choice":`...))
	b = strconv.AppendBool(append(b, `,"voice":`...), m.Voice)
	b = appendNullRef(append(b, `,"integration":`...), m.Integration)
	b = m.Notice.AppendJSON(append(b, `,"notice":`...))
	b = m.Form.AppendJSON(append(b, `,"form":`...))
	b = strconv.AppendBool(append(b, `,"standby":`...), m.Standby)
	return append(b, '}')
}

// appendDetails writes the members that most messages leave empty.
func (m *Message) appendDetails(b []byte) []byte {
	if m.Author == nil && len(m.Reactions) == 0 && m.Referral == nil && m.Product == nil {
		return append(b, `,"author":null,"reactions":[],"referral":null,"product":null`...)
	}
	b = m.Author.AppendJSON(append(b, `,"author":`...))
	b = m.Reactions.AppendJSON(append(b, `,"reactions":`...))
	b = m.Referral.AppendJSON(append(b, `,"referral":`...))
	return m.Product.AppendJSON(append(b, `,"product":`...))
}

// AppendJSON writes the author, or null.
func (a *MessageAuthor) AppendJSON(b []byte) []byte {
	if a == nil {
		return append(b, "null"...)
	}
	b = appendNullID(append(b, `{"id":`...), a.ID)
	return append(jsonenc.AppendString(append(b, `,"name":`...), a.Name), '}')
}

// AppendJSON writes the reactions that were not taken back.
func (rs Reactions) AppendJSON(b []byte) []byte {
	b = append(b, '[')
	shown := 0
	for _, r := range rs {
		if r.Emoji == "" {
			continue
		}
		if shown++; shown > 1 {
			b = append(b, ',')
		}
		b = jsonenc.AppendString(append(b, `{"emoji":`...), r.Emoji)
		b = jsonenc.AppendString(append(b, `,"by":`...), r.By)
		b = appendNullRef(append(b, `,"user":`...), r.User)
		b = append(jsonenc.AppendTime(append(b, `,"at":`...), r.At), '}')
	}
	return append(b, ']')
}

// AppendJSON writes the referral, or null.
func (r *Referral) AppendJSON(b []byte) []byte {
	if r == nil {
		return append(b, "null"...)
	}
	b = jsonenc.AppendNullString(append(b, `{"source_url":`...), r.SourceURL)
	b = jsonenc.AppendNullString(append(b, `,"source_id":`...), r.SourceID)
	b = jsonenc.AppendNullString(append(b, `,"source_type":`...), r.SourceType)
	b = jsonenc.AppendNullString(append(b, `,"headline":`...), r.Headline)
	b = jsonenc.AppendNullString(append(b, `,"body":`...), r.Body)
	b = jsonenc.AppendNullString(append(b, `,"media_type":`...), r.MediaType)
	b = jsonenc.AppendNullString(append(b, `,"image_url":`...), r.ImageURL)
	b = jsonenc.AppendNullString(append(b, `,"video_url":`...), r.VideoURL)
	b = jsonenc.AppendNullString(append(b, `,"thumbnail_url":`...), r.ThumbnailURL)
	b = jsonenc.AppendNullString(append(b, `,"ctwa_clid":`...), r.CTWAClickID)
	b = jsonenc.AppendNullString(append(b, `,"welcome_message":`...), r.WelcomeMessage)
	return append(b, '}')
}

// AppendJSON writes the product, or null.
func (p *Product) AppendJSON(b []byte) []byte {
	if p == nil {
		return append(b, "null"...)
	}
	b = jsonenc.AppendString(append(b, `{"catalog_id":`...), p.CatalogID)
	return append(jsonenc.AppendString(append(b, `,"product_retailer_id":`...), p.ProductRetailerID), '}')
}

// AppendJSON writes what a message shows of its file, or null.
func (m *MessageMedia) AppendJSON(b []byte) []byte {
	if m == nil {
		return append(b, "null"...)
	}
	b = appendID(append(b, `{"id":`...), m.ID)
	b = jsonenc.AppendString(append(b, `,"mime_type":`...), m.MimeType)
	b = jsonenc.AppendString(append(b, `,"file_name":`...), m.FileName)
	b = strconv.AppendInt(append(b, `,"size":`...), m.Size, 10)
	b = appendNullInt(append(b, `,"width":`...), m.Width)
	b = appendNullInt(append(b, `,"height":`...), m.Height)
	b = appendNullFloat(append(b, `,"duration_seconds":`...), m.DurationSeconds)
	return append(b, '}')
}

// AppendJSON writes what a search found.
func (f *FoundMessage) AppendJSON(b []byte) []byte {
	b = f.Message.AppendJSON(append(b, `{"message":`...))
	b = appendNullRef(append(b, `,"conversation":`...), &f.Conversation)
	b = jsonenc.AppendString(append(b, `,"snippet":`...), f.Snippet)
	b = strconv.AppendInt(append(b, `,"match":[`...), int64(f.Match[0]), 10)
	return append(strconv.AppendInt(append(b, ','), int64(f.Match[1]), 10), "]}"...)
}

// AppendJSON writes a page of messages.
func (p *MessagePage) AppendJSON(b []byte) []byte {
	b = append(slices.Grow(b, 128+896*len(p.Data)), `{"data":[`...)
	for i := range p.Data {
		if i > 0 {
			b = append(b, ',')
		}
		b = p.Data[i].AppendJSON(b)
	}
	b = jsonenc.AppendNullString(append(b, `],"before":`...), p.Before)
	b = jsonenc.AppendNullString(append(b, `,"after":`...), p.After)
	return append(b, '}')
}
