package kernel

import (
	"encoding/binary"

	"recado/internal/kernel/db"
)

// Sight contains the visibility rules of a member for queries: all conversations, or those that are assigned to the member or
// to one of their sectors.
type Sight struct {
	All     bool
	Member  ID
	Sectors []ID
	Private []ID // private channels that a list shows besides the public ones
}

// Whether a channel is private is decided only by channels.private, which can change while the channel has conversations. The
// columns private of conversations and attendances, hidden of cards and the pools of contacts are copies for the indexes of
// lists. They may be outdated while the channel is settling; see settle.go. Access to a single row depends on its channel,
// and lists exclude rows of private channels regardless of the copies.

// ChannelPrivate returns an expression for whether the channel of a row is private.
func ChannelPrivate(alias string) string {
	return "(SELECT x.private FROM channels x WHERE x.company = " + alias + ".company AND x.id = " + alias + ".channel)"
}

// Public returns a condition that is true unless the column contains a private channel of the company.
func Public(column, company string) string {
	return column + " NOT IN (SELECT x.id FROM channels x WHERE x.company = " + company + " AND x.private)"
}

// AndReaches adds the condition that a column contains no channel, or one that the principal may see; see Reaches.
func (a *Principal) AndReaches(s *db.Statement, channel, company string) {
	s.And(a.ReachCondition(s, channel, company))
}

// ReachCondition returns the condition that AndReaches adds.
func (a *Principal) ReachCondition(s *db.Statement, channel, company string) string {
	visible := channel + " IS NULL OR " + Public(channel, company)
	if a.kind == KindSession && len(a.Views) > 0 {
		visible += " OR " + s.In(channel, a.Views)
	}
	return "(" + visible + ")"
}

// ShareVisibility prevents the company's channels from becoming private or public until the end of the transaction. A
// transaction whose changes depend on it must call this first. SQLite has one writer and needs no locks.
func (tx *Tx) ShareVisibility(company ID) {
	if tx.Dialect().ConcurrentWrites() && tx.visibilityOf != company {
		tx.visibilityOf = company
		tx.Later(`SELECT pg_advisory_xact_lock_shared($1)`, visibilityKey(company))
	}
}

// LockVisibility waits for transactions that called ShareVisibility, and makes others wait. Call it before all other locks of
// a transaction.
func (tx *Tx) LockVisibility(company ID) {
	if tx.Dialect().ConcurrentWrites() {
		tx.visibilityOf = company
		tx.Later(`SELECT pg_advisory_xact_lock($1)`, visibilityKey(company))
	}
}

func visibilityKey(company ID) int64 { return int64(binary.BigEndian.Uint64(company[8:])) ^ 3 }

// Condition returns the access profile as a condition on the columns assignee and sector; see Principal.Sees.
func (v Sight) Condition(s *db.Statement, assignee, sector string) string {
	mine := assignee + " = " + s.Arg(v.Member)
	if len(v.Sectors) == 0 {
		return mine
	}
	return "(" + mine + " OR " + s.In(sector, v.Sectors) + ")"
}

// Conversations returns all rules as a condition on a table of conversations; see Principal.MaySeeBy.
func (v Sight) Conversations(s *db.Statement, alias string) string {
	public := "NOT " + ChannelPrivate(alias)
	if !v.All {
		public += " AND " + v.Condition(s, alias+".assignee", alias+".sector")
	}
	if len(v.Private) == 0 {
		return public
	}
	return "(" + public + " OR " + s.In(alias+".channel", v.Private) + ")"
}

// PrivateOnly returns the rules for private channels, where the access profile does not apply.
func (v Sight) PrivateOnly() Sight { return Sight{All: true, Member: v.Member, Private: v.Private} }

// Visibility decides which members of the company may see a conversation.
type Visibility struct {
	Channel  ID   `json:"channel"`
	Private  bool `json:"private,omitempty"`
	Assignee *ID  `json:"assignee,omitempty"`
	Sector   *ID  `json:"sector,omitempty"`
}
