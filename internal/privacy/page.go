package privacy

import (
	"context"
	"fmt"
	"html/template"
	"io"
	"strings"
	"time"

	"recado/internal/channels/provider"
	"recado/internal/talk"
)

// pageTexts are the texts of index.html by language.
var pageTexts = map[string]map[string]string{
	"en": {
		"lang": "en", "title": "Personal data", "exported": "Exported on %s by %s", "phone": "Phone", "company": "Company", "city": "City", "labels": "Labels",
		"identities": "WhatsApp ids", "since": "Known since", "opted_out": "Opted out since", "conversation": "Conversation", "groups": "Messages in groups",
		"notes": "Internal notes", "scheduled": "Scheduled messages", "deleted": "This message was deleted.", "edited": "edited", "gone": "%s is no longer stored.",
		"all": "The file data.json has everything, also cases, cards and details of the messages. The folder media has the files.", "none": "No messages.",
		"yes": "Yes", "no": "No", "date": "2006-01-02 15:04",
		"held": "waiting", "queued": "waiting", "sent": "sent", "delivered": "delivered", "read": "read", "failed": "not sent",
	},
	"pt-BR": {
		"lang": "pt-BR", "title": "Dados pessoais", "exported": "Exportado em %s por %s", "phone": "Telefone", "company": "Empresa", "city": "Cidade", "labels": "Etiquetas",
		"identities": "Ids do WhatsApp", "since": "Na agenda desde", "opted_out": "Não quer mensagens automáticas desde", "conversation": "Conversa", "groups": "Mensagens em grupos",
		"notes": "Notas internas", "scheduled": "Mensagens agendadas", "deleted": "Esta mensagem foi apagada.", "edited": "editada", "gone": "%s não está mais armazenado.",
		"all": "O arquivo data.json tem tudo, inclusive atendimentos, cartões e detalhes das mensagens. A pasta media tem os arquivos.", "none": "Nenhuma mensagem.",
		"yes": "Sim", "no": "Não", "date": "02/01/2006 15:04",
		"held": "aguardando", "queued": "aguardando", "sent": "enviada", "delivered": "entregue", "read": "lida", "failed": "não enviada",
	},
	"es": {
		"lang": "es", "title": "Datos personales", "exported": "Exportado el %s por %s", "phone": "Teléfono", "company": "Empresa", "city": "Ciudad", "labels": "Etiquetas",
		"identities": "Ids de WhatsApp", "since": "En la agenda desde", "opted_out": "No quiere mensajes automáticos desde", "conversation": "Conversación", "groups": "Mensajes en grupos",
		"notes": "Notas internas", "scheduled": "Mensajes programados", "deleted": "Este mensaje se eliminó.", "edited": "editado", "gone": "%s ya no está guardado.",
		"all": "El archivo data.json lo tiene todo, también los casos, las tarjetas y los detalles de los mensajes. La carpeta media tiene los archivos.", "none": "Ningún mensaje.",
		"yes": "Sí", "no": "No", "date": "02/01/2006 15:04",
		"held": "en espera", "queued": "en espera", "sent": "enviado", "delivered": "entregado", "read": "leído", "failed": "no enviado",
	},
}

// pageTemplate has the parts of index.html. The page loads nothing from the network and runs no scripts.
var pageTemplate = template.Must(template.New("").Parse(`
{{define "head"}}<!doctype html>
<html lang="{{.T.lang}}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src 'self' file:; media-src 'self' file:; style-src 'unsafe-inline'">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>{{.T.title}}: {{.Name}}</title>
<style>
:root { --text: #1f2328; --quiet: #5f6670; --page: #f3f1ec; --card: #fff; --out: #d9fdd3; --note: #fff3c4; --line: #dedad2; --link: #0b6b4f; }
@media (prefers-color-scheme: dark) { :root { --text: #e8eaed; --quiet: #a4abb3; --page: #14181b; --card: #20262b; --out: #0f4a3c; --note: #4a4019; --line: #333b41; --link: #6fd3ae; } }
* { box-sizing: border-box; }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--text); background: var(--page); max-width: 800px; margin: 0 auto; padding: 32px 16px 64px; overflow-wrap: anywhere; }
a { color: var(--link); }
header { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 24px; }
header p { color: var(--quiet); font-size: 14px; margin: 4px 0 0; }
h1 { font-size: 26px; line-height: 1.25; margin: 0; }
h2 { font-size: 19px; margin: 40px 0 12px; padding-bottom: 8px; border-bottom: 1px solid var(--line); }
h3 { font-size: 15px; color: var(--quiet); margin: 24px 0 8px; }
dl { display: grid; grid-template-columns: fit-content(45%) 1fr; gap: 6px 20px; margin: 20px 0; }
dt { color: var(--quiet); } dd { margin: 0; }
.m { max-width: min(85%, 560px); width: fit-content; background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 8px 12px; margin: 8px 0; }
.out { background: var(--out); margin-left: auto; } .note { background: var(--note); }
.text { white-space: pre-wrap; }
.by { font-weight: 600; font-size: 13px; display: block; } .at { color: var(--quiet); font-size: 12px; display: block; text-align: right; }
.m img, .m video { max-width: 100%; max-height: 420px; border-radius: 6px; display: block; } .m audio { max-width: 100%; display: block; }
.gone { color: var(--quiet); font-style: italic; }
@media print { body { background: none; padding: 0; } .m { break-inside: avoid; } }
</style>
</head>
<body>
<header>
<h1>{{.Name}}</h1>
<p>{{.Exported}}</p>
<dl>{{range .Facts}}<dt>{{.Name}}</dt><dd>{{.Value}}</dd>{{end}}</dl>
<p>{{.T.all}}</p>
</header>
{{end}}
{{define "section"}}<h2>{{.}}</h2>
{{end}}
{{define "sub"}}<h3>{{.}}</h3>
{{end}}
{{define "text"}}<p class="gone">{{.}}</p>
{{end}}
{{define "message"}}<div class="m {{.Class}}">{{if .By}}<span class="by">{{.By}}</span>{{end -}}
{{if .Deleted}}<span class="gone">{{.T.deleted}}</span> {{end -}}
{{if .Missing}}<span class="gone">{{.Missing}}</span> {{end -}}
{{if .File}}{{if eq .Kind "image"}}<a href="{{.File}}"><img src="{{.File}}" alt="{{.FileName}}" loading="lazy"></a>{{else if eq .Kind "audio"}}<audio controls preload="none" src="{{.File}}"></audio>{{else if eq .Kind "video"}}<video controls preload="none" src="{{.File}}"></video>{{else}}<a href="{{.File}}">{{.FileName}}</a>{{end}}{{end -}}
{{if .Text}}<div class="text">{{.Text}}</div>{{end}}{{if .Reactions}}<span>{{.Reactions}}</span>{{end}}<span class="at">{{.At}}{{if .Edited}} · {{.T.edited}}{{end}}{{if .Status}} · {{.Status}}{{end}}</span></div>
{{end}}
{{define "foot"}}</body>
</html>
{{end}}`))

// fact is a line about the person.
type fact struct{ Name, Value string }

// bubble is a message or a note on the page.
type bubble struct {
	T                                 map[string]string
	Class, By, Text, At, Status, Kind string
	File, FileName, Missing           string // Missing: a text instead of the file
	Reactions                         string
	Deleted, Edited                   bool
}

// writePage writes index.html.
func (e *export) writePage(ctx context.Context, w io.Writer) error {
	t := pageTexts[e.language]
	if t == nil {
		t = pageTexts["en"]
	}
	show := func(name string, data any) error { return pageTemplate.ExecuteTemplate(w, name, data) }
	date := func(at time.Time) string { return e.local(at).Format(t["date"]) }
	err := show("head", struct {
		T              map[string]string
		Name, Exported string
		Facts          []fact
	}{t, e.contact.Name, fmt.Sprintf(t["exported"], date(e.at), e.a.Company.Name), e.facts(t, date)})
	if err != nil {
		return err
	}
	message := func(m *talk.Message) error {
		b := newBubble(m)
		b.T, b.At, b.Status = t, date(m.CreatedAt), t[b.Status]
		if file := e.fileOf(m); file != nil {
			b.File = *file
		} else if m.Media != nil {
			b.Missing = fmt.Sprintf(t["gone"], b.FileName)
		}
		return show("message", b)
	}
	for i := range e.conversations {
		c := &e.conversations[i]
		before := e.done
		if err := show("section", t["conversation"]+" · "+date(c.CreatedAt)); err != nil {
			return err
		}
		if err := e.messages(ctx, c.ID, message); err != nil {
			return err
		}
		if e.done == before {
			if err := show("text", t["none"]); err != nil {
				return err
			}
		}
		if err := e.writeNotes(ctx, c, t, date, show); err != nil {
			return err
		}
		if err := e.writeScheduled(ctx, c, t, date, show); err != nil {
			return err
		}
	}
	first := true
	err = e.groupMessages(ctx, func(m *talk.Message) error {
		if first {
			first = false
			if err := show("section", t["groups"]); err != nil {
				return err
			}
		}
		return message(m)
	})
	if err != nil {
		return err
	}
	return show("foot", nil)
}

// writeNotes writes the notes of a conversation.
func (e *export) writeNotes(ctx context.Context, c *talk.Conversation, t map[string]string, date func(time.Time) string, show func(string, any) error) error {
	first := true
	return all(func(cursor string) ([]talk.Note, string, error) {
		return e.d.talk.Notes(ctx, e.a, c.ID, exportPage, cursor)
	}, func(entry any) error {
		note := entry.(*talk.Note)
		if first {
			first = false
			if err := show("sub", t["notes"]); err != nil {
				return err
			}
		}
		return show("message", bubble{T: t, Class: "note", By: note.Author.Name, Text: note.Text, At: date(note.CreatedAt), Edited: note.EditedAt != nil})
	})
}

// writeScheduled writes the messages of a conversation that wait for their time. The messages that were sent are among the others.
func (e *export) writeScheduled(ctx context.Context, c *talk.Conversation, t map[string]string, date func(time.Time) string, show func(string, any) error) error {
	first := true
	return e.scheduled(ctx, c, func(entry any) error {
		m := entry.(*talk.ScheduledMessage)
		if m.Status != talk.ScheduledWaiting {
			return nil
		}
		if first {
			first = false
			if err := show("sub", t["scheduled"]); err != nil {
				return err
			}
		}
		b := bubble{T: t, Class: "out", By: m.CreatedBy.Name, At: date(m.SendAt)}
		if m.Text != nil {
			b.Text = *m.Text
		}
		return show("message", b)
	})
}

// newBubble returns a message without its texts, time and file.
func newBubble(m *talk.Message) bubble {
	b := bubble{Deleted: m.RevokedAt != nil, Edited: m.EditedAt != nil}
	if m.Text != nil {
		b.Text = *m.Text
	}
	if m.Direction == provider.Outbound {
		b.Class, b.Status = "out", m.Status
	}
	switch {
	case m.SentBy != nil:
		b.By = m.SentBy.Name
	case m.Integration != nil:
		b.By = m.Integration.Name
	case m.Author != nil:
		b.By = m.Author.Name
	}
	if m.Media != nil {
		b.FileName = m.Media.FileName
		b.Kind, _, _ = strings.Cut(m.Media.MimeType, "/")
	}
	for _, r := range m.Reactions {
		b.Reactions += r.Emoji
	}
	return b
}

// facts returns the lines about the person.
func (e *export) facts(t map[string]string, date func(time.Time) string) (facts []fact) {
	add := func(name, value string) {
		if value != "" {
			facts = append(facts, fact{name, value})
		}
	}
	text := func(s *string) string {
		if s == nil {
			return ""
		}
		return *s
	}
	add(t["phone"], text(e.contact.Phone))
	add(t["company"], text(e.contact.BusinessName))
	add(t["city"], text(e.contact.City))
	add(t["labels"], strings.Join(e.labels, ", "))
	for _, f := range e.fields {
		switch v := e.contact.Fields[f.Key].(type) {
		case nil:
		case bool:
			add(f.Name, map[bool]string{true: t["yes"], false: t["no"]}[v])
		default:
			add(f.Name, fmt.Sprint(v))
		}
	}
	var ids []string
	for _, id := range e.identities {
		ids = append(ids, id.Value)
	}
	add(t["identities"], strings.Join(ids, ", "))
	add(t["since"], date(e.contact.CreatedAt))
	if e.contact.OptedOutAt != nil {
		add(t["opted_out"], date(*e.contact.OptedOutAt))
	}
	return facts
}
