package admin

import (
	"maps"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"recado/internal/boards"
	"recado/internal/fields"
	"recado/internal/talk"
)

// bakeryFields are the custom fields of a demo company.
var bakeryFields = []fields.NewField{
	{Entity: fields.EntityContact, Key: "cpf", Name: "CPF", Type: fields.TypeCPF},
	{Entity: fields.EntityContact, Key: "cnpj", Name: "CNPJ", Type: fields.TypeCNPJ},
	{Entity: fields.EntityContact, Key: "birthday", Name: "Aniversário", Type: fields.TypeDate},
	{Entity: fields.EntityContact, Key: "plan", Name: "Clube do pão", Type: fields.TypeChoice, Options: []string{"Bronze", "Prata", "Ouro"}},
	{Entity: fields.EntityAttendance, Key: "order", Name: "Número do pedido", Type: fields.TypeText},
	{Entity: fields.EntityCard, Key: "value", Name: "Valor (R$)", Type: fields.TypeNumber},
}

// demoValues are the values of a customer and, in "order", of the open case.
var demoValues = map[string]fields.Input{
	"Lia Monteiro":         {"cpf": text("529.982.247-25"), "birthday": text("1990-05-17"), "plan": text("Ouro"), "order": text("P-1048")},
	"Rafael Costa":         {"cpf": text("111.444.777-35"), "plan": text("Prata"), "order": text("P-1051")},
	"Mercado Bom Preço":    {"cnpj": text("11.222.333/0001-81"), "order": text("A-0311")},
	"Hotel Serra Azul":     {"cnpj": text("12.ABC.345/01DE-35"), "plan": text("Ouro")},
	"João Pedro Nunes":     {"birthday": text("1985-11-02"), "plan": text("Bronze"), "order": text("P-1052")},
	"Escola Pequeno Mundo": {"order": text("A-0312")},
}

// text returns a value that is a string without characters to escape.
func text(s string) jsontext.Value { return jsontext.Value(`"` + s + `"`) }

// fields creates custom fields with values of some customers, their open cases and cards.
func (m *maker) fields() error {
	for _, f := range bakeryFields {
		if _, err := m.desk.Fields.CreateField(m.ctx, m.owner, f); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(demoValues)) {
		values := demoValues[name]
		c, ok := m.talks[name]
		if !ok || c.Contact == nil {
			continue
		}
		contact := fields.Input{}
		for key, value := range values {
			if key != "order" {
				contact[key] = value
			}
		}
		if _, err := m.desk.Talk.UpdateContact(m.ctx, m.owner, *c.Contact, talk.ContactChange{Fields: contact}); err != nil {
			return err
		}
		att, err := m.desk.Talk.CurrentAttendance(m.ctx, m.owner, c.ID)
		if err != nil {
			return err
		}
		if order := values["order"]; att != nil && order != nil {
			change := talk.AttendanceChange{Fields: fields.Input{"order": order}}
			if _, err := m.desk.Talk.UpdateAttendance(m.ctx, m.owner, att.ID, change); err != nil {
				return err
			}
		}
	}
	cards, _, err := m.desk.Boards.Cards(m.ctx, m.owner, boards.CardFilter{Board: m.out.Board, Status: boards.CardOpen, Zone: "America/Sao_Paulo", Limit: 3})
	for i, c := range cards {
		if err != nil {
			break
		}
		change := boards.CardChange{CardFields: boards.CardFields{Fields: fields.Input{"value": jsontext.Value([]string{"180", "1250.5", "420"}[i])}}, Version: c.Version}
		_, err = m.desk.Boards.UpdateCard(m.ctx, m.owner, c.ID, change)
	}
	return err
}
