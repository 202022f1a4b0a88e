// Package channels manages the WhatsApp numbers of companies: settings, credentials, state and templates.
package channels

import (
	"context"
	"sync"

	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/internal/people"
)

// Channels has the verbs of the package.
type Channels struct {
	*kernel.Kernel
	people    *people.People
	numbers   Numbers
	activity  callbackCounter
	observers []ChannelObserver
	openFile  OpenFile
	canLink   bool
	streams   chan struct{} // closed when the server stops

	endStreams func()
}

// New returns the verbs of channels. Without numbers no WhatsApp number can be connected.
func New(p *people.People, numbers Numbers) *Channels {
	d := &Channels{Kernel: p.Kernel, people: p, numbers: numbers, streams: make(chan struct{})}
	d.endStreams = sync.OnceFunc(func() { close(d.streams) }) // a server may be told twice to stop
	d.activity = callbackCounter{since: d.Now(), calls: map[calledChannel]*CallbackActivity{}}
	d.CheckSubjects(SubjectChannel, func(tx *kernel.Tx, a *kernel.Principal, id kernel.ID) error {
		_, err := d.Known(tx, a, id)
		return err
	})
	return d
}

// Statements for the limits of a company.
const (
	countChannels kernel.Countable = `SELECT COUNT(*) FROM channels WHERE company = $1 AND NOT private AND archived_at IS NULL`
	countPrivate  kernel.Countable = `SELECT COUNT(*) FROM channels WHERE company = $1 AND private AND archived_at IS NULL`
	countViewers  kernel.Countable = `SELECT COUNT(*) FROM channel_viewers WHERE company = $1`
)

// Limits of each company.
var (
	limitChannels = kernel.RegisterLimit("channels", 200)   // public channels, and as many private ones
	limitViewers  = kernel.RegisterLimit("viewers", 10_000) // of private channels, in total
)

// SubjectChannel is the kind of subject of responses about a channel.
const SubjectChannel = "channel"

// ChannelObserver has functions that are called when channels change. Nil functions are not called.
type ChannelObserver struct {
	// PrivacyChanges returns the recount for a channel that becomes private or public. Only one observer may have it.
	PrivacyChanges func(ch Channel, private bool) kernel.Recount
	// PoolChanged runs in the transaction in which a channel becomes private or public. from is its previous pool.
	PoolChanged func(tx *kernel.Tx, ch *Channel, from kernel.ID) error
	// PrivacyChanged runs after a channel became private or public.
	PrivacyChanged func(ctx context.Context, company, channel kernel.ID)
	// Archived runs after a channel was archived.
	Archived func(ctx context.Context, company, channel kernel.ID)
	// Connected runs in the transaction after which a channel can send again.
	Connected func(tx *kernel.Tx, ch *Channel)
	// Disconnected runs in the transaction in which a linked number stops working.
	Disconnected func(tx *kernel.Tx, ch *Channel, reason provider.Reason) error
}

// ObserveChannels adds an observer. It must be called before the first transaction.
func (d *Channels) ObserveChannels(o ChannelObserver) {
	d.observers = append(d.observers, o)
}

// The verbs of channels and templates.
var (
	VerbChannels          = kernel.Listed(kernel.Verb{Name: "Channels", Scope: people.ScopeConversationsRead})
	VerbChannel           = kernel.Listed(kernel.Verb{Name: "Channel", Scope: people.ScopeConversationsRead})
	VerbCreateChannel     = kernel.Listed(kernel.Verb{Name: "CreateChannel", Scope: people.ScopeChannelsManage})
	VerbUpdateChannel     = kernel.Listed(kernel.Verb{Name: "UpdateChannel", Scope: people.ScopeChannelsManage})
	VerbArchiveChannel    = kernel.Listed(kernel.Verb{Name: "ArchiveChannel", Scope: people.ScopeChannelsManage})
	VerbChannelConnection = kernel.Listed(kernel.Verb{Name: "ChannelConnection", Scope: people.ScopeChannelsManage})
	VerbTestChannel       = kernel.Listed(kernel.Verb{Name: "TestChannel", Scope: people.ScopeChannelsManage})
	VerbLink              = kernel.Listed(kernel.Verb{Name: "Link", Scope: people.ScopeChannelsManage})
	VerbPairByPhone       = kernel.Listed(kernel.Verb{Name: "PairByPhone", Scope: people.ScopeChannelsManage})
	VerbUnlink            = kernel.Listed(kernel.Verb{Name: "Unlink", Scope: people.ScopeChannelsManage})
	VerbTemplates         = kernel.Listed(kernel.Verb{Name: "Templates", Scope: people.ScopeConversationsRead})
	VerbSyncTemplates     = kernel.Listed(kernel.Verb{Name: "SyncTemplates", Scope: people.ScopeChannelsManage})
	VerbCreateTemplate    = kernel.Listed(kernel.Verb{Name: "CreateTemplate", Scope: people.ScopeChannelsManage})
	VerbDeleteTemplate    = kernel.Listed(kernel.Verb{Name: "DeleteTemplate", Scope: people.ScopeChannelsManage})
)
