package imports

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"recado/internal/fields"
	"recado/internal/fold"
	"recado/internal/kernel"
	"recado/internal/phone"
)

// row is a line of a table of contacts, checked.
type row struct {
	name, phone, business, city string // "" if empty
	labels                      []string
	optedOut                    *bool
	fields                      fields.Values
}

// Rules for the lines of an import.
var (
	ruleUnclosedQuote = kernel.NewRule("unclosed_quote")
	ruleNotATable     = kernel.NewRule("not_a_table")
	ruleNoPhoneColumn = kernel.NewRule("no_phone_column")
	ruleErased        = kernel.NewRule("erased")       // the person was erased
	ruleLabelLimit    = kernel.NewRule("label_limit")  // max: labels of the company
	ruleInsideFile    = kernel.NewRule("same_as_line") // line: with the same number
)

// maxLabels is the number of labels of a contact.
const maxLabels = 100

// readRow checks a record. An error names the field and has no value in it; the row then still has the phone, if there is a valid one.
func readRow(cells []string, columns []Column, custom []fields.Field) (row, *kernel.Error) {
	var out row
	var badPhone bool
	for _, c := range columns {
		if c.Field != nil && *c.Field == fieldPhone && c.Index < len(cells) && cells[c.Index] != "" && out.phone == "" {
			var ok bool
			out.phone, ok = readPhone(cells[c.Index])
			badPhone = badPhone || !ok
		}
	}
	for _, c := range columns {
		if c.Field == nil || c.Index >= len(cells) || cells[c.Index] == "" {
			continue
		}
		cell, field := cells[c.Index], *c.Field
		var invalid *kernel.Error
		switch field {
		case fieldName:
			out.name = oneLine(out.name + " " + cell)
		case fieldPhone: // read above
		case fieldBusiness:
			out.business, invalid = kernel.Name(field, oneLine(cell), kernel.MaxName)
		case fieldCity:
			out.city, invalid = kernel.Name(field, oneLine(cell), kernel.MaxName)
		case fieldLabels:
			out.labels = append(out.labels, splitLabels(cell)...)
		case fieldOptedOut:
			out.optedOut, invalid = readBool(field, cell)
		default:
			invalid = out.readField(field, cell, custom)
		}
		if invalid != nil {
			return out, invalid
		}
	}
	switch {
	case out.phone == "" && badPhone:
		return out, kernel.Malformed(fieldPhone, "phone")
	case out.phone == "":
		return out, kernel.Required(fieldPhone)
	}
	if out.name != "" {
		var invalid *kernel.Error
		if out.name, invalid = kernel.Name(fieldName, out.name, kernel.MaxName); invalid != nil {
			return out, invalid
		}
	}
	for _, label := range out.labels {
		if _, invalid := kernel.Name(fieldLabels, label, kernel.MaxName); invalid != nil {
			return out, invalid
		}
	}
	if len(out.labels) > maxLabels {
		return out, kernel.TooMany(fieldLabels, maxLabels)
	}
	return out, nil
}

func oneLine(cell string) string { return strings.Join(strings.Fields(cell), " ") }

// readPhone returns the first valid number in a cell.
func readPhone(cell string) (string, bool) {
	cell = strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Cf, r):
			return -1
		case unicode.IsSpace(r):
			return ' '
		}
		return r
	}, cell)
	for _, part := range append([]string{cell}, strings.FieldsFunc(cell, func(r rune) bool { return strings.ContainsRune("/;,|:", r) })...) {
		part = strings.TrimLeft(strings.TrimSpace(part), "'")
		for _, prefix := range []string{"tel:", "whatsapp:", "p:"} { // links, Twilio, lead forms
			part = strings.TrimPrefix(part, prefix)
		}
		if number, ok := phone.Normalize(part); ok {
			return number, true
		}
	}
	return "", false
}

// splitLabels returns the names of labels in a cell. Groups of Google Contacts that every contact has are left out.
func splitLabels(cell string) (labels []string) {
	parts := strings.FieldsFunc(strings.ReplaceAll(cell, ":::", ","), func(r rune) bool { return strings.ContainsRune(",;|\n", r) })
	for _, part := range parts {
		part = oneLine(part)
		if part != "" && !strings.HasPrefix(part, "* ") && !slices.ContainsFunc(labels, func(l string) bool { return fold.Text(l) == fold.Text(part) }) {
			labels = append(labels, part)
		}
	}
	return labels
}

var (
	yes = []string{"true", "1", "x", "sim", "s", "yes", "y", "si", "verdadeiro", "verdadero"}
	no  = []string{"false", "0", "nao", "n", "no", "falso"}
)

func readBool(field, cell string) (*bool, *kernel.Error) {
	folded := fold.Text(cell)
	switch {
	case slices.Contains(yes, folded):
		return new(true), nil
	case slices.Contains(no, folded):
		return new(false), nil
	}
	return nil, kernel.Malformed(field, "bool")
}

// readField sets a custom field.
func (r *row) readField(name, cell string, custom []fields.Field) *kernel.Error {
	key := strings.TrimPrefix(name, fieldPrefix)
	i := slices.IndexFunc(custom, func(f fields.Field) bool { return f.Key == key })
	if i < 0 { // deleted since the import began
		return nil
	}
	f := &custom[i]
	switch f.Type {
	case fields.TypeBool:
		value, invalid := readBool(name, cell)
		if invalid != nil {
			return invalid
		}
		cell = strconv.FormatBool(*value)
	case fields.TypeNumber:
		cell = normalNumber(cell)
	case fields.TypeDate:
		cell = normalDate(cell)
	case fields.TypeCPF:
		cell = withZeros(cell, 11)
	case fields.TypeCNPJ:
		cell = withZeros(cell, 14)
	case fields.TypeChoice:
		same := slices.IndexFunc(f.Options, func(option string) bool { return fold.Text(option) == fold.Text(cell) })
		if same < 0 {
			return kernel.OneOf(name, f.Options...)
		}
		cell = f.Options[same]
	}
	value, invalid := f.Parse(name, cell)
	if invalid != nil {
		return invalid
	}
	if r.fields == nil {
		r.fields = fields.Values{}
	}
	r.fields[key] = value
	return nil
}

// normalNumber returns a number such as 1.234,56 in the form 1234.56. If it has only one separator, once, that is the decimal one.
func normalNumber(cell string) string {
	cell = strings.ReplaceAll(cell, " ", "")
	dot, comma := strings.LastIndexByte(cell, '.'), strings.LastIndexByte(cell, ',')
	switch {
	case comma > dot && strings.Count(cell, ",") == 1:
		return strings.Replace(strings.ReplaceAll(cell, ".", ""), ",", ".", 1)
	case dot > comma && strings.Count(cell, ".") == 1:
		return strings.ReplaceAll(cell, ",", "")
	case dot > 0 && comma < 0:
		return strings.ReplaceAll(cell, ".", "")
	}
	return cell
}

// normalDate returns a date with the day first, or with a time, in the form 2026-12-31.
func normalDate(cell string) string {
	cell, _, _ = strings.Cut(cell, " ")
	cell, _, _ = strings.Cut(cell, "T")
	parts := strings.FieldsFunc(cell, func(r rune) bool { return r == '/' || r == '.' || r == '-' })
	if len(parts) != 3 || len(parts[2]) != 4 || len(parts[0]) > 2 || len(parts[1]) > 2 {
		return cell
	}
	return parts[2] + "-" + withZeros(parts[1], 2) + "-" + withZeros(parts[0], 2)
}

// withZeros adds the zeros that spreadsheets remove from the beginning of a number.
func withZeros(cell string, digits int) string {
	if strings.Trim(cell, "0123456789") != "" || len(cell) >= digits {
		return cell
	}
	return strings.Repeat("0", digits-len(cell)) + cell
}
