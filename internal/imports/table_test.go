package imports

import (
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding/charmap"

	"recado/internal/fields"
)

func readTable(t *testing.T, text string) (all []record) {
	t.Helper()
	table, err := newTableReader(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	for {
		r, err := table.next()
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
}

func latin1(t *testing.T, text string) string {
	t.Helper()
	out, err := charmap.Windows1252.NewEncoder().String(text)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestTables(t *testing.T) {
	tests := []struct {
		name, text string
		want       []record
	}{
		{"an empty file has no records", "", nil},
		{"commas", "a,b\n1,2\n", []record{{line: 1, cells: []string{"a", "b"}}, {line: 2, cells: []string{"1", "2"}}}},
		{"semicolons win over commas in cells", "nome;telefone\nSilva, Ana;11\n", []record{{line: 1, cells: []string{"nome", "telefone"}}, {line: 2, cells: []string{"Silva, Ana", "11"}}}},
		{"tabs", "a\tb\r\n1\t2\r\n", []record{{line: 1, cells: []string{"a", "b"}}, {line: 2, cells: []string{"1", "2"}}}},
		{"a line that names the separator", "sep=;\r\na;b,c,d\r\n", []record{{line: 2, cells: []string{"a", "b,c,d"}}}},
		{"byte order mark", "\uFEFFa;b\n", []record{{line: 1, cells: []string{"a", "b"}}}},
		{"Windows-1252", latin1(t, "João;São Paulo €\n"), []record{{line: 1, cells: []string{"João", "São Paulo €"}}}},
		{"quotes, line breaks and doubled quotes", "a,\"b\n\"\"c\"\"\",d\ne,f,g", []record{{line: 1, cells: []string{"a", "b\n\"c\"", "d"}}, {line: 3, cells: []string{"e", "f", "g"}}}},
		{"a quote inside a cell", "5\" pipe,x\n\"a \"b\" c\",y\n", []record{{line: 1, cells: []string{"5\" pipe", "x"}}, {line: 2, cells: []string{"a \"b\" c", "y"}}}},
		{"a quote that is never closed costs one line", "a,b\n\"c,d\ne,f\n", []record{{line: 1, cells: []string{"a", "b"}}, {line: 2, raw: "\"c,d"}, {line: 3, cells: []string{"e", "f"}}}},
		{"a quote that another record closes costs one line", "a,b\n\"c\" d,e\nf,g\nh,\"i, j\"\n", []record{
			{line: 1, cells: []string{"a", "b"}}, {line: 2, raw: "\"c\" d,e"}, {line: 3, cells: []string{"f", "g"}}, {line: 4, cells: []string{"h", "i, j"}},
		}},
		{"a record with fewer cells than the header may have a line break", "a,b,c\nd,\"e\nf\"\n", []record{
			{line: 1, cells: []string{"a", "b", "c"}}, {line: 2, cells: []string{"d", "e\nf"}},
		}},
		{"a line that names a tab as separator", "sep=\t\r\na\tb\r\n", []record{{line: 2, cells: []string{"a", "b"}}}},
		{"a line that names something else as separator", "sep=\"\na;b\n", []record{{line: 2, cells: []string{"a", "b"}}}},
		{"blank lines and empty records are left out", "a,b\n\n,\n1,2\n", []record{{line: 1, cells: []string{"a", "b"}}, {line: 4, cells: []string{"1", "2"}}}},
		{"escaped formulas", "'+5511,'=1,'x\n", []record{{line: 1, cells: []string{"+5511", "=1", "'x"}}}},
		{"too long a line costs only itself", "a,b\n" + strings.Repeat("x", 2*maxRecordBytes) + "\nc,d\n", []record{
			{line: 1, cells: []string{"a", "b"}}, {line: 2, raw: strings.Repeat("x", 200)}, {line: 3, cells: []string{"c", "d"}},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, readTable(t, tt.text), cmp.AllowUnexported(record{})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestUTF16IsRefused(t *testing.T) {
	if _, err := newTableReader(strings.NewReader("\xff\xfea\x00")); err != errUTF16 {
		t.Errorf("got %v, want %v", err, errUTF16)
	}
}

func TestHeadersAreRecognised(t *testing.T) {
	custom := []fields.Field{{Key: "plan", Name: "Plano contratado"}, {Key: "mail", Name: "E-mail"}}
	tests := []struct {
		header string
		want   string
	}{
		{"Nome;TELEFONE;Empresa;Cidade;Etiquetas", "name phone company city labels"},
		{"Nome completo;Celular;plano CONTRATADO;e-mail;Notas", "name phone fields.plan fields.mail -"},
		{"Name;Phone number;Company;City;Tags;Opted out", "name phone company city labels opted_out"},
		{"Nombre;Teléfono móvil;Empresa;Ciudad;Correo electrónico", "name phone company city fields.mail"},
		{"id;name;phone;company;city;channel_id;label_ids;blocked;automation;opted_out;opted_out_at;fields.plan;fields.mail;created_at;updated_at", "- name phone company city - labels - - opted_out - fields.plan fields.mail - -"},
		{"First Name;Middle Name;Last Name;Organization Name;Labels;E-mail 1 - Value;Phone 1 - Label;Phone 1 - Value;Phone 2 - Value;Address 1 - City", "name name name company labels fields.mail - phone phone city"},
		{"Name;Given Name;Family Name;Group Membership;Phone 1 - Type;Phone 1 - Value", "name - - labels - phone"},
		{"Nome;Sobrenome;Telefone", "name name phone"},
		{"Nombre;Apellidos;Móvil", "name name phone"},
		{"Name;Surname;Phone", "name name phone"},
		{"Nome completo;Nome;Sobrenome;Telefone", "name - - phone"},
		{"id;name;email;phone_number", "- name fields.mail phone"},
	}
	for _, tt := range tests {
		columns, invalid := columnsOf(strings.Split(tt.header, ";"), nil, custom)
		if invalid != nil {
			t.Fatal(invalid)
		}
		if got := fieldsOf(columns); got != tt.want {
			t.Errorf("%s\n got %s\nwant %s", tt.header, got, tt.want)
		}
	}
}

func fieldsOf(columns []Column) string {
	var names []string
	for _, c := range columns {
		if c.Field == nil {
			names = append(names, "-")
		} else {
			names = append(names, *c.Field)
		}
	}
	return strings.Join(names, " ")
}

func TestAMappingTakesPrecedence(t *testing.T) {
	name, phone, unknown := "name", "phone", "shoe_size"
	columns, invalid := columnsOf([]string{"Nome", "Apelido", "Telefone", "Zap"}, map[string]*string{"1": &name, "Telefone": nil}, nil)
	if invalid != nil || fieldsOf(columns) != "- name - phone" {
		t.Errorf("got %s, %v", fieldsOf(columns), invalid)
	}
	for _, wrong := range []map[string]*string{{"0": &unknown}, {"9": &phone}, {"Fax": nil}} {
		if _, invalid := columnsOf([]string{"Nome", "Telefone"}, wrong, nil); invalid == nil {
			t.Errorf("%v was accepted", wrong)
		}
	}
}

func TestRows(t *testing.T) {
	custom := []fields.Field{
		{Key: "born", Type: fields.TypeDate},
		{Key: "spent", Type: fields.TypeNumber},
		{Key: "vip", Type: fields.TypeBool},
		{Key: "cpf", Type: fields.TypeCPF},
		{Key: "plan", Type: fields.TypeChoice, Options: []string{"Básico", "Ouro"}},
	}
	columns, invalid := columnsOf([]string{"nome", "fone", "celular", "etiquetas", "opted out", "born", "spent", "vip", "cpf", "plan"}, nil, custom)
	if invalid != nil {
		t.Fatal(invalid)
	}
	got, invalid := readRow([]string{"Ana\nSilva", "ramal 12", "\u202a+55 (11)\u00a098765-4321\u202c / 3333", "* myContacts ::: VIP ; vip | Bairro", "Sim", "5/3/1990", "1.234,56", "não", "1234567890-9", "BASICO"}, columns, custom)
	if invalid != nil {
		t.Fatal(invalid)
	}
	yes := true
	want := row{
		name: "Ana Silva", phone: "+5511987654321", labels: []string{"VIP", "Bairro"}, optedOut: &yes,
		fields: fields.Values{"born": "1990-03-05", "spent": 1234.56, "vip": false, "cpf": "12345678909", "plan": "Básico"},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(row{})); diff != "" {
		t.Error(diff)
	}
	for _, tt := range []struct{ cells, field, code string }{
		{"Ana", "phone", "required"},
		{"Ana;12", "phone", "malformed"},
		{strings.Repeat("x", 121) + ";11987654321", "name", "too_long"},
		{"Ana;11987654321;;;talvez", "opted_out", "malformed"},
		{"Ana;11987654321;;;;31/02/1990", "fields.born", "malformed"},
		{"Ana;11987654321;;;;;muito", "fields.spent", "malformed"},
		{"Ana;11987654321;;;;;;;11111111111", "fields.cpf", "malformed"},
		{"Ana;11987654321;;;;;;;;Prata", "fields.plan", "one_of"},
	} {
		_, invalid := readRow(strings.Split(tt.cells, ";"), columns, custom)
		if invalid == nil {
			t.Errorf("%s was accepted", tt.cells)
			continue
		}
		if e := lineError(1, invalid); *e.Field != tt.field || e.Code != tt.code {
			t.Errorf("%s: got %s %s, want %s %s", tt.cells, *e.Field, e.Code, tt.field, tt.code)
		}
	}
}

func FuzzTable(f *testing.F) {
	f.Add("a;b\n1;\"2\n3\"\n")
	f.Add("\"\"\"\n\"a\"b,c\"\n")
	f.Fuzz(func(t *testing.T, text string) {
		table, err := newTableReader(strings.NewReader(text))
		if err != nil {
			return
		}
		last := 0
		for range len(text) + 2 {
			r, err := table.next()
			if err == io.EOF {
				return
			}
			if r.line <= last {
				t.Fatalf("line %d after %d", r.line, last)
			}
			last = r.line
		}
		t.Fatal("the table does not end")
	})
}
