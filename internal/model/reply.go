package model

import (
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
)

// Reply is a canned reply: a text to be sent again and again, with variables.
type Reply struct {
	ID        ID        `json:"id"`
	Shortcut  string    `json:"shortcut" example:"hello"`
	Title     string    `json:"title"`
	Text      string    `json:"text"`
	MediaID   *ID       `json:"media_id"`
	SectorIDs []ID      `json:"sector_ids" doc:"The sectors it is meant for; empty: all."`
	Owner     *Ref      `json:"owner" doc:"The person whose reply it is; null: the team's."`
	Uses      int64     `json:"uses" doc:"How many times it was rendered and then sent."`
	UpdatedAt time.Time `json:"updated_at"`
}

// Rendered is a canned reply with the values of a conversation in place of its variables.
type Rendered struct {
	Text    string `json:"text" doc:"A variable without a value and without a fallback stays as it is written."`
	MediaID *ID    `json:"media_id"`

	Conversation ID `json:"-"`
}

// MaxTeamReplies is how many canned replies a team may have, MaxOwnReplies how many each person.
const (
	MaxTeamReplies = 500
	MaxOwnReplies  = 100
)

// RenderingRetention is how long a rendering that was not sent is remembered.
const RenderingRetention = 7 * 24 * time.Hour

// Shortcut checks the shortcut of a canned reply.
func Shortcut(field, s string) *Error {
	if shortcutForm.MatchString(s) {
		return nil
	}
	return Invalid(field, "must have 1 to 32 characters out of a-z, 0-9, _ and -.")
}

var shortcutForm = regexp.MustCompile(`^[a-z0-9_-]{1,32}$`)

// The variables of canned replies.
const (
	VarContactName  = "contact.name"
	VarContactFirst = "contact.first_name"
	VarUserName     = "user.name"
	VarProtocol     = "protocol"
	VarSector       = "sector"
	VarCompany      = "company"
)

var replyVariables = []string{VarContactName, VarContactFirst, VarUserName, VarProtocol, VarSector, VarCompany}

// variable is {{name}} or {{name|fallback}}.
var variable = regexp.MustCompile(`\{\{([^{}|]*)(?:\|([^{}]*))?\}\}`)

// CheckVariables refuses a text with an unknown variable.
func CheckVariables(field, text string) *Error {
	for _, m := range variable.FindAllStringSubmatch(text, -1) {
		if !slices.Contains(replyVariables, strings.TrimSpace(m[1])) {
			return Invalid(field, "there is no variable "+quoted(m[0])+"; the variables are {{"+strings.Join(replyVariables, "}}, {{")+"}}.")
		}
	}
	return nil
}

// RenderVariables puts values in place of variables. One without a value gets its fallback, or stays as it is written.
func RenderVariables(text string, values map[string]string) string {
	return variable.ReplaceAllStringFunc(text, func(found string) string {
		m := variable.FindStringSubmatch(found)
		if value := values[strings.TrimSpace(m[1])]; value != "" {
			return value
		}
		if strings.Contains(found, "|") {
			return m[2]
		}
		return found
	})
}

// ContainsRendering reports whether a text that was sent contains a rendered one, whatever was written into the variables
// that had no value.
func ContainsRendering(sent, rendered string) bool {
	some := false
	for _, part := range variable.Split(rendered, -1) {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		_, after, found := strings.Cut(sent, part)
		if !found {
			return false
		}
		sent, some = after, true
	}
	return some
}

// FirstName is the first word of a person's name, and "" where the name has no letter, such as a phone number.
func FirstName(name string) string {
	if !strings.ContainsFunc(name, unicode.IsLetter) {
		return ""
	}
	return strings.Fields(name)[0]
}
