// Package privacy handles personal data: the export of what Recado knows about a person, the erasure of a person, and how long
// messages, files and audit entries are kept.
//
// What a capability knows about a person is exported and erased by the capability: it provides a Section and an Eraser, and package
// server adds them.
package privacy

import (
	"recado/internal/channels"
	"recado/internal/httpserver"
	"recado/internal/kernel"
	"recado/internal/people"
	"recado/internal/talk"
	"recado/internal/tasks"
)

// Privacy has the verbs of the package.
type Privacy struct {
	*kernel.Kernel
	talk     *talk.Talk
	tasks    *tasks.Tasks
	sections []Section
	erasers  []Eraser
	list     string // see UseList
}

// Section is what a capability adds to the export of a person's data.
type Section struct {
	Name string // of the list in data.json
	// Entries returns the entries about a contact that the principal may see. They are encoded as JSON.
	Entries func(tx *kernel.Tx, a *kernel.Principal, contact kernel.ID) ([]any, error)
}

// New returns the verbs of personal data.
func New(t *talk.Talk, c *channels.Channels, p *people.People, jobs *tasks.Tasks) *Privacy {
	d := &Privacy{Kernel: p.Kernel, talk: t, tasks: jobs}
	jobs.Register(tasks.Kind{Name: KindExport, Run: d.runExport})
	jobs.Register(tasks.Kind{Name: KindErase, Run: d.runErase, Irrevocable: true})
	t.Observe(talk.Observer{ErasedAt: d.erasedAt})
	c.ObserveChannels(channels.ChannelObserver{PoolChanged: keepErased})
	c.ObserveChannels(channels.ChannelObserver{PoolChanged: d.hideExports})
	return d
}

// AddSection adds a section to exports. Call it before the first one.
func (d *Privacy) AddSection(s Section) { d.sections = append(d.sections, s) }

// The verbs of personal data.
var (
	VerbRetention        = kernel.Listed(kernel.Verb{Name: "Retention", Scope: people.ScopeDataManage})
	VerbUpdateRetention  = kernel.Listed(kernel.Verb{Name: "UpdateRetention", Scope: people.ScopeDataManage})
	VerbPreviewRetention = kernel.Listed(kernel.Verb{Name: "PreviewRetention", Scope: people.ScopeDataManage})
	VerbExportContact    = kernel.Listed(kernel.Verb{Name: "ExportContact", Scope: people.ScopeDataManage})
	VerbEraseContact     = kernel.Listed(kernel.Verb{Name: "EraseContact", Scope: people.ScopeDataManage})
	VerbPreviewErase     = kernel.Listed(kernel.Verb{Name: "PreviewErase", Scope: people.ScopeDataManage})
)

// HTTP returns the routes of the package.
func (d *Privacy) HTTP() httpserver.Capability {
	return httpserver.Capability{
		Routes: []*httpserver.Route{
			httpserver.Get("/company/retention", VerbRetention, "Get how long data is kept", httpserver.NoInput(d.Retention),
				httpserver.About("Returns after how many days messages, files and audit entries are deleted. By default messages and files are kept for ever and audit entries for 365 days.")),
			httpserver.Patch("/company/retention", VerbUpdateRetention, "Change how long data is kept", d.updateRetention,
				httpserver.Example(`{"messages_days": 730, "media_days": 180}`),
				httpserver.About("Omitted fields do not change. The server deletes what is older in small batches. Notes are deleted with messages. Messages of an open case stay until it is closed. "+
					"Attendances and the figures of reports stay. See first what would be deleted: `POST /company/retention/preview`.")),
			httpserver.Post("/company/retention/preview", VerbPreviewRetention, "Preview a retention", d.previewRetention,
				httpserver.Example(`{"messages_days": 730}`),
				httpserver.About("Counts what would be deleted now with the settings in the body; omitted fields have the company's present values. Nothing is changed.")),
			httpserver.Post("/contacts/{id}/export", VerbExportContact, "Export a person's data", httpserver.ByID(d.ExportContact),
				httpserver.Fails(kernel.CodeLimitReached), httpserver.Accepted,
				httpserver.About("Starts a job of the kind `contact_export` that collects everything about the person that the caller may see: contact, conversations, "+
					"messages, files, attendances, notes, scheduled messages and cards. The result is a zip file with `data.json`, a readable page `index.html` and a folder "+
					"`media`. Its link is `result.url` of the job and is valid for 24 hours.")),
			httpserver.Post("/contacts/{id}/erase", VerbEraseContact, "Erase a person's data", d.eraseContact,
				httpserver.Example(`{"confirm_phone": "+5511912345678", "reason": "Request of 2026-11-18"}`),
				httpserver.Fails(kernel.CodeLimitReached), httpserver.Accepted,
				httpserver.About("Starts a job of the kind `contact_erase` that cannot be cancelled once it has begun and cannot be undone. An open attendance is closed first. "+
					"The contact, messages, files, notes, drafts, scheduled messages, texts of cards, events and deliveries go. Attendances and the figures of reports stay "+
					"without the person. Keyed hashes of the phone and the WhatsApp ids keep late callbacks and restored backups from bringing the person back; "+
					"a message that the person writes later creates a new contact. See first what would be removed: `POST /contacts/{id}/erase/preview`.")),
			httpserver.Post("/contacts/{id}/erase/preview", VerbPreviewErase, "Preview the erasure of a person", httpserver.ByID(d.PreviewErase),
				httpserver.About("Counts what `POST /contacts/{id}/erase` would remove now. Nothing is changed.")),
		},
	}
}
