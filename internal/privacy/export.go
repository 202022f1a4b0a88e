package privacy

import (
	"archive/zip"
	"context"
	"io"
	"path"
	"slices"
	"strings"
	"time"
	"unicode"

	"recado/internal/fields"
	"recado/internal/httpserver"
	"recado/internal/kernel"
	"recado/internal/people"
	"recado/internal/talk"
	"recado/internal/tasks"
)

// KindExport is the kind of job that exports a person's data.
const KindExport = "contact_export"

// exportInput is the input of the job.
type exportInput struct {
	Contact kernel.ID `json:"contact"`
}

// exportResult is the result of the job.
type exportResult struct {
	Conversations int64 `json:"conversations"`
	Messages      int64 `json:"messages"`
	Files         int64 `json:"files"`
	Size          int64 `json:"size"`
}

// ExportContact starts a job that exports what the principal may see about a contact.
func (d *Privacy) ExportContact(ctx context.Context, a *kernel.Principal, id kernel.ID) (tasks.Job, error) {
	c, err := d.talk.Contact(ctx, a, id)
	if err != nil {
		return tasks.Job{}, err
	}
	return kernel.WriteAnswer(ctx, d.Kernel, func(tx *kernel.Tx) (tasks.Job, error) {
		tx.Audit(a, kernel.AuditEntry{Action: "contact.exported", Subject: kernel.NewAuditSubject("contact", c.ID, c.Name), Channel: c.PrivateChannel()})
		return d.tasks.Start(tx, a, tasks.NewJob{Kind: KindExport, Input: exportInput{id}, Subject: &id, Channel: c.PrivateChannel()})
	})
}

const (
	exportPage  = 100 // messages that are read at a time
	exportFiles = 20  // files after which the progress is stored
)

// runExport writes the zip file. After a crash it starts again.
func (d *Privacy) runExport(ctx context.Context, run *tasks.Run) error {
	e := &export{d: d, run: run, written: map[kernel.ID]bool{}}
	if err := run.Read(&e.in, nil); err != nil {
		return err
	}
	if err := e.begin(ctx); err != nil {
		return err
	}
	name := "recado-" + e.at.Format(time.DateOnly) + ".zip"
	file, err := run.Create(ctx, name, "application/zip", func(w io.Writer) error { return e.write(ctx, w) })
	if err != nil {
		return err
	}
	e.result.Size = file.Size
	return d.Store.Write(ctx, func(tx *kernel.Tx) error { return run.Done(tx, e.result, &file.ID) })
}

// export is an export in progress. It reads the messages three times: for the files, for data.json and for index.html.
type export struct {
	d   *Privacy
	run *tasks.Run
	in  exportInput

	a             *kernel.Principal
	at            time.Time // in the company's time zone
	language      string
	contact       talk.Contact
	identities    []talk.Identity
	labels        []string
	fields        []fields.Field // of contacts
	conversations []talk.Conversation
	total, done   int64
	written       map[kernel.ID]bool // false: the file is not in the zip file, because it was deleted or has not been fetched
	result        exportResult
}

// begin reads what the export needs several times.
func (e *export) begin(ctx context.Context) (err error) {
	if err := e.progress(ctx); err != nil {
		return err
	}
	if e.contact, err = e.d.talk.Contact(ctx, e.a, e.in.Contact); err != nil {
		return err
	}
	labels, err := e.d.talk.Labels(ctx, e.a)
	if err != nil {
		return err
	}
	e.labels = []string{}
	for _, label := range labels {
		if slices.Contains(e.contact.LabelIDs, label.ID) {
			e.labels = append(e.labels, label.Name)
		}
	}
	err = e.d.Store.Read(ctx, func(tx *kernel.Tx) (err error) {
		if e.identities, err = talk.IdentitiesOf(tx, e.a.Company.ID, e.in.Contact); err != nil {
			return err
		}
		if e.fields, err = fields.List(tx, e.a.Company.ID, fields.EntityContact); err != nil {
			return err
		}
		if e.conversations, err = talk.ConversationsOf(tx, e.a, e.in.Contact); err != nil {
			return err
		}
		ids := make([]kernel.ID, len(e.conversations))
		for i := range ids {
			ids[i] = e.conversations[i].ID
		}
		if len(ids) > 0 {
			if e.result.Messages, err = talk.CountMessages(tx, e.a.Company.ID, ids); err != nil {
				return err
			}
		}
		preferences, err := people.MemberPreferences(tx, e.a.Company.ID, e.a.User.ID)
		e.language = preferences.Language
		return err
	})
	if err != nil {
		return err
	}
	e.result.Conversations, e.total, e.at = int64(len(e.conversations)), 3*e.result.Messages, e.local(e.d.Now())
	return e.progress(ctx)
}

// progress stores the progress, and reads the present rights of who started the export.
func (e *export) progress(ctx context.Context) error {
	return e.d.Store.Write(ctx, func(tx *kernel.Tx) (err error) {
		if e.a, err = e.run.Principal(tx); err != nil {
			return err
		}
		return e.run.Progress(tx, min(e.done, e.total), e.total)
	})
}

// local returns a time in the company's time zone.
func (e *export) local(t time.Time) time.Time {
	if zone, err := time.LoadLocation(e.a.Company.Timezone); err == nil {
		return t.In(zone)
	}
	return t.UTC()
}

// messages calls each with the messages of a conversation, oldest first.
func (e *export) messages(ctx context.Context, conversation kernel.ID, each func(m *talk.Message) error) error {
	for seq := int64(talk.FirstMessage); ; {
		page, err := kernel.ReadOne(ctx, e.d.Kernel, func(tx *kernel.Tx) ([]talk.Message, error) {
			return talk.MessagesAfter(tx, e.a, conversation, seq, exportPage)
		})
		if err != nil {
			return err
		}
		for i := range page {
			if err := each(&page[i]); err != nil {
				return err
			}
			e.done++
		}
		if err := e.progress(ctx); err != nil || len(page) < exportPage {
			return err
		}
		seq = page[len(page)-1].Seq
	}
}

// groupMessages calls each with the messages that the person wrote in groups.
func (e *export) groupMessages(ctx context.Context, each func(m *talk.Message) error) error {
	for after := talk.FirstID; ; {
		var next *kernel.ID
		page, err := kernel.ReadOne(ctx, e.d.Kernel, func(tx *kernel.Tx) (page []talk.Message, err error) {
			page, next, err = talk.MessagesBy(tx, e.a, e.in.Contact, after, exportPage)
			return page, err
		})
		if err != nil {
			return err
		}
		for i := range page {
			if err := each(&page[i]); err != nil {
				return err
			}
		}
		if next == nil {
			return nil
		}
		after = *next
	}
}

// write writes the zip file.
func (e *export) write(ctx context.Context, to io.Writer) error {
	z := zip.NewWriter(to)
	create := func(name string, method uint16, at time.Time) (io.Writer, error) {
		return z.CreateHeader(&zip.FileHeader{Name: name, Method: method, Modified: at})
	}
	file := func(m *talk.Message) error {
		if m.Media == nil {
			return nil
		}
		if _, known := e.written[m.Media.ID]; known {
			return nil
		}
		e.written[m.Media.ID] = false
		_, content, err := e.d.talk.MediaContent(ctx, e.a, m.Media.ID)
		if code := kernel.CodeOf(err); err != nil && (code == kernel.CodeNotFound || code == kernel.CodeUnavailable) {
			return nil
		}
		if err != nil {
			return err
		}
		defer func() { _ = content.Close() }()
		w, err := create(pathOf(m.Media), zip.Store, e.local(m.CreatedAt))
		if err == nil {
			_, err = io.Copy(w, content)
		}
		e.written[m.Media.ID] = true
		e.result.Files++
		if err == nil && e.result.Files%exportFiles == 0 {
			err = e.progress(ctx)
		}
		return err
	}
	for i := range e.conversations {
		if err := e.messages(ctx, e.conversations[i].ID, file); err != nil {
			return err
		}
	}
	if err := e.groupMessages(ctx, file); err != nil {
		return err
	}
	data, err := create("data.json", zip.Deflate, e.at)
	if err == nil {
		err = e.writeData(ctx, data)
	}
	if err != nil {
		return err
	}
	page, err := create("index.html", zip.Deflate, e.at)
	if err == nil {
		err = e.writePage(ctx, page)
	}
	if err != nil {
		return err
	}
	return z.Close()
}

// pathOf returns the path of a file in the zip file. Several files may have the same name.
func pathOf(m *talk.MessageMedia) string {
	id := m.ID.String()
	return "media/" + id[len(id)-12:] + "-" + safeName(m.FileName)
}

// fileOf returns the path of the file of a message in the zip file, or nil if it is not there.
func (e *export) fileOf(m *talk.Message) *string {
	if m.Media == nil || !e.written[m.Media.ID] {
		return nil
	}
	return new(pathOf(m.Media))
}

// maxName is the length of file names in the zip file, in characters.
const maxName = 80

// safeName returns a file name that is safe in a zip file and on every system: no folders, no hidden files, no characters that
// Windows refuses.
func safeName(name string) string {
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || strings.ContainsRune(`/\:*?"<>|#%`, r) || unicode.Is(unicode.Cf, r) || r == unicode.ReplacementChar {
			return '_'
		}
		return r
	}, name)
	name = strings.Trim(name, " .")
	if runes := []rune(name); len(runes) > maxName {
		extension := []rune(path.Ext(name))
		extension = extension[:min(len(extension), 10)]
		name = string(runes[:maxName-len(extension)]) + string(extension)
	}
	if name == "" {
		return "file"
	}
	return name
}

// all calls each with the entries of a list with a cursor.
func all[T any](list func(cursor string) ([]T, string, error), each func(entry any) error) error {
	for cursor := ""; ; {
		page, next, err := list(cursor)
		for i := range page {
			if err == nil {
				err = each(&page[i])
			}
		}
		if err != nil || next == "" {
			return err
		}
		cursor = next
	}
}

// writeData writes data.json.
func (e *export) writeData(ctx context.Context, to io.Writer) error {
	w := newJSONWriter(to)
	w.open("{")
	w.value("exported_at", e.at)
	w.value("company", e.a.Company.Name)
	w.value("contact", e.contact)
	w.value("identities", e.identities)
	w.value("labels", e.labels)
	w.name("conversations")
	w.open("[")
	for i := range e.conversations {
		if err := e.writeConversation(ctx, w, &e.conversations[i]); err != nil {
			return err
		}
	}
	w.close("]")
	w.name("group_messages")
	w.open("[")
	if err := e.groupMessages(ctx, func(m *talk.Message) error { return w.entry(exportedMessage{*m, e.fileOf(m)}) }); err != nil {
		return err
	}
	w.close("]")
	for _, section := range e.d.sections {
		w.name(section.Name)
		w.open("[")
		entries, err := kernel.Read(ctx, e.d.Kernel, func(tx *kernel.Tx) ([]any, error) { return section.Entries(tx, e.a, e.in.Contact) })
		if err != nil {
			return err
		}
		for _, entry := range entries {
			_ = w.entry(entry) // w.err has the error
		}
		w.close("]")
	}
	w.close("}\n")
	return w.err
}

// exportedMessage is a message in data.json.
type exportedMessage struct {
	talk.Message
	File *string `json:"file"` // in the zip file; nil if it is not there
}

func (e *export) writeConversation(ctx context.Context, w *jsonWriter, c *talk.Conversation) error {
	t := e.d.talk
	w.open("{")
	w.value("conversation", c)
	lists := []struct {
		name  string
		write func() error
	}{
		{"attendances", func() error {
			return all(func(cursor string) ([]talk.Attendance, string, error) {
				return t.Attendances(ctx, e.a, talk.AttendanceFilter{Conversation: c.ID, Limit: exportPage, Cursor: cursor})
			}, w.entry)
		}},
		{"messages", func() error {
			return e.messages(ctx, c.ID, func(m *talk.Message) error { return w.entry(exportedMessage{*m, e.fileOf(m)}) })
		}},
		{"notes", func() error {
			return all(func(cursor string) ([]talk.Note, string, error) { return t.Notes(ctx, e.a, c.ID, exportPage, cursor) }, w.entry)
		}},
		{"scheduled_messages", func() error { return e.scheduled(ctx, c, w.entry) }},
	}
	for _, l := range lists {
		w.name(l.name)
		w.open("[")
		if err := l.write(); err != nil {
			return err
		}
		w.close("]")
	}
	w.close("}")
	return w.err
}

// scheduled calls each with the scheduled messages of a conversation.
func (e *export) scheduled(ctx context.Context, c *talk.Conversation, each func(entry any) error) error {
	at := httpserver.AtID{ID: httpserver.PathID(c.ID)}
	return all(func(cursor string) ([]talk.ScheduledMessage, string, error) {
		return e.d.talk.ScheduledMessages(ctx, e.a, &talk.ScheduledQuery{AtID: at, Limit: exportPage, Cursor: cursor})
	}, each)
}

// jsonWriter writes JSON that is too large for memory. It keeps the first error.
type jsonWriter struct {
	w     io.Writer
	first bool // no comma is needed
	err   error
}

func newJSONWriter(w io.Writer) *jsonWriter { return &jsonWriter{w: w, first: true} }

func (w *jsonWriter) text(s string) {
	if w.err == nil {
		_, w.err = io.WriteString(w.w, s)
	}
}

func (w *jsonWriter) comma() {
	if !w.first {
		w.text(",\n")
	}
	w.first = false
}

// open begins an object or a list.
func (w *jsonWriter) open(bracket string) {
	w.comma()
	w.text(bracket)
	w.first = true
}

// close ends an object or a list.
func (w *jsonWriter) close(bracket string) {
	w.text(bracket)
	w.first = false
}

// name begins a member of an object.
func (w *jsonWriter) name(name string) {
	w.comma()
	w.text(`"` + name + `": `)
	w.first = true
}

// value writes a member of an object.
func (w *jsonWriter) value(name string, v any) {
	w.name(name)
	_ = w.entry(v) // w.err has the error
}

// entry writes a value.
func (w *jsonWriter) entry(v any) error {
	w.comma()
	b, err := kernel.EncodeJSON(v)
	if err != nil && w.err == nil {
		w.err = err
	}
	w.text(string(b))
	return w.err
}
