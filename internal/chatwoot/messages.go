package chatwoot

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/jackc/pgx/v5"

	"recado/internal/channels"
	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/internal/talk"
)

// message is a message of Chatwoot.
type message struct {
	ID           int64
	Conversation int64
	Content      string
	Type         int64 // 0: incoming, 1: outgoing, 3: sent by Chatwoot itself
	CreatedAt    time.Time
	UpdatedAt    time.Time
	Private      bool
	Status       int64
	Source       string // the provider's id
	Attributes   string // JSON object, or a JSON string with one
	SenderType   string
	Sender       int64
}

const messageIncoming = 0

// statuses of outgoing messages.
var statuses = map[int64]string{0: provider.StatusSent, 1: provider.StatusDelivered, 2: provider.StatusRead, 3: provider.StatusFailed}

// attributes are the parts of content_attributes that are imported.
type attributes struct {
	Deleted   bool `json:"deleted"`
	ReplyTo   any  `json:"in_reply_to"` // the id of a message, as a number or a string
	ReplyToID any  `json:"in_reply_to_external_id"`
}

func (m *message) attributes() (a attributes) {
	if !strings.Contains(m.Attributes, "in_reply_to") && !strings.Contains(m.Attributes, "deleted") {
		return a
	}
	raw := []byte(m.Attributes)
	var text string
	if json.Unmarshal(raw, &text) == nil {
		raw = []byte(text)
	}
	_ = json.Unmarshal(raw, &a) // what cannot be read is left out
	return a
}

// replyTo returns the id of the message in Chatwoot that this one replies to, or 0.
func (a *attributes) replyTo() int64 {
	switch v := a.ReplyTo.(type) {
	case float64:
		return int64(v)
	case string:
		id, _ := strconv.ParseInt(v, 10, 64)
		return id
	}
	return 0
}

func (m *message) byUser() bool { return m.SenderType == "User" && m.Sender != 0 }

// attachment is a file, a location or a contact of a message.
type attachment struct {
	ID          int64
	Message     int64
	Type        int64 // see kinds
	URL         string
	Lat, Long   float64
	Title       string
	Key         string // of the file; "": there is none
	FileName    string
	ContentType string
}

const attachmentLocation = 4

// kinds are the kinds of files by file_type.
var kinds = map[int64]talk.MediaKind{0: talk.MediaImage, 1: talk.MediaAudio, 2: talk.MediaVideo}

// items are the messages and notes of a part as they are stored.
type items struct {
	messages   []talk.PastMessage
	notes      []talk.PastNote
	files      []file
	byTeam     bool       // the first message is from the team
	firstReply *time.Time // of a person
}

// file is a file of a message.
type file struct {
	attachment
	message int         // index in items.messages
	stored  *talk.Media // nil: missing
	at      time.Time
}

// prepare converts the messages of parts, and stores their files.
func (r *run) prepare(ctx context.Context, parts []*part) ([]items, error) {
	var ids, authors, repliedTo []int64
	for _, p := range parts {
		for i := range p.messages {
			m := &p.messages[i]
			ids = append(ids, m.ID)
			if m.byUser() {
				authors = append(authors, m.Sender)
			} else if m.Private {
				authors = append(authors, noUser)
			}
			if a := m.attributes(); a.ReplyToID == nil && a.replyTo() != 0 {
				repliedTo = append(repliedTo, a.replyTo())
			}
		}
	}
	if err := r.resolveMembers(ctx, authors); err != nil {
		return nil, err
	}
	attached, err := r.attachments(ctx, ids)
	if err != nil {
		return nil, err
	}
	sources, err := r.sources(ctx, repliedTo)
	if err != nil {
		return nil, err
	}
	all := make([]items, len(parts))
	for i, p := range parts {
		for j := range p.messages {
			m := &p.messages[j]
			if m.Private {
				all[i].notes = append(all[i].notes, r.note(m, attached[m.ID]))
				if !p.isErased(m.CreatedAt) {
					r.omitFiles(m, attached[m.ID])
				}
			} else {
				r.message(&all[i], m, attached[m.ID], sources)
			}
		}
		if first := slices.IndexFunc(p.messages, func(m message) bool { return !m.Private }); first >= 0 {
			all[i].byTeam = p.messages[first].Type != messageIncoming
		}
		if err := r.storeFiles(ctx, p, &all[i]); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// attachments returns the attachments of messages.
func (r *run) attachments(ctx context.Context, messages []int64) (map[int64][]attachment, error) {
	if len(messages) == 0 {
		return nil, nil
	}
	list, err := collect(ctx, r.db, `
		SELECT a.id, a.message_id, COALESCE(a.file_type, 0), COALESCE(a.external_url, ''), COALESCE(a.coordinates_lat, 0), COALESCE(a.coordinates_long, 0),
			COALESCE(a.fallback_title, ''), COALESCE(b.key, ''), COALESCE(b.filename, ''), COALESCE(b.content_type, '')
		FROM attachments a
		LEFT JOIN active_storage_attachments s ON s.record_type = 'Attachment' AND s.record_id = a.id AND s.name = 'file'
		LEFT JOIN active_storage_blobs b ON b.id = s.blob_id
		WHERE a.message_id = ANY ($1)
		ORDER BY a.message_id, a.id`, []any{messages}, pgx.RowToStructByPos[attachment])
	byMessage := map[int64][]attachment{}
	for _, a := range list {
		byMessage[a.Message] = append(byMessage[a.Message], a)
	}
	return byMessage, err
}

// sources returns the provider's ids of messages.
func (r *run) sources(ctx context.Context, messages []int64) (map[int64]string, error) {
	if len(messages) == 0 {
		return nil, nil
	}
	type row struct {
		ID     int64
		Source string
	}
	list, err := collect(ctx, r.db, `SELECT id, source_id FROM messages WHERE id = ANY ($1) AND source_id <> ''`, []any{messages}, pgx.RowToStructByPos[row])
	byID := map[int64]string{}
	for _, m := range list {
		byID[m.ID] = m.Source
	}
	return byID, err
}

// mention matches a mention in a note: [@Ana](mention://user/1/Ana).
var mention = regexp.MustCompile(`\[(@[^\]]*)\]\(mention://[^)]*\)`)

func (r *run) note(m *message, attached []attachment) talk.PastNote {
	n := talk.PastNote{Key: strconv.FormatInt(m.ID, 10), At: r.moment(m.CreatedAt), Text: mention.ReplaceAllString(m.Content, "$1"), Author: r.members[noUser]}
	if m.byUser() {
		n.Author = r.members[m.Sender]
	}
	for _, a := range attached { // see omitFiles
		n.Text = strings.TrimSpace(n.Text + "\n[" + cmp.Or(a.FileName, a.text(), "file") + "]")
	}
	if m.attributes().Deleted || n.Text == "" {
		n.Text = "—"
	}
	return n
}

// omitFiles lists the files of a note as problems, because notes have no files here. The text of the note names them.
func (r *run) omitFiles(m *message, attached []attachment) {
	for _, a := range attached {
		if a.Key != "" {
			r.problem("file %s (%s) is left out: it belongs to a note of conversation %d", a.Key, a.FileName, m.Conversation)
		}
	}
}

// message adds a message. Every file of it after the first becomes a message of its own.
func (r *run) message(to *items, m *message, attached []attachment, sources map[int64]string) {
	a := m.attributes()
	key := strconv.FormatInt(m.ID, 10)
	out := talk.PastMessage{Key: key, At: r.moment(m.CreatedAt), Text: m.Content, Outbound: m.Type != messageIncoming, ExternalID: m.Source}
	if id, _ := a.ReplyToID.(string); id != "" {
		out.ReplyTo = id
	} else {
		out.ReplyTo = sources[a.replyTo()]
	}
	if out.Outbound {
		out.Status = statuses[m.Status]
		switch member, found := r.members[m.Sender]; {
		case m.byUser() && found:
			out.SentBy = &member
			if to.firstReply == nil {
				to.firstReply = &out.At
			}
		default:
			out.Origin = provider.OriginAutomation
		}
	}
	if a.Deleted {
		out.RevokedAt = new(r.moment(m.UpdatedAt))
		to.messages = append(to.messages, out)
		return
	}
	var files []attachment
	for _, at := range attached {
		if at.Key != "" {
			files = append(files, at)
		} else if text := at.text(); text != "" {
			out.Text = strings.TrimSpace(out.Text + "\n" + text)
		}
	}
	if out.Text == "" && len(files) == 0 {
		out.Type = provider.TypeUnsupported
	}
	to.messages = append(to.messages, out)
	for i, f := range files {
		if i > 0 {
			next := out
			next.Key, next.Text, next.ExternalID = fmt.Sprintf("%s/%d", key, i), "", ""
			to.messages = append(to.messages, next)
		}
		to.files = append(to.files, file{attachment: f, message: len(to.messages) - 1, at: out.At})
	}
}

// text returns an attachment that is not a file as text.
func (a *attachment) text() string {
	parts := []string{a.Title}
	if a.Type == attachmentLocation {
		parts = append(parts, fmt.Sprintf("https://maps.google.com/?q=%g,%g", a.Lat, a.Long))
	} else {
		parts = append(parts, a.URL)
	}
	return strings.TrimSpace(strings.Join(parts, "\n"))
}

// storeFiles copies the files of a part that are in the media folder.
func (r *run) storeFiles(ctx context.Context, p *part, in *items) error {
	for i := range in.files {
		f := &in.files[i]
		if p.isErased(f.at) {
			continue
		}
		content, err := r.openFile(f.Key)
		if err != nil {
			continue
		}
		channel, err := kernel.Read(ctx, r.Talk.Kernel, func(tx *kernel.Tx) (channels.Channel, error) {
			ch, _, err := channels.FindChannel(tx, r.company, r.Inboxes[p.Inbox])
			return ch, err
		})
		if err == nil {
			f.stored, err = r.Talk.StoreFile(ctx, &channel, r.name, f.Key, f.FileName, f.at, content)
		}
		_ = content.Close()
		if err != nil {
			if fatal(ctx, err) {
				return err
			}
			f.stored = nil
			r.problem("file %s (%s) cannot be stored: %v", f.Key, f.FileName, err)
		}
	}
	return nil
}

// openFile opens a file of Active Storage: in two levels of folders on a disk, or without them in a copy of a bucket.
func (r *run) openFile(key string) (*os.File, error) {
	if r.files == nil || len(key) < 4 {
		return nil, os.ErrNotExist
	}
	for _, name := range []string{path.Join(key[:2], key[2:4], key), key} {
		info, err := r.files.Stat(name)
		if err == nil && info.Mode().IsRegular() {
			return r.files.Open(name)
		}
	}
	return nil, os.ErrNotExist
}

// addFiles adds the files of a part to its messages.
func (r *run) addFiles(past *talk.Past, channel *channels.Channel, c *talk.PastConversation, in *items, out *stored) error {
	for i := range in.files {
		f := &in.files[i]
		if c.IsErased(f.at) {
			continue
		}
		media := f.stored
		var err error
		if media != nil {
			out.files++
			err = past.AddFile(media)
		} else {
			out.missing++
			kind, known := kinds[f.Type]
			if !known {
				kind = talk.MediaDocument
			}
			if media, err = past.MissingFile(channel, f.Key, f.FileName, kind, f.ContentType, f.at); err == nil {
				talk.SetImported(past.Tx, r.company, r.name, kindMissing, f.Key, talk.Imported{Subject: media.ID})
			}
		}
		if err != nil {
			return err
		}
		m := &in.messages[f.message]
		m.Media, m.Voice = media, strings.HasPrefix(f.ContentType, "audio/ogg") || strings.HasPrefix(f.ContentType, "audio/opus")
	}
	return nil
}

// fillFiles adds files that were missing in an earlier import and are in the media folder now.
func (r *run) fillFiles(ctx context.Context) error {
	if r.files == nil {
		return nil
	}
	for last := ""; ; {
		type missing struct {
			key   string
			media kernel.ID
		}
		page, err := kernel.Read(ctx, r.Talk.Kernel, func(tx *kernel.Tx) (page []missing, err error) {
			err = talk.ListImported(tx, r.company, r.name, kindMissing, last, 500, func(key string, is talk.Imported) {
				page = append(page, missing{key, is.Subject})
			})
			return page, err
		})
		if err != nil || len(page) == 0 {
			return err
		}
		for _, m := range page {
			last = m.key
			content, err := r.openFile(m.key)
			if err != nil {
				continue
			}
			if err := r.fillFile(ctx, m.key, m.media, content); err != nil {
				return err
			}
		}
	}
}

func (r *run) fillFile(ctx context.Context, key string, media kernel.ID, content *os.File) error {
	defer func() { _ = content.Close() }()
	filled, err := r.Talk.FillFile(ctx, r.company, media, "", content)
	if err != nil {
		if !fatal(ctx, err) {
			r.problem("file %s cannot be stored: %v", key, err)
			err = nil
		}
		return err
	}
	if filled {
		r.result.Files++
	}
	return r.Talk.Store.Write(ctx, func(tx *kernel.Tx) error {
		talk.ForgetImported(tx, r.company, r.name, kindMissing, key)
		return nil
	})
}
