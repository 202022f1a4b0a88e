package reception

import (
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"recado/internal/channels/provider"
	"recado/internal/fold"
	"recado/internal/kernel"
	"recado/internal/talk"
)

// MaxSent is the maximum number of automatic messages of an attendance.
const MaxSent = 4

// A customer who sends the same text this often within this time ends the menu.
const (
	sameTexts  = 3
	sameWithin = time.Minute
)

// Customer is a message of the customer.
type Customer struct {
	Text   string
	Choice *provider.Choice // from buttons or a list
	At     time.Time
}

// State is the state of a customer's menu. It belongs to an open attendance; without a state there is no menu.
type State struct {
	Path    []int        `json:"path,omitempty"`    // the options that led to the current menu
	Invalid int          `json:"invalid,omitempty"` // invalid replies in a row
	Sent    int          `json:"sent"`              // automatic messages so far
	Recent  []recentText `json:"recent,omitempty"`  // texts of the last minute
	Since   int64        `json:"since"`             // time of the message that the menu was shown for, in milliseconds
	Asked   int64        `json:"asked"`             // when the menu was shown, in milliseconds of the machine's clock
}

// recentText is a text of the customer.
type recentText struct {
	Hash uint64 `json:"hash"`
	At   int64  `json:"at"` // milliseconds
}

// Message is an automatic message.
type Message struct {
	Text        string
	Interactive *provider.Interactive // nil: a plain text
}

// End is where a case goes when its menu ends.
type End struct {
	Kind   string
	Sector *kernel.ID // of EndSector, and of EndPeople: nil means the general queue
	User   *kernel.ID
	Reason string // for the history
}

// The kinds of End.
const (
	EndSector = "sector"
	EndUser   = "user"
	EndClose  = "close"
	EndPeople = "people"
)

// Reasons of an End in the history.
var (
	ReasonAsked    = talk.RegisterCause("Menu: asked for a person", "menu_asked")
	ReasonInvalid  = talk.RegisterCause("Menu: no valid answer", "menu_invalid")
	ReasonTimeout  = talk.RegisterCause("Menu: no answer in time", "menu_timeout")
	ReasonRepeated = talk.RegisterCause("Menu: the same text again and again", "menu_repeated")
	ReasonLimit    = talk.RegisterCause("Menu: too many messages", "menu_limit")
	ReasonChanged  = talk.RegisterCause("Menu: no longer available", "menu_changed")
	ReasonBudget   = talk.RegisterCause("Menu: the budget is used up", talk.ErrorBudgetReached)
	reasonChoice   = talk.RegisterPathCause("Menu: ", talk.CauseMenuChoice) // with the titles
)

// Begin returns the first automatic message of an attendance and the state of its menu; either may be nil. open reports whether
// it is within the opening hours. For a customer who asks for a person at once the menu has ended.
func Begin(r *Reception, open bool, first Customer) (*Message, *State, *End) {
	var parts []string
	if r.Greeting != nil && *r.Greeting != "" {
		parts = append(parts, *r.Greeting)
	}
	if !open && r.Away != nil && *r.Away != "" {
		parts = append(parts, *r.Away)
	}
	if r.Menu != nil && !asksForPeople(first.Text) {
		s := &State{Sent: 1, Since: first.At.UnixMilli()}
		s.isRepeated(first)
		return show(r, r.Menu, nil, append(parts, r.Menu.Text)...), s, nil
	}
	var m *Message
	if len(parts) > 0 {
		m = &Message{Text: strings.Join(parts, "\n\n")}
	}
	if r.Menu == nil {
		return m, nil, nil
	}
	return m, nil, endAtPeople(menusTo(r, nil), ReasonAsked)
}

// Before reports whether the customer wrote a message before seeing the menu: it is not later than the message that the menu was
// shown for. A button cannot be pressed before.
func (s State) Before(in Customer) bool { return in.Choice == nil && in.At.UnixMilli() <= s.Since }

// together is the time that a customer needs at least to read a menu and reply.
const together = 2 * time.Second

// Together reports whether the customer wrote a message so soon after the one that the menu was shown for that they may not
// have seen the menu. Both times are from the provider's clock.
func (s State) Together(in Customer) bool {
	return in.At.UnixMilli()-s.Since < together.Milliseconds()
}

// Overheard handles a message that the customer wrote before the menu was shown. It is no reply, but may ask for a person.
func (s State) Overheard(r *Reception, in Customer) (*State, *End) {
	if s.isRepeated(in) {
		return nil, endAtPeople(menusTo(r, s.Path), ReasonRepeated)
	}
	if asksForPeople(in.Text) {
		return nil, endAtPeople(menusTo(r, s.Path), ReasonAsked)
	}
	return &s, nil
}

// Answer handles a reply of the customer. It returns the automatic message, if any, and either the next state or the end of the
// menu.
func (s State) Answer(r *Reception, in Customer) (*Message, *State, *End) {
	menus := menusTo(r, s.Path)
	if len(menus) != len(s.Path)+1 { // the reception was changed meanwhile
		return nil, nil, endAtPeople(menus, ReasonChanged)
	}
	if s.isRepeated(in) {
		return nil, nil, endAtPeople(menus, ReasonRepeated)
	}
	s.Since = in.At.UnixMilli()
	path, found := choose(r, s.Path, in)
	switch {
	case !found && asksForPeople(in.Text):
		return nil, nil, endAtPeople(menus, ReasonAsked)
	case !found:
		return s.invalid(r, menus)
	}
	s.Invalid = 0
	menus = menusTo(r, path[:len(path)-1])
	option := &menus[len(menus)-1].Options[path[len(path)-1]]
	switch a := &option.Action; {
	case a.Sector != nil:
		return nil, nil, &End{Kind: EndSector, Sector: a.Sector, Reason: reasonChoice + titles(r, path)}
	case a.User != nil:
		return nil, nil, &End{Kind: EndUser, User: a.User, Reason: reasonChoice + titles(r, path)}
	case a.Menu != nil:
		s.Path = path
		return s.send(append(menus, a.Menu), show(r, a.Menu, path, a.Menu.Text))
	case a.Text != nil:
		s.Path = path[:len(path)-1]
		menu := menus[len(menus)-1]
		return s.send(menus, show(r, menu, s.Path, *a.Text, menu.Text))
	}
	return nil, nil, &End{Kind: EndClose, Reason: reasonChoice + titles(r, path)}
}

// invalid handles a reply that matches no option.
func (s State) invalid(r *Reception, menus []*Menu) (*Message, *State, *End) {
	menu := menus[len(menus)-1]
	if s.Invalid++; s.Invalid >= int(menu.MaxInvalid) {
		return nil, nil, endAtPeople(menus, ReasonInvalid)
	}
	var text *string
	for _, m := range menus {
		if m.InvalidText != nil {
			text = m.InvalidText
		}
	}
	if text == nil {
		return s.send(menus, show(r, menu, s.Path, menu.Text))
	}
	return s.send(menus, &Message{Text: *text}) // the customer still sees the options
}

// send returns a message unless the attendance has reached MaxSent.
func (s State) send(menus []*Menu, m *Message) (*Message, *State, *End) {
	if s.Sent >= MaxSent {
		return nil, nil, endAtPeople(menus, ReasonLimit)
	}
	s.Sent++
	return m, &s, nil
}

// People ends a menu without a choice.
func (s State) People(r *Reception, reason string) End {
	return *endAtPeople(menusTo(r, s.Path), reason)
}

// Timeout returns how long the menu waits for a reply.
func (s State) Timeout(r *Reception) time.Duration {
	menus := menusTo(r, s.Path)
	if len(menus) == 0 {
		return 0
	}
	return time.Duration(menus[len(menus)-1].TimeoutMinutes) * time.Minute
}

// endAtPeople returns an end in the fallback sector of the innermost menu that has one, or in the general queue.
func endAtPeople(menus []*Menu, reason string) *End {
	end := &End{Kind: EndPeople, Reason: reason}
	for _, m := range menus {
		if m.FallbackSector != nil {
			end.Sector = m.FallbackSector
		}
	}
	return end
}

// menusTo returns the menus along a path, beginning with the first menu. It stops where the path leads to no menu.
func menusTo(r *Reception, path []int) []*Menu {
	if r == nil || r.Menu == nil {
		return nil
	}
	menus := []*Menu{r.Menu}
	for _, i := range path {
		options := menus[len(menus)-1].Options
		if i >= len(options) || options[i].Action.Menu == nil {
			break
		}
		menus = append(menus, options[i].Action.Menu)
	}
	return menus
}

func titles(r *Reception, path []int) string {
	var out []string
	menu := r.Menu
	for _, i := range path {
		out = append(out, menu.Options[i].Title)
		menu = menu.Options[i].Action.Menu
	}
	return strings.Join(out, " > ")
}

// isRepeated records a text of the customer and reports whether it was the same too often within a minute.
func (s *State) isRepeated(in Customer) bool {
	text := fold.Text(strings.TrimSpace(in.Text))
	if text == "" {
		return false
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(text))
	current := recentText{h.Sum64(), in.At.UnixMilli()}
	isOld := func(o recentText) bool { return current.At-o.At >= sameWithin.Milliseconds() }
	s.Recent = append(slices.DeleteFunc(slices.Clone(s.Recent), isOld), current)
	same := 0
	for _, o := range s.Recent {
		if o.Hash == current.Hash {
			same++
		}
	}
	s.Recent = s.Recent[max(0, len(s.Recent)-maxRecent):]
	return same >= sameTexts
}

// maxRecent is the number of recent texts that are stored.
const maxRecent = 12

// asksForPeople reports whether a text asks for a person.
func asksForPeople(text string) bool {
	if strings.TrimSpace(fold.Text(text)) == "atendente" {
		return true
	}
	number, ok := lastNumber(text)
	return ok && number == 0
}

// choose returns the option that the customer chose, as a path from the first menu.
func choose(r *Reception, path []int, in Customer) ([]int, bool) {
	if in.Choice != nil {
		if chosen, found := byID(r, in.Choice); found {
			return chosen, true
		}
	}
	if asksForPeople(in.Text) {
		return nil, false
	}
	menus := menusTo(r, path)
	options := menus[len(menus)-1].Options
	below := func(i int) ([]int, bool) { return append(slices.Clone(path), i), true }
	number, numbered := lastNumber(in.Text)
	if numbered && !strings.Contains(strings.TrimSpace(in.Text), "\n") && number >= 1 && number <= len(options) {
		return below(number - 1)
	}
	text := strings.TrimSpace(fold.Text(in.Text))
	for i := range options {
		if text == strings.TrimSpace(fold.Text(options[i].Title)) {
			return below(i)
		}
	}
	if numbered && number >= 1 && number <= len(options) {
		return below(number - 1)
	}
	return nil, false
}

// lastNumber parses the last line of a text if it is only a number.
func lastNumber(text string) (int, bool) {
	text = strings.TrimSpace(text)
	line := text[strings.LastIndexByte(text, '\n')+1:]
	line = strings.NewReplacer("\uFE0F", "", "\u20E3", "").Replace(strings.TrimSpace(line)) // keycap emoji
	if line == "" || len(line) > 3 {
		return 0, false
	}
	return digits(line)
}

const choicePrefix = "menu:"

// choiceID returns the id of an option's button, which contains its path.
func choiceID(path []int, option int) string {
	id := choicePrefix
	for _, i := range path {
		id += strconv.Itoa(i+1) + "."
	}
	return id + strconv.Itoa(option+1)
}

// byID returns the option of a button. The title must be the same, because the menu may have changed since the button was sent.
func byID(r *Reception, c *provider.Choice) ([]int, bool) {
	text, ok := strings.CutPrefix(c.ID, choicePrefix)
	if !ok {
		return nil, false
	}
	var path []int
	menu := r.Menu
	var option *MenuOption
	for part := range strings.SplitSeq(text, ".") {
		i, err := strconv.Atoi(part)
		if err != nil || menu == nil || i < 1 || i > len(menu.Options) {
			return nil, false
		}
		path, option = append(path, i-1), &menu.Options[i-1]
		menu = option.Action.Menu
	}
	return path, option != nil && (c.Title == "" || fold.Text(c.Title) == fold.Text(option.Title))
}

// WhatsApp's limits for buttons.
const (
	maxButtons     = 3
	maxButtonTitle = 20
	maxBody        = 1024
	listButton     = "Menu"
)

// show returns a message with a menu below some texts: as buttons, as a list, or as numbered lines if the channel has neither or the
// text is too long for these.
func show(r *Reception, menu *Menu, path []int, texts ...string) *Message {
	body := strings.Join(texts, "\n\n")
	if r.Numbered || utf8.RuneCountInString(body) > maxBody {
		for i := range menu.Options {
			body += "\n" + strconv.Itoa(i+1) + ". " + menu.Options[i].Title
		}
		return &Message{Text: body}
	}
	offer := &provider.Interactive{Body: body}
	long := slices.ContainsFunc(menu.Options, func(o MenuOption) bool { return utf8.RuneCountInString(o.Title) > maxButtonTitle })
	if len(menu.Options) <= maxButtons && !long {
		for i := range menu.Options {
			offer.Buttons = append(offer.Buttons, provider.Choice{ID: choiceID(path, i), Title: menu.Options[i].Title})
		}
	} else {
		var rows []provider.InteractiveRow
		for i := range menu.Options {
			rows = append(rows, provider.InteractiveRow{ID: choiceID(path, i), Title: menu.Options[i].Title})
		}
		offer.List = &provider.InteractiveList{Button: listButton, Sections: []provider.InteractiveSection{{Rows: rows}}}
	}
	return &Message{Text: offer.Text(), Interactive: offer}
}
