package imports

import (
	"cmp"
	"io"
	"slices"
	"strings"
	"time"

	"recado/internal/fold"
	"recado/internal/kernel"
)

// Sender is a person in a chat.
type Sender struct {
	Name     string `json:"name"`
	Messages int    `json:"messages"`
}

// chatScan is what a chat contains. It is collected in one pass, in which the order of day and month is not known yet.
type chatScan struct {
	messages int // also those with an impossible date
	senders  []Sender
	group    bool
	files    int // in the archive
	missing  int // named or mentioned in the text, but not in the archive
	unknown  int // lines that are not part of a message, and texts that are too long
	first    []chatEntry
	capitals bool
	differ   bool // a date means different days in two orders
	orders   [3]orderScan
}

// orderScan says what the dates of a chat would be in an order of day, month and year.
type orderScan struct {
	impossible int
	backwards  int // dates before the one before them
	last       time.Time
	first, end time.Time // the earliest and the latest
}

// maxSenders is the number of senders that are counted. Two are too many for a group already.
const maxSenders = 20

// scanChat reads a whole chat. now excludes dates in the future. forced is the order of day, month and year if it is known.
func scanChat(c *chatFile, zone *time.Location, now time.Time, forced string) (*chatScan, error) {
	s := &chatScan{}
	err := c.each(func(e chatEntry) error {
		switch {
		case e.kind == entryGroup:
			s.group = true
		case e.kind == entryUnknown:
			s.unknown++
		}
		if !e.isMessage() {
			return nil
		}
		s.messages++
		s.count(e.sender)
		if e.long {
			s.unknown++
		}
		if e.hasFile() {
			if _, found := c.files[e.file]; found {
				s.files++
			} else {
				s.missing++
			}
		}
		if len(s.first) < previewLines {
			e.text = cutText(e.text, previewText)
			s.first = append(s.first, e)
		}
		s.capitals = s.capitals || e.stamp.capitals
		s.differ = s.differ || !e.stamp.yearFirst && e.stamp.date[0] != e.stamp.date[1]
		for i := range s.orders {
			if orders[i] == orderYMD && !e.stamp.yearFirst && forced != orderYMD {
				s.orders[i].impossible++
				continue
			}
			s.orders[i].add(&e.stamp, orders[i], zone, now)
		}
		return nil
	})
	return s, err
}

// previewText is the length of a message in the preview.
const previewText = 500

func cutText(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}

// each calls f with every entry of the chat.
func (c *chatFile) each(f func(e chatEntry) error) error {
	text, err := c.text()
	if err != nil {
		return damagedOr(err)
	}
	defer func() { _ = text.Close() }()
	for r := newChatReader(text); ; {
		e, err := r.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return damagedOr(err)
		}
		if err := f(e); err != nil {
			return err
		}
	}
}

// damagedOr returns the error for a chat whose text cannot be unpacked.
func damagedOr(err error) error {
	if isDamage(err) {
		return errNoChat()
	}
	return err
}

func (s *chatScan) count(name string) {
	i := slices.IndexFunc(s.senders, func(x Sender) bool { return x.Name == name })
	switch {
	case i >= 0:
		s.senders[i].Messages++
	case len(s.senders) < maxSenders:
		s.senders = append(s.senders, Sender{name, 1})
	}
}

func (o *orderScan) add(s *stamp, order string, zone *time.Location, now time.Time) {
	at, ok := timeIn(s, order, zone, now)
	if !ok {
		o.impossible++
		return
	}
	day := at.Truncate(time.Minute)
	if day.Before(o.last.Add(-24 * time.Hour)) { // a phone that was offline sends messages late
		o.backwards++
	}
	o.last = day
	if o.first.IsZero() || at.Before(o.first) {
		o.first = at
	}
	if at.After(o.end) {
		o.end = at
	}
}

// timeIn returns the time of a stamp. It reports false if there is no such day or if it is in the future.
func timeIn(s *stamp, order string, zone *time.Location, now time.Time) (time.Time, bool) {
	at, ok := s.in(order, zone)
	return at, ok && !at.After(now.Add(24*time.Hour))
}

// order returns the order of day, month and year that fits the dates best. It reports false if another one fits equally well.
func (s *chatScan) order() (order string, certain bool) {
	best := []int{0, 1, 2}
	compare := func(a, b int) int {
		x, y := &s.orders[a], &s.orders[b]
		return cmp.Or(cmp.Compare(x.impossible, y.impossible), cmp.Compare(x.backwards, y.backwards))
	}
	slices.SortStableFunc(best, compare)
	tie := compare(best[0], best[1]) == 0
	if tie && best[0] == 0 && best[1] == 1 && s.capitals { // as in the United States
		best[0], best[1] = best[1], best[0]
	}
	return orders[best[0]], !tie || !s.differ
}

// of returns what the dates are in an order.
func (s *chatScan) of(order string) *orderScan { return &s.orders[slices.Index(orders, order)] }

// me returns the sender that is not the contact, if the name of the contact is known or one of the names of the files contains it.
func (s *chatScan) me(contact string, files []string) (string, bool) {
	is := func(name string) bool {
		name = fold.Text(name)
		if contact != "" && name == fold.Text(contact) {
			return true
		}
		return slices.ContainsFunc(files, func(file string) bool {
			file = fold.Text(strings.TrimSuffix(strings.TrimSuffix(file, ".zip"), ".txt"))
			return strings.HasSuffix(file, " "+name)
		})
	}
	if len(s.senders) != 2 {
		return "", false
	}
	switch a, b := is(s.senders[0].Name), is(s.senders[1].Name); {
	case a && !b:
		return s.senders[1].Name, true
	case b && !a:
		return s.senders[0].Name, true
	}
	return "", false
}

// check returns an error if the chat cannot be imported.
func (s *chatScan) check() error {
	switch {
	case s.messages == 0:
		return errNoChat()
	case s.group || len(s.senders) > 2:
		return kernel.Invalid("body.file", ruleGroupChat, "is the chat of a group; only chats with one person can be imported")
	}
	return nil
}

// Rules for chats.
var (
	ruleNotAChat    = kernel.NewRule("not_a_chat")
	ruleGroupChat   = kernel.NewRule("group_chat")
	ruleNotAMessage = kernel.NewRule("not_a_message") // a line that belongs to no message
	ruleDamagedFile = kernel.NewRule("damaged_file")
)

func errNoChat() error {
	return kernel.Invalid("body.file", ruleNotAChat, "is not a chat that WhatsApp exported")
}
