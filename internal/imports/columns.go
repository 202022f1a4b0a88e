package imports

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"recado/internal/fields"
	"recado/internal/fold"
	"recado/internal/kernel"
)

// The fields of a contact that a column can have. Custom fields have fieldPrefix and their key.
const (
	fieldName     = "name"
	fieldPhone    = "phone"
	fieldBusiness = "company"
	fieldCity     = "city"
	fieldLabels   = "labels"
	fieldOptedOut = "opted_out"

	fieldPrefix = "fields."
)

var ownFields = []string{fieldName, fieldPhone, fieldBusiness, fieldCity, fieldLabels, fieldOptedOut}

// Column is a column of an imported table.
type Column struct {
	Index   int      `json:"index" doc:"The number of the column, from 0."`
	Header  string   `json:"header"`
	Field   *string  `json:"field" doc:"Where the column is stored: name, phone, company, city, labels, opted_out, or fields.KEY for a custom field. null: nowhere."`
	Samples []string `json:"samples,omitzero" doc:"The first different values of the column. Only in a dry run."`
}

const maxSamples = 3

// sample adds a value to the samples of a column.
func (c *Column) sample(cell string) {
	if cell = short(cell); cell != "" && len(c.Samples) < maxSamples && !slices.Contains(c.Samples, cell) {
		c.Samples = append(c.Samples, cell)
	}
}

// headers maps the usual headers to fields, in Portuguese, English and Spanish. They are folded and have only letters, digits and
// single spaces. Of several columns with a phone, the first valid number of a line counts. For columns with a name, see nameColumns.
var headers = map[string][]string{
	fieldName: slices.Concat(wholeNames, anyNames, givenNames, otherNames),
	fieldPhone: {
		"telefone", "telefones", "celular", "fone", "numero", "numero de telefone", "numero do telefone", "numero de celular", "numero do whatsapp", "telefone celular", "telefone 1", "telefone 2", "telefone principal", "tel", "whatsapp", "whats", "zap",
		"phone", "phone number", "mobile", "mobile phone", "mobile number", "cell", "cell phone", "telephone", "number", "whatsapp number", "phone 1", "phone 2", "primary phone", "home phone", "business phone",
		"phone 1 value", "phone 2 value", "phone 3 value", "phone 4 value", "wa id",
		"telefono", "telefonos", "movil", "telefono movil", "telefono celular", "numero de telefono", "numero de movil", "numero de whatsapp",
	},
	fieldBusiness: {
		"empresa", "nome da empresa", "razao social", "organizacao", "companhia",
		"company", "company name", "organization", "organisation", "organization name", "organization 1 name", "business", "business name",
		"nombre de la empresa", "nombre de empresa", "compania", "organizacion",
	},
	fieldCity: {
		"cidade", "municipio", "city", "town", "home city", "business city", "address 1 city", "ciudad", "localidad", "poblacion",
	},
	fieldLabels: {
		"etiqueta", "etiquetas", "marcador", "marcadores", "tag", "tags", "grupo", "grupos",
		"label", "labels", "label ids", "group", "groups", "group membership", "category", "categories",
	},
	fieldOptedOut: {"opted out", "opt out", "optout", "descadastrado", "nao quer mensagens", "baja", "unsubscribed"},
}

// The headers of columns with a name. A column of anyNames has the whole name or the given name, depending on the others.
var (
	wholeNames = []string{
		"nome completo", "nome do contato", "nome do cliente", "contato", "cliente",
		"full name", "display name", "contact", "contact name", "customer", "customer name",
		"nombre completo", "nombre del contacto", "nombre y apellido", "nombre y apellidos", "contacto",
	}
	anyNames   = []string{"nome", "name", "nombre"}
	givenNames = []string{"primeiro nome", "first name", "given name", "primer nombre"}
	otherNames = []string{
		"nome do meio", "sobrenome", "segundo nome", "ultimo nome",
		"middle name", "additional name", "last name", "family name", "surname",
		"segundo nombre", "apellido", "apellidos",
	}
)

// normalHeader returns a header without case, accents and punctuation.
func normalHeader(header string) string {
	words := strings.FieldsFunc(fold.Text(header), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return strings.Join(words, " ")
}

// columnsOf returns the columns of a table. The mapping takes precedence; other columns are recognised by their header.
func columnsOf(header []string, mapping map[string]*string, custom []fields.Field) ([]Column, *kernel.Error) {
	columns := make([]Column, len(header))
	explicit := map[string]bool{}
	used := map[string]bool{}
	for i, text := range header {
		columns[i] = Column{Index: i, Header: text}
		key, found := strconv.Itoa(i), false
		if _, found = mapping[key]; !found {
			key = text
			_, found = mapping[key]
		}
		if !found {
			continue
		}
		used[key] = true
		if field := mapping[key]; field != nil {
			name, ok := knownField(*field, custom)
			if !ok {
				return nil, kernel.NoSuch("body.mapping."+short(key), "field")
			}
			columns[i].Field = &name
			explicit[name] = true
		}
	}
	for _, key := range slices.Sorted(maps.Keys(mapping)) {
		if !used[key] {
			return nil, kernel.NoSuch("body.mapping."+short(key), "column")
		}
	}
	normal := make([]string, len(header)) // "" for columns in the mapping
	for i, text := range header {
		_, byNumber := mapping[strconv.Itoa(i)]
		if _, byHeader := mapping[text]; byNumber || byHeader {
			continue
		}
		normal[i] = normalHeader(text)
		if field := recognise(text, normal[i], custom); field != "" && field != fieldName && !explicit[field] {
			columns[i].Field = &field
		}
	}
	if !explicit[fieldName] {
		for _, i := range nameColumns(normal) {
			columns[i].Field = new(fieldName)
		}
	}
	return columns, nil
}

// nameColumns returns the columns that together have the name: those with the whole name, else the given name and the other names.
//
//	Nome completo; Nome; Sobrenome -> Nome completo
//	Name; Given Name; Family Name  -> Name
//	Nome; Sobrenome                -> Nome, Sobrenome
//	First Name; Last Name          -> First Name, Last Name
//	Nome; Contato                  -> Nome, Contato
func nameColumns(header []string) []int {
	matching := func(names []string) (found []int) {
		for i, text := range header {
			if slices.Contains(names, text) {
				found = append(found, i)
			}
		}
		return found
	}
	whole, names, given, other := matching(wholeNames), matching(anyNames), matching(givenNames), matching(otherNames)
	switch parts := slices.Concat(given, other); {
	case len(parts) == 0:
		return slices.Concat(whole, names)
	case len(whole) > 0:
		return whole
	case len(names) > 0 && len(given) > 0:
		return names
	default:
		return slices.Concat(names, parts)
	}
}

// knownField returns the field that a mapping names.
func knownField(name string, custom []fields.Field) (string, bool) {
	if name == "business_name" {
		name = fieldBusiness
	}
	if slices.Contains(ownFields, name) {
		return name, true
	}
	key, found := strings.CutPrefix(name, fieldPrefix)
	return name, found && slices.ContainsFunc(custom, func(f fields.Field) bool { return f.Key == key })
}

// recognise returns the field of a header, or "".
func recognise(header, normal string, custom []fields.Field) string {
	for field, names := range headers {
		if slices.Contains(names, normal) {
			return field
		}
	}
	isEmail := func(s string) bool {
		return s == "email" || s == "e mail" || strings.HasPrefix(s, "e mail 1") || strings.HasPrefix(s, "correo") || s == "email address"
	}
	for _, f := range custom {
		name, key := normalHeader(f.Name), normalHeader(f.Key)
		if header == fieldPrefix+f.Key || normal == key || normal == name || isEmail(normal) && (isEmail(name) || isEmail(key)) {
			return fieldPrefix + f.Key
		}
	}
	return ""
}

// short returns the beginning of a text.
func short(text string) string {
	if runes := []rune(text); len(runes) > 64 {
		return string(runes[:64]) + "…"
	}
	return text
}
