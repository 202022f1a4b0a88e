// Package chatwoot imports an account of Chatwoot from its PostgreSQL database into a company: people, teams, labels, contacts,
// conversations, messages, notes, files and canned responses.
package chatwoot

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"recado/internal/channels"
	"recado/internal/kernel"
	"recado/internal/people"
	"recado/internal/talk"
)

// Options configure an import.
type Options struct {
	People   *people.People
	Channels *channels.Channels
	Talk     *talk.Talk

	From    string              // URL of Chatwoot's database
	Account int64               // id of the account
	Media   string              // Chatwoot's storage folder; "": files are marked as missing
	Inboxes map[int64]kernel.ID // the channel of each inbox; the zero id leaves the inbox out

	DryRun   bool // only count what the account has
	Progress func(Progress)
}

// Progress is how far an import is.
type Progress struct {
	Phase       string
	Done, Total int64 // Total is 0 if it is not known
	Messages    int64 // stored so far
}

// Result counts what an import added. In a dry run it counts what the account has.
type Result struct {
	Company kernel.ID

	People        int64 // members who were added
	Sectors       int64
	Labels        int64
	Replies       int64
	Contacts      int64
	NoPhone       int64 // contacts without a phone number, which are left out
	Attendances   int64
	Updated       int64 // attendances that were open or have new messages
	LeftOut       int64 // conversations of contacts without a phone number, or of erased ones
	Messages      int64
	Notes         int64
	Files         int64
	MissingFiles  int64
	OtherInboxes  []Inbox  // inboxes that were left out
	Problems      []string // the first things that could not be imported
	ProblemsTotal int64
}

// maxProblems is how many problems a result lists.
const maxProblems = 20

// The kinds of what talk.SetImported records.
const (
	kindUser         = "user"
	kindSector       = "sector"
	kindLabel        = "label"
	kindReply        = "reply"
	kindContact      = "contact"
	kindConversation = "conversation"
	kindMissing      = "missing" // the key is that of a file whose bytes were missing
)

// run is an import in progress.
type run struct {
	Options
	db       *source
	operator *kernel.Principal
	company  kernel.ID
	name     string // of the source, for talk.SetImported
	files    *os.Root
	result   Result
	failures int // conversations in a row that could not be stored

	members map[int64]kernel.ID // by the id of the user in Chatwoot; members who have left too
	present map[kernel.ID]bool  // members who have not left
	sectors map[int64]kernel.ID
	labels  map[string]kernel.ID // by folded title
}

// Import adds what is new in an account of Chatwoot to the company of the channels. It raises no events and sends nothing. It may be
// stopped at any time and continues when it is called again.
func Import(ctx context.Context, o Options) (Result, error) {
	r := &run{Options: o, members: map[int64]kernel.ID{}, present: map[kernel.ID]bool{}, sectors: map[int64]kernel.ID{}, labels: map[string]kernel.ID{}}
	if err := r.open(ctx); err != nil {
		return r.result, err
	}
	defer r.close()
	if o.DryRun {
		return r.result, r.db.count(ctx, r.mapped(), &r.result)
	}
	err := r.Talk.Store.Write(ctx, func(tx *kernel.Tx) error {
		tx.Audit(r.operator, kernel.AuditEntry{
			Action:  "import.created",
			Subject: kernel.AuditSubject{Type: "chatwoot", Name: r.db.account.name},
			Changes: []kernel.AuditChange{{Field: "kind", To: "chatwoot"}, {Field: "account", To: o.Account}},
		})
		return nil
	})
	for _, step := range []func(context.Context) error{
		r.importMembers, r.importTeams, r.importLabels, r.importReplies, r.importContacts, r.importConversations, r.fillFiles,
	} {
		if err == nil {
			err = step(ctx)
		}
	}
	return r.result, err
}

// open connects to Chatwoot and checks the options.
func (r *run) open(ctx context.Context) (err error) {
	if err := r.findCompany(ctx); err != nil {
		return err
	}
	if r.Media != "" {
		if r.files, err = os.OpenRoot(r.Media); err != nil {
			return fmt.Errorf("the media folder cannot be opened: %w", err)
		}
	}
	if r.db, err = connect(ctx, r.From, r.Account); err != nil {
		return err
	}
	// Unlike its address, the time at which the account was created stays the same when the database is copied.
	r.name = fmt.Sprintf("chatwoot/%d/%d", r.Account, r.db.account.createdAt.Unix())
	return r.checkInboxes()
}

func (r *run) close() {
	if r.files != nil {
		_ = r.files.Close()
	}
	r.db.pool.Close()
}

// findCompany finds the company of the channels.
func (r *run) findCompany(ctx context.Context) error {
	companies, err := r.People.Companies(ctx)
	if err != nil {
		return err
	}
	known := map[kernel.ID]kernel.ID{}
	var list []string
	for _, company := range companies {
		all, err := r.Channels.AllChannels(ctx, company.ID)
		if err != nil {
			return err
		}
		for _, ch := range all {
			known[ch.ID] = company.ID
			list = append(list, fmt.Sprintf("%s  %s %s (%s)", ch.ID, ch.Name, ch.Number(), company.Name))
		}
	}
	for _, id := range r.Inboxes {
		company, found := known[id]
		switch {
		case id.IsZero():
		case !found:
			return fmt.Errorf("there is no channel %s; the channels are:\n  %s", id, strings.Join(list, "\n  "))
		case !r.company.IsZero() && r.company != company:
			return errors.New("the channels belong to different companies: import into one company at a time")
		default:
			r.company = company
		}
	}
	if r.company.IsZero() {
		return fmt.Errorf("no inbox has a channel; the channels are:\n  %s", strings.Join(list, "\n  "))
	}
	r.result.Company = r.company
	r.operator, err = r.People.Operator(ctx, r.company)
	return err
}

// checkInboxes returns an error unless every inbox that may have WhatsApp conversations is mapped or left out.
func (r *run) checkInboxes() error {
	var missing bool
	var list []string
	for _, inbox := range r.db.inboxes {
		channel, given := r.Inboxes[inbox.ID]
		if channel.IsZero() {
			r.result.OtherInboxes = append(r.result.OtherInboxes, inbox)
		}
		missing = missing || !given && inbox.hasPhones()
		list = append(list, inbox.String())
	}
	for id := range r.Inboxes {
		if !slices.ContainsFunc(r.db.inboxes, func(i Inbox) bool { return i.ID == id }) {
			return fmt.Errorf("the account has no inbox %d; its inboxes are:\n  %s", id, strings.Join(list, "\n  "))
		}
	}
	if missing {
		return fmt.Errorf("say which channel each inbox becomes with --channel INBOX=CHANNEL, or --channel INBOX=none to leave it out; the inboxes are:\n  %s",
			strings.Join(list, "\n  "))
	}
	return nil
}

// mapped returns the inboxes that have a channel.
func (r *run) mapped() (ids []int64) {
	for _, inbox := range r.db.inboxes {
		if !r.Inboxes[inbox.ID].IsZero() {
			ids = append(ids, inbox.ID)
		}
	}
	return ids
}

func (r *run) progress(p Progress) {
	if r.Progress != nil {
		p.Messages = r.result.Messages
		r.Progress(p)
	}
}

// problem records something that could not be imported.
func (r *run) problem(format string, args ...any) {
	r.result.ProblemsTotal++
	if len(r.result.Problems) < maxProblems {
		r.result.Problems = append(r.result.Problems, fmt.Sprintf(format, args...))
	}
}

// imported returns what was imported for keys of a kind.
func (r *run) imported(ctx context.Context, kind string, keys []string) (map[string]talk.Imported, error) {
	return kernel.Read(ctx, r.Talk.Kernel, func(tx *kernel.Tx) (map[string]talk.Imported, error) {
		return talk.FindImported(tx, r.company, r.name, kind, keys)
	})
}

// remember records what was imported for a key.
func (r *run) remember(ctx context.Context, kind, key string, subject kernel.ID) error {
	return r.Talk.Store.Write(ctx, func(tx *kernel.Tx) error {
		talk.SetImported(tx, r.company, r.name, kind, key, talk.Imported{Subject: subject})
		return nil
	})
}
