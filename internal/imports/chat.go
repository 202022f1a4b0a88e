package imports

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"recado/internal/channels"
	"recado/internal/channels/provider"
	"recado/internal/httpserver"
	"recado/internal/kernel"
	"recado/internal/media"
	"recado/internal/people"
	"recado/internal/phone"
	"recado/internal/talk"
	"recado/internal/tasks"
)

var chatFields = []string{"channel", "phone", "contact", "me", "timezone", "date_order"}

// chatInput is the input of a job that imports a chat.
type chatInput struct {
	Name         string    `json:"name"` // of the file
	Channel      kernel.ID `json:"channel"`
	Conversation kernel.ID `json:"conversation"`
	Contact      kernel.ID `json:"contact"`
	Me           string    `json:"me"`
	Zone         string    `json:"zone"`
	Order        string    `json:"order"` // of day, month and year
	Forced       bool      `json:"forced"`
	Messages     int       `json:"messages"`
	DryRun       bool      `json:"dry_run"`
	Language     string    `json:"language"` // of who imports it

	ErasedAt *time.Time `json:"erased_at"` // see talk.PastConversation

	First time.Time `json:"first"` // the earliest message
	Last  time.Time `json:"last"`  // the latest message

	target talk.NewConversation
}

// chatState is the state of such a job after a batch.
type chatState struct {
	Entries  int        `json:"entries"` // that are done
	Messages int        `json:"messages"`
	Created  int        `json:"created"`
	Existing int        `json:"existing"`
	Skipped  int        `json:"skipped"`
	Files    int        `json:"files"`
	Missing  int        `json:"missing"`
	FirstAt  *time.Time `json:"first_at"`
	LastAt   *time.Time `json:"last_at"`
}

// chatResult is the result of such a job.
type chatResult struct {
	DryRun           bool        `json:"dry_run"`
	Messages         int         `json:"messages"`
	Created          int         `json:"created"`
	Existing         int         `json:"existing"`
	Skipped          int         `json:"skipped"`
	Files            int         `json:"files"`
	FilesMissing     int         `json:"files_missing"`
	FirstAt          *time.Time  `json:"first_at"`
	LastAt           *time.Time  `json:"last_at"`
	DateOrder        string      `json:"date_order"`
	DateOrderCertain *bool       `json:"date_order_certain,omitempty"`
	Conversation     *kernel.ID  `json:"conversation"`
	Contact          *kernel.ID  `json:"contact"`
	Errors           []LineError `json:"errors"`
	ErrorsTotal      int         `json:"errors_total"`
	URL              *string     `json:"url"` // of the file with the errors; the job sets it
	Senders          []Sender    `json:"senders,omitempty"`
	Me               *string     `json:"me,omitempty"`
	Preview          []ChatLine  `json:"preview,omitempty"`
}

// ChatLine is a message of a chat as it would be stored.
type ChatLine struct {
	At     time.Time `json:"at"`
	Sender string    `json:"sender"`
	Text   *string   `json:"text"`
	File   *string   `json:"file"`
}

// chatSource identifies exported chats; see talk.Past.
const chatSource = "whatsapp_export"

// A transaction stores so many messages of a chat, with at most so many files.
const (
	chatBatch = 200
	chatFiles = 20
)

// checkChat reads a chat once, to refuse it at once if it cannot be imported.
func (d *Imports) checkChat(ctx context.Context, a *kernel.Principal, u upload) (in chatInput, err error) {
	in = chatInput{Name: u.file.Name, DryRun: u.dryRun, Zone: u.fields["timezone"], Order: u.fields["date_order"]}
	if err := u.notAllowed("mapping"); err != nil {
		return in, err
	}
	if in.Zone == "" {
		in.Zone = a.Company.Timezone
	}
	zone, invalid := kernel.LoadZone("body.timezone", in.Zone)
	if invalid != nil {
		return in, invalid
	}
	preferences, err := kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (people.Preferences, error) {
		return people.MemberPreferences(tx, a.Company.ID, a.User.ID)
	})
	if err != nil {
		return in, err
	}
	in.Language = preferences.Language
	contact, err := d.chatTarget(ctx, a, &in, u)
	if err != nil {
		return in, err
	}
	file, err := d.tasks.OpenUpload(ctx, u.file)
	if err != nil {
		return in, err
	}
	defer func() { _ = file.Close() }()
	chat, err := openChatFile(in.Name, file, u.file.Size)
	if err != nil {
		return in, err
	}
	scan, err := scanChat(chat, zone, d.Now(), in.Order)
	if err == nil {
		err = scan.check()
	}
	if err != nil {
		return in, err
	}
	in.Messages = scan.messages
	if in.Forced = in.Order != ""; !in.Forced {
		in.Order, _ = scan.order()
	}
	dates := scan.of(in.Order)
	in.First, in.Last = dates.first, dates.end
	return in, in.findMe(scan, contact, chat.names, u.fields["me"])
}

// chatTarget reads the fields that name the conversation and returns the name of the contact, if it is known. A dry run needs none.
func (d *Imports) chatTarget(ctx context.Context, a *kernel.Principal, in *chatInput, u upload) (name string, err error) {
	channel, number, contact := u.fields["channel"], u.fields["phone"], u.fields["contact"]
	if channel == "" && !in.DryRun {
		return "", kernel.Required("body.channel")
	}
	if number != "" && contact != "" || number == "" && contact == "" && !in.DryRun {
		return "", kernel.ExactlyOne("body", "phone", "contact")
	}
	var known bool
	if channel != "" {
		if in.Channel, known = kernel.ParseID(channel); !known {
			return "", kernel.NoSuch("body.channel", "channel")
		}
	}
	in.target.Channel = in.Channel
	if number != "" {
		if number, known = phone.Normalize(number); !known {
			return "", channels.ErrPhone("body.phone")
		}
		in.target.Phone = &number
	}
	if contact == "" {
		return "", nil
	}
	id, _ := kernel.ParseID(contact)
	person, err := d.talk.Contact(ctx, a, id)
	if kernel.CodeOf(err) == kernel.CodeNotFound {
		err = kernel.NoSuch("body.contact", "contact")
	}
	in.target.Contact = &id
	return person.Name, err
}

// findMe sets the name of the team in the chat and the name for a new contact.
func (in *chatInput) findMe(scan *chatScan, contact string, files []string, me string) error {
	is := func(s Sender) bool { return s.Name == me }
	if me = strings.TrimSpace(me); me == "" {
		me, _ = scan.me(contact, files)
	} else if len(scan.senders) == 2 && !slices.ContainsFunc(scan.senders, is) {
		return kernel.NoSuch("body.me", "sender")
	}
	in.Me = me
	if me == "" && !in.DryRun {
		return kernel.Required("body.me")
	}
	for _, s := range scan.senders {
		if _, isNumber := phone.Normalize(s.Name); !is(s) && !isNumber {
			in.target.Name = &s.Name
		}
	}
	return nil
}

// openTarget locks or creates the conversation of a chat, in the transaction that starts the job: an erasure of the contact then ends the
// job.
func (d *Imports) openTarget(tx *kernel.Tx, a *kernel.Principal, in *chatInput) error {
	past := d.talk.Past(tx, chatSource, in.Channel)
	c, err := past.Open(a, in.target)
	if err != nil {
		if e, invalid := errors.AsType[*kernel.Error](err); invalid && len(e.Fields) == 1 {
			e.Fields[0].Field = strings.TrimSuffix(e.Fields[0].Field, "_id")
		}
		return err
	}
	if c.IsErased(in.Last) { // nothing would be imported
		field := "body.contact"
		if in.target.Phone != nil {
			field = "body.phone"
		}
		return kernel.Invalid(field, ruleErased, "this person was erased after the last message of the chat")
	}
	in.Conversation, in.ErasedAt = c.ID, c.ErasedAt
	if c.Contact != nil {
		in.Contact = *c.Contact
	}
	_, err = past.Save()
	return err
}

// runChat imports the rest of a chat. It reads the text from the beginning, because equal messages of a minute are told apart by counting.
func (d *Imports) runChat(ctx context.Context, run *tasks.Run) error {
	var in chatInput
	var state chatState
	if err := run.Read(&in, &state); err != nil {
		return err
	}
	zone, invalid := kernel.LoadZone("body.timezone", in.Zone)
	if invalid != nil {
		return invalid
	}
	file, size, err := open(ctx, run)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	chat, err := openChatFile(in.Name, file, size)
	if err != nil {
		return err
	}
	c := &chatImport{Imports: d, run: run, in: in, zone: zone, chat: chat, state: state, keys: chatKeys{conversation: in.Conversation}}
	if in.DryRun {
		return c.preview(ctx)
	}
	known, err := d.readKnown(ctx, run.Company(), &in)
	if err == nil {
		c.known, err = c.match(known)
	}
	if err != nil {
		return err
	}
	return c.all(ctx)
}

// chatImport is a running import of a chat.
type chatImport struct {
	*Imports
	run   *tasks.Run
	in    chatInput
	zone  *time.Location
	chat  *chatFile
	state chatState
	keys  chatKeys
	known map[int]*knownMessage // by the line of the entry
}

// chatItem is an entry of a batch.
type chatItem struct {
	chatEntry
	message talk.PastMessage
	invalid *kernel.Error // why the message, or only its file, is not imported
	known   *knownMessage // it was received or sent here
	stored  bool          // the conversation has it
	filled  bool          // and now has its file
}

// all imports the chat in batches.
func (c *chatImport) all(ctx context.Context) error {
	var batch []chatItem
	entries, files := 0, 0
	store := func() error {
		err := c.store(ctx, batch, entries)
		batch, files = nil, 0
		return err
	}
	err := c.chat.each(func(e chatEntry) error {
		item := c.item(e)
		if entries++; entries <= c.state.Entries {
			return nil
		}
		if item.isMessage() || item.invalid != nil {
			batch = append(batch, item)
		}
		if c.chat.files[item.file] != nil {
			files++
		}
		if len(batch) < chatBatch && files < chatFiles {
			return nil
		}
		return store()
	})
	if err == nil && len(batch) > 0 {
		err = store()
	}
	if err != nil {
		return err
	}
	return c.end(ctx)
}

// item returns the message of an entry.
func (c *chatImport) item(e chatEntry) chatItem {
	item := chatItem{chatEntry: e}
	at, ok := timeIn(&e.stamp, c.in.Order, c.zone, c.Now())
	switch {
	case e.kind == entryUnknown:
		item.invalid = kernel.Invalid("", ruleNotAMessage, "belongs to no message")
	case !e.isMessage():
	case !ok:
		item.invalid = kernel.Malformed("date", "date")
	case e.long:
		item.invalid = kernel.Invalid("text", kernel.RuleTooLong, "is too long", kernel.Params{"max": maxChatText})
		item.message.At = at.UTC()
	default:
		out := e.sender == c.in.Me
		item.known = c.known[e.line]
		item.message = talk.PastMessage{Key: c.keys.next(&e, at, out), At: at.UTC(), Outbound: out, Origin: provider.OriginPhone, Text: e.text}
		if e.kind == entryDeleted {
			item.message.RevokedAt = &item.message.At
		}
	}
	return item
}

// chatKeys identifies messages by their content, so that a later export of the same chat adds only what is new. Equal messages of a
// minute are counted. A file counts without its name, because exports without files do not have it.
type chatKeys struct {
	conversation kernel.ID
	day          time.Time
	seen         map[[16]byte]int // on the latest day
}

func (k *chatKeys) next(e *chatEntry, at time.Time, out bool) string {
	content := "text " + e.text
	switch {
	case e.hasFile():
		content = "file"
	case e.kind == entryDeleted:
		content = "deleted"
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %t %s", at.Unix(), out, content))
	if day := at.Truncate(24 * time.Hour); k.seen == nil || day.After(k.day) {
		k.day, k.seen = day, map[[16]byte]int{}
	}
	part := [16]byte(sum[:])
	k.seen[part]++
	return k.conversation.String() + " " + hex.EncodeToString(part[:]) + " " + strconv.Itoa(k.seen[part])
}

// knownMessage is a message that a conversation received or sent here.
type knownMessage struct {
	at    time.Time
	media *kernel.ID
	size  *int64 // of the file; nil if there is none or its bytes are missing
	taken bool   // by an entry
	files int    // that it may be, if its bytes are missing; 1: there is no doubt
}

// mayBe reports whether the message may be an entry with a file, which is nil if the export does not have it.
func (m *knownMessage) mayBe(file *zip.File) bool {
	switch {
	case m.taken || file == nil:
		return !m.taken
	case m.size != nil:
		return uint64(*m.size) == file.UncompressedSize64
	}
	return m.files == 1
}

// chatKnown has the messages that a conversation received and sent here, by their content, so that an export of the same days does not
// repeat them.
type chatKnown map[[sha256.Size]byte][]*knownMessage

// readKnown reads what the conversation received and sent in the days of a chat.
func (d *Imports) readKnown(ctx context.Context, company kernel.ID, in *chatInput) (chatKnown, error) {
	k := chatKnown{}
	from, to := in.First.Add(-24*time.Hour), in.Last.Add(24*time.Hour)
	_, err := kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (none struct{}, err error) {
		return none, talk.EachExchanged(tx, company, in.Conversation, from, to, func(m talk.Exchanged) {
			key := knownKey(m.Outbound, m.Media != nil, m.Deleted, m.Text)
			k[key] = append(k[key], &knownMessage{at: m.At, media: m.Media, size: m.FileSize})
		})
	})
	for _, messages := range k {
		slices.SortFunc(messages, func(a, b *knownMessage) int { return a.at.Compare(b.at) })
	}
	return k, err
}

func knownKey(out, file, deleted bool, text string) [sha256.Size]byte {
	if deleted {
		file, text = false, ""
	}
	return sha256.Sum256(fmt.Appendf(nil, "%t %t %t %s", out, file, deleted, strings.TrimSpace(kernel.CleanText(text))))
}

// skew is how far the clock of a phone may differ from that of the server.
const skew = 10 * time.Second

// near returns the messages with the side and the content of an entry that were written at its time, give or take some skew.
func (k chatKnown) near(e *chatEntry, at time.Time, out bool, skew time.Duration) []*knownMessage {
	messages := k[knownKey(out, e.hasFile(), e.kind == entryDeleted, e.text)]
	end := at.Add(time.Minute + skew)
	if e.stamp.seconds {
		end = at.Add(time.Second + skew)
	}
	first := func(t time.Time) int {
		i, _ := slices.BinarySearchFunc(messages, t, func(m *knownMessage, t time.Time) int { return m.at.Compare(t) })
		return i
	}
	return messages[first(at.Add(-skew)):first(end)]
}

// match returns the messages of the conversation that are in the chat, each once, by the line of the entry. Messages at the time of
// their entries are found first, then those that only the skew explains. If both sides have a file, the sizes must be equal. A file of
// the export that cannot be told from others is imported, because otherwise it could be lost.
func (c *chatImport) match(known chatKnown) (map[int]*knownMessage, error) {
	found := map[int]*knownMessage{}
	if len(known) == 0 {
		return found, nil
	}
	each := func(skew time.Duration, visit func(e *chatEntry, near []*knownMessage)) error {
		return c.chat.each(func(e chatEntry) error {
			at, ok := timeIn(&e.stamp, c.in.Order, c.zone, c.Now())
			if ok && e.isMessage() && !e.long && found[e.line] == nil {
				visit(&e, known.near(&e, at, e.sender == c.in.Me, skew))
			}
			return nil
		})
	}
	count := func(e *chatEntry, near []*knownMessage) {
		file := c.chat.files[e.file]
		if file == nil || slices.ContainsFunc(near, func(m *knownMessage) bool { return m.size != nil && m.mayBe(file) }) {
			return
		}
		missing := slices.DeleteFunc(slices.Clone(near), func(m *knownMessage) bool { return m.size != nil })
		for _, m := range missing {
			m.files += len(missing)
		}
	}
	take := func(e *chatEntry, near []*knownMessage) {
		file := c.chat.files[e.file]
		if i := slices.IndexFunc(near, func(m *knownMessage) bool { return m.mayBe(file) }); i >= 0 {
			near[i].taken, found[e.line] = true, near[i]
		}
	}
	err := each(skew, count)
	if err == nil {
		err = each(0, take)
	}
	if err == nil {
		err = each(skew, take)
	}
	return found, err
}

// store stores a batch of messages. Their files are copied first, outside the transaction.
func (c *chatImport) store(ctx context.Context, batch []chatItem, entries int) error {
	if err := c.copyFiles(ctx, batch); err != nil {
		return err
	}
	next, err := kernel.Write(ctx, c.Kernel, func(tx *kernel.Tx) (chatState, error) {
		next := c.state
		next.Entries = entries
		a, err := c.run.Principal(tx) // they may have left the team
		if err != nil {
			return next, err
		}
		past := c.talk.Past(tx, chatSource, c.in.Channel)
		channel, conversation, err := past.Lock(a, c.in.Channel, c.in.Conversation)
		if err != nil {
			return next, err
		}
		var messages []talk.PastMessage
		var wrong []LineError
		for i := range batch {
			item := &batch[i]
			if item.isMessage() {
				next.Messages++
			}
			erased := conversation.IsErased(item.message.At) // also what has no time
			if erased && (item.invalid != nil || item.message.Key != "") {
				item.invalid = kernel.Invalid("", ruleErased, "this person was erased")
			}
			if item.invalid != nil {
				wrong = append(wrong, lineError(item.line, item.invalid))
			}
			if erased || item.message.Key == "" {
				next.Skipped++
				continue
			}
			next.include(item.message.At)
			if item.hasFile() && !item.stored {
				if err := c.addFile(past, &channel, item); err != nil {
					return next, err
				}
			}
			if file := item.message.Media; file != nil && file.Stored || item.filled {
				next.Files++
			} else if item.hasFile() && !item.stored {
				next.Missing++
			}
			if item.stored {
				next.Existing++
			} else {
				messages = append(messages, item.message)
			}
		}
		if err := past.AddMessages(conversation, messages...); err != nil {
			return next, err
		}
		added, err := past.Save()
		if err != nil {
			return next, err
		}
		next.Created += int(added)
		next.Existing += len(messages) - int(added)
		insertErrors(tx, c.run, wrong)
		return next, c.run.Save(tx, next, int64(next.Messages), int64(max(c.in.Messages, next.Messages)))
	})
	if err == nil {
		c.state = next
	}
	return err
}

// include extends the period of the imported messages.
func (s *chatState) include(at time.Time) {
	if s.FirstAt == nil || at.Before(*s.FirstAt) {
		s.FirstAt = &at
	}
	if s.LastAt == nil || at.After(*s.LastAt) {
		s.LastAt = &at
	}
}

// copyFiles stores the files of the messages of a batch. A message that was imported without its file gets it now.
func (c *chatImport) copyFiles(ctx context.Context, batch []chatItem) error {
	company := c.run.Company()
	var messages []talk.PastMessage
	for i := range batch {
		if batch[i].message.Key != "" {
			messages = append(messages, batch[i].message)
		}
	}
	var channel channels.Channel
	stored, err := kernel.Read(ctx, c.Kernel, func(tx *kernel.Tx) (map[string]bool, error) {
		var found bool
		var err error
		if channel, found, err = channels.FindChannel(tx, company, c.in.Channel); err != nil || !found {
			return nil, kernel.ErrOr(err, kernel.NotFound("channel"))
		}
		return talk.StoredMessages(tx, company, chatSource, messages)
	})
	if err != nil {
		return err
	}
	for i := range batch {
		item := &batch[i]
		m := &item.message
		item.stored = m.Key != "" && (item.known != nil || stored[m.Key])
		entry := c.chat.files[item.file]
		if m.Key == "" || entry == nil || c.in.ErasedAt != nil && m.At.Before(*c.in.ErasedAt) {
			continue
		}
		content, err := entry.Open()
		if err == nil {
			if item.stored {
				file := talk.PastFile(company, chatSource, m.Key, m.At)
				if item.known != nil {
					kernel.Set(&file, item.known.media)
				}
				item.filled, err = c.talk.FillFile(ctx, company, file, item.file, content)
			} else {
				m.Media, err = c.talk.StoreFile(ctx, &channel, chatSource, m.Key, item.file, m.At, content)
				m.Voice = isVoice(item.file)
			}
			_ = content.Close() // it was only read
		}
		if err != nil {
			m.Media = nil
			if item.invalid, err = badFile(err); err != nil {
				return err
			}
		}
	}
	return nil
}

// isVoice reports whether a file has the format of voice messages.
func isVoice(name string) bool { return strings.EqualFold(path.Ext(name), ".opus") }

// badFile returns the reason why a file of the archive cannot be imported, or the error if it is not the fault of the file.
func badFile(err error) (*kernel.Error, error) {
	if isDamage(err) {
		return kernel.Invalid("file", ruleDamagedFile, "the file is damaged"), nil
	}
	if e, known := errors.AsType[*kernel.Error](err); known && e.Code == kernel.CodeMediaTooLarge && len(e.Fields) == 1 {
		e.Fields[0].Field = "file"
		return e, nil
	}
	return nil, err
}

// addFile adds the file of a message, or a placeholder for one that the export does not have.
func (c *chatImport) addFile(past *talk.Past, channel *channels.Channel, item *chatItem) (err error) {
	m := &item.message
	if m.Media != nil && m.Media.Stored {
		return past.AddFile(m.Media)
	}
	kind, mime := guessType(item.file, item.omitted)
	m.Media, err = past.MissingFile(channel, m.Key, item.file, kind, mime, m.At)
	return err
}

// guessType returns the kind and the type of a file that is missing.
func guessType(name, omitted string) (talk.MediaKind, string) {
	switch strings.ToLower(path.Ext(name)) {
	case ".jpg", ".jpeg":
		return talk.MediaImage, "image/jpeg"
	case ".png":
		return talk.MediaImage, "image/png"
	case ".webp":
		return talk.MediaSticker, "image/webp"
	case ".opus", ".ogg":
		return talk.MediaAudio, "audio/ogg"
	case ".m4a":
		return talk.MediaAudio, "audio/mp4"
	case ".mp3":
		return talk.MediaAudio, "audio/mpeg"
	case ".mp4":
		return talk.MediaVideo, "video/mp4"
	case ".pdf":
		return talk.MediaDocument, "application/pdf"
	}
	switch omitted {
	case "image":
		return talk.MediaImage, "image/jpeg"
	case "video":
		return talk.MediaVideo, "video/mp4"
	case "audio":
		return talk.MediaAudio, "audio/ogg"
	case "sticker":
		return talk.MediaSticker, "image/webp"
	}
	return talk.MediaDocument, ""
}

// end ends the job.
func (c *chatImport) end(ctx context.Context) error {
	s := &c.state
	var total int
	if err := c.errorPages(ctx, c.run, func(LineError) error { total++; return nil }); err != nil {
		return err
	}
	lines := func(w io.Writer) error { return c.writeBadLines(ctx, w) }
	return c.Imports.end(ctx, c.run, total, lines, func(wrong []LineError) any {
		return chatResult{
			Messages: s.Messages, Created: s.Created, Existing: s.Existing, Skipped: s.Skipped, Files: s.Files, FilesMissing: s.Missing,
			FirstAt: s.FirstAt, LastAt: s.LastAt, DateOrder: c.in.Order, Conversation: &c.in.Conversation, Contact: &c.in.Contact,
			Errors: wrong, ErrorsTotal: total,
		}
	})
}

// writeBadLines writes the entries with errors, without the words of erased people.
func (c *chatImport) writeBadLines(ctx context.Context, to io.Writer) error {
	w, err := newLineWriter(to, httpserver.Separator(c.in.Language))
	if err == nil {
		err = w.Write([]string{"line", "text", "error", "error_code"})
	}
	if err != nil {
		return err
	}
	text, err := c.chat.text()
	if err != nil {
		return damagedOr(err)
	}
	defer func() { _ = text.Close() }()
	chat := newChatReader(text)
	err = c.errorPages(ctx, c.run, func(wrong LineError) error {
		for {
			e, err := chat.next()
			if err != nil {
				return nilIfEOF(err)
			}
			if int64(e.line) == wrong.Line {
				words := strings.TrimSpace(e.sender + " " + e.file + " " + cutText(e.text, previewText))
				if wrong.Code == ruleErased.Code() {
					words = ""
				}
				return w.Write([]string{strconv.Itoa(e.line), httpserver.SafeCell(kernel.CleanText(words)), wrong.Message, wrong.Code})
			}
		}
	})
	w.Flush()
	return errors.Join(err, w.Error())
}

// preview ends a dry run.
func (c *chatImport) preview(ctx context.Context) error {
	begun := func(tx *kernel.Tx) error { return c.run.Progress(tx, 0, int64(max(1, c.in.Messages))) }
	if err := c.Store.Write(ctx, begun); err != nil {
		return err
	}
	forced := ""
	if c.in.Forced {
		forced = c.in.Order
	}
	scan, err := scanChat(c.chat, c.zone, c.Now(), forced)
	if err != nil {
		return err
	}
	dates := scan.of(c.in.Order)
	_, certain := scan.order()
	certain = certain || c.in.Forced
	result := chatResult{
		DryRun: true, Messages: scan.messages, Files: scan.files, FilesMissing: scan.missing, DateOrder: c.in.Order, DateOrderCertain: &certain,
		Errors: []LineError{}, Senders: scan.senders, Me: kernel.TextOrNil(c.in.Me), Preview: []ChatLine{},
	}
	if !dates.first.IsZero() {
		result.FirstAt, result.LastAt = new(dates.first.UTC()), new(dates.end.UTC())
	}
	for _, e := range scan.first {
		if at, ok := timeIn(&e.stamp, c.in.Order, c.zone, c.Now()); ok {
			line := ChatLine{At: at.UTC(), Sender: e.sender, Text: kernel.TextOrNil(e.text)}
			if e.hasFile() {
				_, mime := guessType(e.file, e.omitted)
				line.File = new(media.SafeName(e.file, mime))
			}
			result.Preview = append(result.Preview, line)
		}
	}
	if scan.unknown+dates.impossible > 0 {
		err = c.chat.each(func(e chatEntry) error {
			if item := c.item(e); item.invalid != nil {
				if result.Skipped++; len(result.Errors) < maxErrors {
					result.Errors = append(result.Errors, lineError(item.line, item.invalid))
				}
				if item.isMessage() {
					result.Messages--
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	result.Created, result.ErrorsTotal = result.Messages, result.Skipped
	return c.Store.Write(ctx, func(tx *kernel.Tx) error {
		if _, err := c.run.Principal(tx); err != nil {
			return err
		}
		return c.run.Done(tx, result, nil)
	})
}
