// Package channels manages the WhatsApp numbers of companies: settings, credentials, state and templates.
package channels

import (
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
}

// New returns the verbs of channels. Without numbers no WhatsApp number can be connected.
func New(p *people.People, numbers Numbers) *Channels {
	d := &Channels{Kernel: p.Kernel, people: p, numbers: numbers}
	d.activity = callbackCounter{since: d.Now(), calls: map[calledChannel]*CallbackActivity{}}
	d.CheckSubjects(SubjectChannel, d.checkChannel)
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
