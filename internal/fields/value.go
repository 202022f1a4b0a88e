package fields

import (
	"hash/fnv"
	"maps"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"recado/internal/kernel"
)

// Values are the values of the custom fields of a contact, an attendance or a card, by the key of the field: strings, numbers as
// float64, and booleans.
type Values map[string]any

// Schema returns the schema of an object with strings, numbers and booleans.
func (Values) Schema(huma.Registry) *huma.Schema {
	value := &huma.Schema{AnyOf: []*huma.Schema{{Type: huma.TypeString}, {Type: huma.TypeNumber}, {Type: huma.TypeBoolean}}}
	return &huma.Schema{
		Type: huma.TypeObject, AdditionalProperties: value,
		Description: "The values of the company's custom fields by key. Dates are YYYY-MM-DD; CPF and CNPJ have no punctuation.",
	}
}

// With returns the values and those of other for which there is none.
func (v Values) With(other Values) Values {
	out := maps.Clone(other)
	if out == nil {
		return v
	}
	maps.Copy(out, v)
	return out
}

// Input contains the values to change, by key. A null clears the value.
type Input map[string]jsontext.Value

// Schema returns the schema of any object: Write checks the values, because their types depend on the fields.
func (Input) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Type: huma.TypeObject, AdditionalProperties: true,
		Description: "The values of custom fields to change, by key; see GET /fields. null clears a value, and other values stay. A text " +
			"has at most 1000 characters, a date is YYYY-MM-DD, a link begins with http:// or https://, and CPF and CNPJ may have punctuation.",
	}
}

// Write checks the input and stores the changed values of a noun, whose row must be locked. It returns all its values. An error
// names every invalid field, as in fields.birthday.
func Write(tx *kernel.Tx, company kernel.ID, entity string, noun kernel.ID, current Values, in Input) (Values, error) {
	if len(in) == 0 {
		return current, nil
	}
	all, err := Lock(tx, company, entity)
	if err != nil {
		return nil, err
	}
	values, wrong := maps.Clone(current), &kernel.Error{Code: kernel.CodeInvalidRequest}
	if values == nil {
		values = Values{}
	}
	for _, key := range slices.Sorted(maps.Keys(in)) {
		if len(wrong.Fields) == maxErrors {
			break
		}
		f := byKey(all, key)
		if f == nil {
			wrong.Fields = append(wrong.Fields, errUnknown("fields."+shortKey(key)).Fields...)
			continue
		}
		if in[key].Kind() == 'n' {
			if _, had := values[key]; had {
				delete(values, key)
				deleteValue(tx, company, noun, f.ID)
			}
			continue
		}
		value, invalid := f.read("fields."+key, in[key], values[key])
		switch {
		case invalid != nil:
			wrong.Fields = append(wrong.Fields, invalid.Fields...)
		case value != values[key]:
			values[key] = value
			storeValue(tx, company, noun, f.ID, canonical(value))
		}
	}
	if len(wrong.Fields) == 0 {
		return values, nil
	}
	names := make([]string, len(wrong.Fields))
	for i, f := range wrong.Fields {
		names[i] = f.Field + ": " + f.Message
	}
	wrong.Message = strings.Join(names, "; ")
	return nil, wrong
}

// Store stores values that Parse returned, of a noun whose row is locked, and returns all its values. The fields must be locked;
// see Lock. Values of other fields are ignored.
func Store(tx *kernel.Tx, all []Field, noun kernel.ID, current, changed Values) Values {
	values := maps.Clone(current)
	for _, key := range slices.Sorted(maps.Keys(changed)) {
		f := byKey(all, key)
		if f == nil || changed[key] == values[key] {
			continue
		}
		if values == nil {
			values = Values{}
		}
		values[key] = changed[key]
		storeValue(tx, f.Company, noun, f.ID, canonical(changed[key]))
	}
	return values
}

// maxErrors is the number of invalid fields that an error names.
const maxErrors = 20

// maxShownKey is the number of characters of an unknown key in an error.
const maxShownKey = 64

func shortKey(key string) string {
	if utf8.RuneCountInString(key) <= maxShownKey {
		return key
	}
	return string([]rune(key)[:maxShownKey]) + "…"
}

func errUnknown(field string) *kernel.Error {
	return kernel.Invalid(field, kernel.RuleUnknown, "there is no such field")
}

func byKey(all []Field, key string) *Field {
	for i := range all {
		if all[i].Key == key {
			return &all[i]
		}
	}
	return nil
}

// read returns a value of the field from JSON. current is the value that is stored, which stays valid although the options of a
// choice may have changed.
func (f *Field) read(name string, raw jsontext.Value, current any) (any, *kernel.Error) {
	var value any
	if err := json.Unmarshal(raw, &value); err != nil {
		return nil, kernel.Malformed(name, "value")
	}
	switch f.Type {
	case TypeNumber:
		n, ok := value.(float64)
		if !ok {
			return nil, kernel.Malformed(name, "number")
		}
		return finite(name, n)
	case TypeBool:
		b, ok := value.(bool)
		if !ok {
			return nil, kernel.Malformed(name, "bool")
		}
		return b, nil
	}
	text, ok := value.(string)
	if !ok {
		return nil, kernel.Malformed(name, formatOf(f.Type))
	}
	if f.Type == TypeChoice && text != current && !slices.Contains(f.Options, text) {
		return nil, kernel.OneOf(name, f.Options...)
	}
	return f.readText(name, text)
}

// Parse returns a value of the field from text, such as a query parameter. A choice may be one that is no longer among the
// options. name is the name of the field in an error.
func (f *Field) Parse(name, text string) (any, *kernel.Error) {
	switch f.Type {
	case TypeNumber:
		n, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil, kernel.Malformed(name, "number")
		}
		return finite(name, n)
	case TypeBool:
		if text != "true" && text != "false" {
			return nil, kernel.Malformed(name, "bool")
		}
		return text == "true", nil
	}
	return f.readText(name, text)
}

func finite(name string, n float64) (any, *kernel.Error) {
	if math.IsInf(n, 0) || math.IsNaN(n) {
		return nil, kernel.Malformed(name, "number")
	}
	return n + 0, nil // not -0
}

// readText checks and normalizes a value that is a string.
func (f *Field) readText(name, text string) (any, *kernel.Error) {
	limit := MaxText
	if f.Type == TypeLink {
		limit = MaxLink
	}
	if _, invalid := kernel.Text(name, text, limit); invalid != nil {
		return nil, invalid
	}
	ok := true
	switch f.Type {
	case TypeDate:
		var date kernel.Date
		date, ok = kernel.ParseDate(text)
		text = date.String()
	case TypeLink:
		ok = isLink(text)
	case TypeCPF:
		text, ok = normalCPF(text)
	case TypeCNPJ:
		text, ok = normalCNPJ(text)
	}
	if !ok {
		return nil, kernel.Malformed(name, formatOf(f.Type))
	}
	return text, nil
}

// formatOf returns the format of the values of a type that are strings.
func formatOf(kind string) string {
	switch kind {
	case TypeDate, TypeCPF, TypeCNPJ:
		return kind
	case TypeLink:
		return "link"
	}
	return "string"
}

// canonical returns a value as it is stored.
func canonical(value any) string { return *kernel.WriteJSON(&value) }

func hash(value string) int64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(value))
	return int64(h.Sum64())
}

func isLink(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" &&
		!strings.ContainsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) })
}

// compact removes the punctuation of a document number.
func compact(text string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(".-/ ", r) {
			return -1
		}
		return r
	}, text)
}

// normalCPF returns a CPF as 11 digits. It reports whether the check digits are right.
func normalCPF(text string) (string, bool) {
	text = compact(text)
	if len(text) != 11 || strings.Trim(text, "0123456789") != "" || strings.Count(text, text[:1]) == 11 {
		return "", false
	}
	return text, checkDigit(text[:9], 11) == text[9] && checkDigit(text[:10], 11) == text[10]
}

// normalCNPJ returns a CNPJ as 12 letters or digits and two digits. It reports whether the check digits are right.
func normalCNPJ(text string) (string, bool) {
	text = strings.ToUpper(compact(text))
	const digits, letters = "0123456789", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	if len(text) != 14 || strings.Trim(text, digits+letters) != "" || strings.Trim(text[12:], digits) != "" || strings.Count(text, text[:1]) == 14 {
		return "", false
	}
	return text, checkDigit(text[:12], 9) == text[12] && checkDigit(text[:13], 9) == text[13]
}

// checkDigit returns the check digit of a text: the weights begin with 2 on the right and start again after highest. The value of
// a character is its ASCII code minus 48, for letters too.
func checkDigit(text string, highest int) byte {
	sum, weight := 0, 2
	for i := len(text) - 1; i >= 0; i-- {
		sum += int(text[i]-'0') * weight
		if weight++; weight > highest {
			weight = 2
		}
	}
	if rest := sum % 11; rest >= 2 {
		return byte('0' + 11 - rest)
	}
	return '0'
}

// Format returns a value of the field for people: dates as 31/12/2026, CPF and CNPJ with punctuation.
func (f *Field) Format(value any) string {
	switch v := value.(type) {
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case bool:
		if v {
			return "Sim"
		}
		return "Não"
	case string:
		switch {
		case f.Type == TypeDate && len(v) == 10:
			return v[8:] + "/" + v[5:7] + "/" + v[:4]
		case f.Type == TypeCPF && len(v) == 11:
			return v[:3] + "." + v[3:6] + "." + v[6:9] + "-" + v[9:]
		case f.Type == TypeCNPJ && len(v) == 14:
			return v[:2] + "." + v[2:5] + "." + v[5:8] + "/" + v[8:12] + "-" + v[12:]
		}
		return v
	}
	return ""
}

// Texts returns the text of the values for searches: each as it is stored and, if that differs, as people write it. The order is
// that of the keys.
func (v Values) Texts(all []Field) (lines []string) {
	for _, key := range slices.Sorted(maps.Keys(v)) {
		f := byKey(all, key)
		if f == nil || f.Type == TypeBool {
			continue
		}
		formatted := f.Format(v[key])
		if text, ok := v[key].(string); ok && text != formatted {
			lines = append(lines, text)
		}
		lines = append(lines, formatted)
	}
	return lines
}

// CheckRequired returns an error that names the fields that a person must fill in before closing a case. Contact is nil for a case
// without a contact.
func CheckRequired(tx *kernel.Tx, company kernel.ID, attendance Values, contact func() (Values, error)) error {
	all, err := List(tx, company, "")
	if err != nil {
		return err
	}
	of := map[string]Values{EntityAttendance: attendance}
	missing := &kernel.Error{Code: kernel.CodeFieldRequired}
	var names []string
	for _, f := range all {
		if !f.RequiredOnClose || f.Entity == EntityCard || f.Entity == EntityContact && contact == nil {
			continue
		}
		if _, read := of[f.Entity]; !read {
			if of[f.Entity], err = contact(); err != nil {
				return err
			}
		}
		if _, has := of[f.Entity][f.Key]; !has {
			names = append(names, "fields."+f.Key)
			missing.Fields = append(missing.Fields, kernel.RuleRequired.At("fields."+f.Key, "is required to close the case",
				kernel.Params{"entity": f.Entity, "key": f.Key, "name": f.Name}))
		}
	}
	if missing.Fields == nil {
		return nil
	}
	missing.Message = "These fields are required to close the case: " + strings.Join(names, ", ") + "."
	return missing
}
