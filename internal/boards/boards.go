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
	d.CheckSubjects(kernel.SubjectCard, checkCard)
	d.CheckSubjects(kernel.SubjectBoard, checkBoard)
	p.ObserveTeam(people.TeamObserver{CompanyCreated: createAttendancesBoard})
	t.Observe(d.followCases())
	return d
}
