package reception

import (
	"cmp"
	"fmt"
	"time"

	"recado/internal/channels/provider"
	"recado/internal/fold"
	"recado/internal/kernel"
	"recado/internal/talk"
)

// Check validates a reception and sets its defaults. field is its name in the request, such as "body".
func Check(field string, r *Reception) *kernel.Error {
	for name, text := range map[string]**string{".greeting": &r.Greeting, ".away": &r.Away} {
		if invalid := checkText(field+name, text); invalid != nil {
			return invalid
		}
	}
	if r.Menu == nil {
		return nil
	}
	above := &Menu{MaxInvalid: DefaultMaxInvalid, TimeoutMinutes: DefaultMenuTimeout}
	return checkMenu(field+".menu", r.Menu, above, 1)
}

// checkText validates a text and replaces an empty one by nil.
func checkText(field string, text **string) *kernel.Error {
	if *text == nil {
		return nil
	}
	if **text == "" {
		*text = nil
		return nil
	}
	_, invalid := kernel.Text(field, **text, MaxReceptionText)
	return invalid
}

func checkMenu(field string, m, above *Menu, depth int) *kernel.Error {
	if depth > MaxMenuDepth {
		return kernel.Invalid(field, kernel.RuleTooDeep, fmt.Sprintf("menus are at most %d deep", MaxMenuDepth),
			kernel.Params{"max": MaxMenuDepth})
	}
	if _, invalid := kernel.Text(field+".text", m.Text, MaxReceptionText); invalid != nil {
		return invalid
	}
	if invalid := checkText(field+".invalid_text", &m.InvalidText); invalid != nil {
		return invalid
	}
	m.MaxInvalid = cmp.Or(m.MaxInvalid, above.MaxInvalid)
	m.TimeoutMinutes = cmp.Or(m.TimeoutMinutes, above.TimeoutMinutes)
	if m.MaxInvalid < 1 || m.MaxInvalid > 5 {
		return kernel.Between(field+".max_invalid", 1, 5)
	}
	if m.TimeoutMinutes < 1 || m.TimeoutMinutes > 24*60 {
		return kernel.Between(field+".timeout_minutes", 1, 1440)
	}
	if len(m.Options) < 2 || len(m.Options) > 10 {
		return kernel.Count(field+".options", 2, 10)
	}
	seen := map[string]bool{}
	for i := range m.Options {
		o := &m.Options[i]
		at := fmt.Sprintf("%s.options[%d]", field, i)
		title, invalid := kernel.Name(at+".title", o.Title, 24)
		if invalid != nil {
			return invalid
		}
		o.Title = title
		folded := fold.Text(title)
		if seen[folded] {
			return kernel.Duplicate(at+".title", "another option has this title")
		}
		seen[folded] = true
		if invalid := checkAction(at+".action", &o.Action, m, depth); invalid != nil {
			return invalid
		}
	}
	return nil
}

func checkAction(field string, a *MenuAction, above *Menu, depth int) *kernel.Error {
	given := 0
	for _, isSet := range []bool{a.Sector != nil, a.User != nil, a.Text != nil, a.Close != nil, a.Menu != nil} {
		if isSet {
			given++
		}
	}
	switch {
	case given != 1:
		return kernel.ExactlyOne(field, "sector", "user", "text", "close", "menu")
	case a.Close != nil && !*a.Close:
		return kernel.Invalid(field+".close", kernel.RuleMustBeTrue, "must be true")
	case a.Text != nil:
		_, invalid := kernel.Text(field+".text", *a.Text, MaxReceptionText)
		return invalid
	case a.Menu != nil:
		return checkMenu(field+".menu", a.Menu, above, depth+1)
	}
	return nil
}

// Named is a sector or a member that a reception refers to in a field.
type Named struct {
	Field  string
	Sector *kernel.ID
	User   *kernel.ID
}

// Names returns the sectors and members that a reception refers to.
func Names(field string, r *Reception) []Named {
	if r.Menu == nil {
		return nil
	}
	return names(field+".menu", r.Menu)
}

func names(field string, m *Menu) (out []Named) {
	if m.FallbackSector != nil {
		out = append(out, Named{Field: field + ".fallback_sector", Sector: m.FallbackSector})
	}
	for i := range m.Options {
		a := &m.Options[i].Action
		at := fmt.Sprintf("%s.options[%d].action", field, i)
		switch {
		case a.Sector != nil:
			out = append(out, Named{Field: at + ".sector", Sector: a.Sector})
		case a.User != nil:
			out = append(out, Named{Field: at + ".user", User: a.User})
		case a.Menu != nil:
			out = append(out, names(at+".menu", a.Menu)...)
		}
	}
	return out
}

// Try returns the replies of a validated reception to a customer who writes texts one second apart. A text that is the id of a
// shown button or row presses it.
func Try(r *Reception, open bool, texts []string) []ReceptionReply {
	out := make([]ReceptionReply, 0, len(texts))
	var state *State
	at := time.Unix(0, 0)
	shown := map[string]string{} // titles by the ids of buttons and rows
	for i, text := range texts {
		at = at.Add(time.Second)
		in := Customer{Text: text, At: at}
		if title, ok := shown[text]; ok {
			in.Text, in.Choice = title, &provider.Choice{ID: text, Title: title}
		}
		reply := ReceptionReply{Customer: in.Text}
		var m *Message
		var end *End
		switch {
		case i == 0:
			if m, state, end = Begin(r, open, in); state == nil && end == nil {
				reply.Outcome = &ReceptionOutcome{Kind: "none"}
			}
		case state != nil:
			m, state, end = state.Answer(r, in)
		}
		if m != nil {
			reply.Text, reply.Interactive = &m.Text, m.Interactive
			addTitles(shown, m.Interactive)
		}
		if end != nil {
			reply.Outcome = &ReceptionOutcome{Kind: end.Kind, Sector: end.Sector, User: end.User, Reason: end.Reason, Cause: talk.CauseOf(nil, &end.Reason)}
		}
		out = append(out, reply)
	}
	return out
}

// addTitles adds the titles of buttons and rows by their ids.
func addTitles(shown map[string]string, offer *provider.Interactive) {
	if offer == nil {
		return
	}
	for _, b := range offer.Buttons {
		shown[b.ID] = b.Title
	}
	if offer.List == nil {
		return
	}
	for _, section := range offer.List.Sections {
		for _, row := range section.Rows {
			shown[row.ID] = row.Title
		}
	}
}
