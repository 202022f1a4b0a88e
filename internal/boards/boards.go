// Package boards has Kanban boards, their stages and cards, and the board whose cards follow the cases.
package boards

import (
	"sync"

	"recado/internal/channels"
	"recado/internal/kernel"
	"recado/internal/people"
	"recado/internal/talk"
)

// Boards has the verbs of the package.
type Boards struct {
	*kernel.Kernel
	people       *people.People
	channels     *channels.Channels
	talk         *talk.Talk
	systemBoards sync.Map // company -> *Board; see card_move.go
}

// New returns the verbs of boards, and lets cards follow cases.
func New(t *talk.Talk, c *channels.Channels, p *people.People) *Boards {
	d := &Boards{Kernel: p.Kernel, people: p, channels: c, talk: t}
	d.CheckSubjects(SubjectCard, checkCard)
	d.CheckSubjects(people.SubjectBoard, checkBoard)
	p.ObserveTeam(people.TeamObserver{CompanyCreated: createAttendancesBoard})
	t.Observe(d.followCases())
	return d
}

// countBoards counts towards a limit of the company.
const countBoards kernel.Countable = `SELECT COUNT(*) FROM boards WHERE company = $1`

// cardHidden tells whether a card c is of a private channel.
const cardHidden = `COALESCE((
	SELECT x.private
	FROM conversations xv
	JOIN channels x ON x.company = xv.company AND x.id = xv.channel
	WHERE xv.company = c.company AND xv.id = c.conversation), c.hidden)`

// publicCard is a condition that a card c is of no private channel. Conversations are looked at only while a channel is settling.
func publicCard(company string) string {
	return "(NOT EXISTS (SELECT 1 FROM channels x WHERE x.company = " + company + " AND x.settling AND x.private) OR NOT EXISTS (" +
		"SELECT 1 FROM conversations xv JOIN channels x ON x.company = xv.company AND x.id = xv.channel WHERE xv.company = " + company + " AND xv.id = c.conversation AND x.private))"
}

// Limits of each company.
var (
	limitBoards = kernel.RegisterLimit("boards", 200) // archived ones included
	limitStages = kernel.RegisterLimit("stages", 50)  // of one board
)

// MaxDescription is the length of the description of a card, in characters.
const MaxDescription = 10_000

// SubjectCard is the kind of subject of responses about a card.
const SubjectCard = "card"
