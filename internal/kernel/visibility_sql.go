package kernel

import (
	"encoding/binary"

	"recado/internal/kernel/db"
)

// Sight is how far a member sees: everything, or what is assigned to them or lies in one of their sectors.
type Sight struct {
	All     bool
	Member  ID
	Sectors []ID
	Private []ID // the private channels that a list shows beside the public ones
}

// The column private of a channel is the only truth about who sees what belongs to it: a channel can become private or public
// while it has a history. The columns of the same name in conversations and attendances, hidden of cards and the pools
// of contacts are copies for the indexes of lists. They may lag behind while the channel is settling; see settle.go. A
// single row is judged by its channel, and a list leaves out what is of a private channel whatever its copy says.

// ChannelPrivate is an expression: whether the channel of a row is private.
func ChannelPrivate(alias string) string {
	return "(SELECT x.private FROM channels x WHERE x.company = " + alias + ".company AND x.id = " + alias + ".channel)"
}

// privateChannelsOf is a query of the company's private channels.
func privateChannelsOf(company string) string {
	return "(SELECT x.id FROM channels x WHERE x.company = " + company + " AND x.private)"
}

// Public is a condition that a column names no private channel of the company.
func Public(column, company string) string { return column + " NOT IN " + privateChannelsOf(company) }

// ShareVisibility keeps the channels of the company from becoming private or public until the end of the transaction. What a
// transaction writes by the privacy of a channel it must read after this. SQLite has one writer and needs no locks.
func (tx *Tx) ShareVisibility(company ID) {
	if tx.Dialect().ConcurrentWrites() && tx.visibilityOf != company {
		tx.visibilityOf = company
		tx.Later(`SELECT pg_advisory_xact_lock_shared($1)`, visibilityKey(company))
	}
}

// LockVisibility waits for the transactions that called ShareVisibility and keeps others waiting. It comes before every
// other lock of a transaction.
func (tx *Tx) LockVisibility(company ID) {
	if tx.Dialect().ConcurrentWrites() {
		tx.visibilityOf = company
		tx.Later(`SELECT pg_advisory_xact_lock($1)`, visibilityKey(company))
	}
}

func visibilityKey(company ID) int64 { return int64(binary.BigEndian.Uint64(company[8:])) ^ 3 }

// Condition is the access profile as SQL over the columns that say whom something is assigned to. Principal.MaySeeBy
// says the same of one conversation.
func (v Sight) Condition(s *db.Statement, assignee, sector string) string {
	mine := assignee + " = " + s.Arg(v.Member)
	if len(v.Sectors) == 0 {
		return mine
	}
	return "(" + mine + " OR " + s.In(sector, v.Sectors) + ")"
}

// Conversations is the whole sight as SQL over a table of conversations, by the flags of their channels: public ones as condition says,
// private ones of the channels that the member views. Principal.MaySeeBy says the same of one conversation.
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

// PrivateOnly is the sight of what belongs to the private channels: there the access profile does not count.
func (v Sight) PrivateOnly() Sight { return Sight{All: true, Member: v.Member, Private: v.Private} }
