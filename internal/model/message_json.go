package model

import (
	"slices"
	"strconv"
)

// AppendJSON writes the message as the API shows it.
func (m *Message) AppendJSON(b []byte) []byte {
	b = appendID(append(b, `{"id":`...), m.ID)
	b = appendNullID(append(b, `,"client_id":`...), m.ClientID)
	b = appendID(append(b, `,"conversation":`...), m.Conversation)
	b = appendString(append(b, `,"direction":`...), m.Direction)
	b = appendString(append(b, `,"origin":`...), m.Origin)
	b = appendString(append(b, `,"type":`...), m.Type)
	b = appendNullString(append(b, `,"text":`...), m.Text)
	b = appendNullID(append(b, `,"media_id":`...), m.MediaID)
	b = m.Media.AppendJSON(append(b, `,"media":`...))
	b = appendNullString(append(b, `,"reply_to_external_id":`...), m.ReplyTo)
	b = appendNullString(append(b, `,"external_id":`...), m.ExternalID)
	b = appendString(append(b, `,"status":`...), m.Status)
	if b = append(b, `,"error":`...); m.Error == nil {
		b = append(b, "null"...)
	} else {
		b = appendString(append(b, `{"code":`...), m.Error.Code)
		b = append(appendString(append(b, `,"message":`...), m.Error.Message), '}')
	}
	b = appendNullRef(append(b, `,"sent_by":`...), m.SentBy)
	b = appendTime(append(b, `,"created_at":`...), m.CreatedAt)
	b = appendNullTime(append(b, `,"sent_at":`...), m.SentAt)
	b = appendNullTime(append(b, `,"delivered_at":`...), m.DeliveredAt)
	b = appendNullTime(append(b, `,"read_at":`...), m.ReadAt)
	b = m.appendDetails(b)
	b = appendNullTime(append(b, `,"edited_at":`...), m.EditedAt)
	b = appendNullTime(append(b, `,"revoked_at":`...), m.RevokedAt)
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
	return append(appendString(append(b, `,"name":`...), a.Name), '}')
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
		b = appendString(append(b, `{"emoji":`...), r.Emoji)
		b = appendString(append(b, `,"by":`...), r.By)
		b = appendNullRef(append(b, `,"user":`...), r.User)
		b = append(appendTime(append(b, `,"at":`...), r.At), '}')
	}
	return append(b, ']')
}

// AppendJSON writes the referral, or null.
func (r *Referral) AppendJSON(b []byte) []byte {
	if r == nil {
		return append(b, "null"...)
	}
	b = appendNullString(append(b, `{"source_url":`...), r.SourceURL)
	b = appendNullString(append(b, `,"source_id":`...), r.SourceID)
	b = appendNullString(append(b, `,"source_type":`...), r.SourceType)
	b = appendNullString(append(b, `,"headline":`...), r.Headline)
	b = appendNullString(append(b, `,"body":`...), r.Body)
	b = appendNullString(append(b, `,"media_type":`...), r.MediaType)
	b = appendNullString(append(b, `,"image_url":`...), r.ImageURL)
	b = appendNullString(append(b, `,"video_url":`...), r.VideoURL)
	b = appendNullString(append(b, `,"thumbnail_url":`...), r.ThumbnailURL)
	b = appendNullString(append(b, `,"ctwa_clid":`...), r.CTWAClickID)
	b = appendNullString(append(b, `,"welcome_message":`...), r.WelcomeMessage)
	return append(b, '}')
}

// AppendJSON writes the product, or null.
func (p *Product) AppendJSON(b []byte) []byte {
	if p == nil {
		return append(b, "null"...)
	}
	b = appendString(append(b, `{"catalog_id":`...), p.CatalogID)
	return append(appendString(append(b, `,"product_retailer_id":`...), p.ProductRetailerID), '}')
}

// AppendJSON writes what a message shows of its file, or null.
func (m *MessageMedia) AppendJSON(b []byte) []byte {
	if m == nil {
		return append(b, "null"...)
	}
	b = appendID(append(b, `{"id":`...), m.ID)
	b = appendString(append(b, `,"mime_type":`...), m.MimeType)
	b = appendString(append(b, `,"file_name":`...), m.FileName)
	b = strconv.AppendInt(append(b, `,"size":`...), m.Size, 10)
	b = appendNullInt(append(b, `,"width":`...), m.Width)
	b = appendNullInt(append(b, `,"height":`...), m.Height)
	b = append(b, `,"duration_seconds":`...)
	if m.DurationSeconds == nil {
		return append(b, "null}"...)
	}
	return append(strconv.AppendFloat(b, *m.DurationSeconds, 'f', -1, 64), '}')
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
	b = appendNullString(append(b, `],"before":`...), p.Before)
	b = appendNullString(append(b, `,"after":`...), p.After)
	return append(b, '}')
}
