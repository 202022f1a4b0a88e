package whatsapp

import "strings"

// vCard has the fields of a vCard that are shown.
type vCard struct {
	name   string
	phones []cardPhone
	emails []string
	org    string
}

// readVCard parses a vCard of any version. It returns the zero value for other text.
func readVCard(source string) (card vCard) {
	source = strings.NewReplacer("\r\n ", "", "\r\n\t", "", "\n ", "", "\n\t", "").Replace(source) // long lines are folded
	for line := range strings.Lines(source) {
		head, value, ok := strings.Cut(strings.TrimSpace(line), ":")
		if !ok {
			continue
		}
		parts := strings.Split(head, ";")
		name := parts[0][strings.LastIndexByte(parts[0], '.')+1:] // item1.TEL
		switch strings.ToUpper(name) {
		case "FN":
			card.name = unescapeVCard(value)
		case "N":
			if card.name == "" {
				family, rest, _ := strings.Cut(value, ";")
				given, _, _ := strings.Cut(rest, ";")
				card.name = unescapeVCard(joined(" ", given, family))
			}
		case "TEL":
			p := cardPhone{Phone: text(unescapeVCard(strings.TrimPrefix(value, "tel:")))}
			for _, parameter := range parts[1:] {
				if key, id, found := strings.Cut(parameter, "="); found && strings.EqualFold(key, "waid") {
					p.WAID = text(id)
				}
			}
			card.phones = append(card.phones, p)
		case "EMAIL":
			card.emails = append(card.emails, unescapeVCard(value))
		case "ORG":
			card.org = unescapeVCard(strings.Trim(strings.ReplaceAll(value, ";", ", "), ", "))
		}
	}
	return card
}

func unescapeVCard(s string) string {
	return strings.TrimSpace(strings.NewReplacer(`\n`, " ", `\,`, ",", `\;`, ";", `\\`, `\`).Replace(s))
}
