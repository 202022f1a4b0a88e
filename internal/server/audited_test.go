package server

import (
	"encoding"
	"io/fs"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"recado/internal/boards"
	"recado/internal/channels"
	"recado/internal/costs"
	"recado/internal/fields"
	"recado/internal/kernel"
	"recado/internal/people"
	"recado/internal/privacy"
	"recado/internal/reasons"
	"recado/internal/reception"
	"recado/internal/sla"
	"recado/internal/survey"
	"recado/internal/talk"
	"recado/internal/webhooks"
)

// audited lists what audit entries compare field by field, for each noun.
var audited = map[string]any{
	"board":      boards.Board{},
	"budget":     costs.Budget{},
	"channel":    channels.Channel{},
	"company":    people.CompanySettings{},
	"field":      fields.Field{},
	"hours":      reception.Hours{},
	"invitation": people.Invitation{},
	"key":        people.Key{},
	"label":      talk.Label{},
	"member":     people.Member{},
	"opt_out":    talk.OptOutSettings{},
	"rates":      costs.MessageRates{},
	"reason":     reasons.ClosingReason{},
	"reception":  reception.Reception{},
	"reply":      talk.Reply{},
	"retention":  privacy.Retention{},
	"rules":      people.AttendanceRules{},
	"sector":     people.Sector{},
	"sla_policy": sla.SLAPolicy{},
	"stage": struct {
		boards.Stage
		Board string `json:"board"`
	}{},
	"survey":  survey.SurveySettings{},
	"view":    talk.View{},
	"webhook": webhooks.Webhook{},
}

// neverAudited lists the fields of these types that no entry has, because nobody sets them.
var neverAudited = []string{
	"accepted_at", "archived_at", "consecutive_failures", "created_at", "id", "last_used_at", "open_attendances", "owner", "presence", "queues",
	"reached", "revoked_at", "spent", "status_reason", "system", "updated_at", "uses", "warning",
}

// literalField matches the field of an entry that does not compare two values.
var literalField = regexp.MustCompile(`\{Field: "(\w+)", (?:From|To):`)

// freeCodes lists codes that fields can have, where no type does.
var freeCodes = map[string][]string{
	"assignee":    {"me", "none"},
	"country":     {"*"},
	"credentials": {"replaced"},
	"kind":        {"contacts", "chat", "chatwoot"},
	"with":        {"reset_link"},
	"wrong":       {"password", "code"},
}

// auditedFields returns the names of the fields in audit entries, with their values if they are codes.
func auditedFields(t *testing.T) map[string][]string {
	t.Helper()
	found := maps.Clone(freeCodes)
	for _, action := range kernel.AuditActions() {
		noun, verb, _ := strings.Cut(action, ".")
		if audited[noun] == nil && verb == "updated" {
			t.Errorf("this test does not know the type of %s: add it to audited", noun)
		}
	}
	seen := map[reflect.Type]bool{}
	for _, v := range audited {
		collectFields(found, seen, reflect.TypeOf(v))
	}
	err := fs.WalkDir(os.DirFS(".."), ".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := fs.ReadFile(os.DirFS(".."), path)
		for _, match := range literalField.FindAllStringSubmatch(string(source), -1) {
			if _, known := found[match[1]]; !known {
				found[match[1]] = nil
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// collectFields adds the JSON names of the fields of a type and of the types in it. In lists, the app shows things that have a name
// or a title as that.
func collectFields(found map[string][]string, seen map[reflect.Type]bool, of reflect.Type) {
	inList := false
	for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
		inList = inList || of.Kind() == reflect.Slice
		of = of.Elem()
	}
	if of.Kind() != reflect.Struct || of.Implements(reflect.TypeFor[encoding.TextMarshaler]()) || inList && isNamed(of) || seen[of] {
		return
	}
	seen[of] = true
	for _, field := range reflect.VisibleFields(of) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "" || name == "-" || slices.Contains(neverAudited, name) {
			continue
		}
		found[name] = append(found[name], codesOf(field.Tag)...)
		collectFields(found, seen, field.Type)
	}
}

// codesOf returns the values that a field can have, if they are codes.
func codesOf(tag reflect.StructTag) []string {
	return strings.FieldsFunc(tag.Get("enum"), func(r rune) bool { return r == ',' })
}

func isNamed(of reflect.Type) bool {
	_, name := of.FieldByName("Name")
	_, title := of.FieldByName("Title")
	return name || title
}
