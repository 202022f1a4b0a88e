// Package talk implements contacts, conversations, messages, files and attendances, and the tools to answer customers: the
// inbox, labels, notes, canned replies, scheduled messages and search.
package talk

import (
	"recado/internal/blob"
	"recado/internal/channels"
	"recado/internal/kernel"
	"recado/internal/limits"
	"recado/internal/people"
)

// Talk implements the verbs of the package.
type Talk struct {
	*kernel.Kernel
	people     *people.People
	channels   *channels.Channels
	blob       blob.Store
	uploads    *limits.Concurrency[kernel.ID] // by company
	counts     kernel.Expensive               // of the inbox, which read every open conversation for every saved view
	receipts   chan Receipt
	activities activities
	settling   settling
	observers  []Observer
}

// New returns a Talk.
func New(c *channels.Channels, p *people.People, files blob.Store) *Talk {
	d := &Talk{Kernel: p.Kernel, people: p, channels: c, blob: files, receipts: make(chan Receipt, 1024)}
	d.uploads = limits.NewConcurrency[kernel.ID](d.Limit(limitUploads), 0)
	d.counts = d.NewQueue("counts of the inbox", d.Limit(kernel.LimitSearches), countsWait)
	d.CheckSubjects(SubjectConversation, checkConversation)
	d.CheckSubjects(SubjectContact, checkContact)
	d.CheckSubjects(SubjectFile, checkFile)
	d.OnSignal(d.receive)
	d.OnSignal(d.receiveReceipt)
	d.OnStream(d.greet)
	p.ObserveTeam(people.TeamObserver{Removed: d.FinishRemovals, MemberRemoved: deleteOwn})
	c.UseFiles(d.sampleFile)
	c.ObserveChannels(channels.ChannelObserver{Connected: d.sendAgain, Archived: d.failQueue, PrivacyChanged: d.settleFirst, Disconnected: d.warnOwners})
	return d
}

// The statements that count towards the limits of a company.
const (
	countLabels      kernel.Countable = `SELECT COUNT(*) FROM labels WHERE company = $1 AND name <> ''`
	countSharedViews kernel.Countable = `SELECT COUNT(*) FROM views WHERE company = $1 AND shared`
)
