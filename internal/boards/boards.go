// Package boards has Kanban boards, their stages and cards, and the board whose cards follow attendances.
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
	systemBoards sync.Map // company -> *Board; see attendancesBoard
}

// New returns the verbs of boards and makes cards follow attendances.
func New(t *talk.Talk, c *channels.Channels, p *people.People) *Boards {
	d := &Boards{Kernel: p.Kernel, people: p, channels: c, talk: t}
	d.CheckSubjects(SubjectCard, checkCard)
	d.CheckSubjects(people.SubjectBoard, func(tx *kernel.Tx, a *kernel.Principal, id kernel.ID) error {
		_, err := visibleBoard(tx, a, id)
		return err
	})
	p.ObserveTeam(people.TeamObserver{CompanyCreated: createAttendancesBoard})
	t.Observe(d.followCases())
	return d
}

const countBoards kernel.Countable = `SELECT COUNT(*) AS total FROM boards WHERE company = $1`

// cardHidden is an expression: whether a card c belongs to a private channel.
const cardHidden = `COALESCE((
	SELECT x.private
	FROM conversations xv
	JOIN channels x ON x.company = xv.company AND x.id = xv.channel
	WHERE xv.company = c.company AND xv.id = c.conversation), c.hidden)`

// publicCard is a condition: a card c belongs to no private channel. It reads conversations only while a channel is settling.
func publicCard(company string) string {
	return `(NOT EXISTS (SELECT 1 FROM channels x WHERE x.company = ` + company + ` AND x.settling AND x.private)
		OR NOT EXISTS (
			SELECT 1
			FROM conversations xv
			JOIN channels x ON x.company = xv.company AND x.id = xv.channel
			WHERE xv.company = ` + company + ` AND xv.id = c.conversation AND x.private))`
}

// Limits per company.
var (
	limitBoards = kernel.RegisterLimit("boards", 200) // including archived ones
	limitStages = kernel.RegisterLimit("stages", 50)  // per board
)

// MaxDescription is the maximum length of a card's description in characters.
const MaxDescription = 10_000

// SubjectCard is the subject kind of a card.
const SubjectCard = "card"
