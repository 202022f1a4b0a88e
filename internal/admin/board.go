package admin

import (
	"time"

	"recado/internal/boards"
	"recado/internal/kernel"
)

const day = 24 * time.Hour

// board is a board of the demo with its cards.
type board struct {
	name   string
	stages []boards.NewStage
	cards  []card
}

// card is a card of the demo. Zero values leave a field empty.
type card struct {
	title, text string
	stage       int
	priority    string
	labels      []int         // of the plan
	by          int           // index of the assignee in the plan's people, from 1; 0: none
	due         time.Duration // from now
	customer    string        // of the conversation
	private     bool
}

// orderStages are the stages of the board in demo.json.
var orderStages = []boards.NewStage{
	{Name: "New", Kind: boards.StageOpen}, {Name: "Doing", Kind: boards.StageOpen}, {Name: "Won", Kind: boards.StageWon}, {Name: "Lost", Kind: boards.StageLost},
}

// bakeryBoards are the boards of the bakery. All people are fictional.
var bakeryBoards = []board{
	{name: "Orders", stages: orderStages, cards: []card{
		{title: "Bolo de 20 pessoas", stage: 0, labels: []int{0}, by: 3, due: day, customer: "Lia Monteiro", priority: "high", text: "Chocolate; trocar para morango se der tempo.\nRetirada às 10h."},
		{title: "Bolo de dois andares, 80 pessoas", stage: 0, labels: []int{0}, by: 3, due: 12 * day, customer: "Beatriz Amaral", text: "Mandar orçamento."},
		{title: "100 salgados sortidos", stage: 0, labels: []int{0}, due: 4 * day, customer: "Helena Duarte"},
		{title: "Pães de queijo para o hotel, 80 por dia", stage: 0, labels: []int{2}, by: 1, due: 2 * day, customer: "Hotel Serra Azul", priority: "high"},
		{title: "Opções sem glúten no cardápio", stage: 0, priority: "low", customer: "Eduardo Farias"},
		{title: "Proposta de sociedade", stage: 0, private: true},
		{title: "Cesta de café da manhã", stage: 1, labels: []int{0}, by: 3, due: 2 * day},
		{title: "Repor bolo que chegou virado", stage: 1, labels: []int{1}, by: 4, due: 5 * time.Hour, customer: "Patrícia Gomes", priority: "urgent", text: "Entregar antes das 16h, sem custo. Embalar na caixa reforçada."},
		{title: "Coffee break para 60 pessoas", stage: 1, labels: []int{2}, by: 1, due: 6 * day, text: "Montagem às 14h30 no salão."},
		{title: "Estorno do cartão", stage: 1, by: 5, due: -day, customer: "Vitor Sampaio", priority: "high"},
		{title: "Pão para o restaurante", stage: 2, labels: []int{2}, by: 2, customer: "Restaurante Dona Zefa"},
		{title: "Novo vencimento do boleto", stage: 2, by: 5, customer: "Escola Pequeno Mundo"},
		{title: "Bolo de cenoura com brigadeiro", stage: 2, labels: []int{0}, by: 3, customer: "Camila Rocha"},
		{title: "Entrega no Rio de Janeiro", stage: 3, customer: "Sônia Barros", text: "Fora da área de entrega."},
	}},
	{name: "Produção", stages: []boards.NewStage{{Name: "Hoje", Kind: boards.StageOpen}, {Name: "Amanhã", Kind: boards.StageOpen}, {Name: "Pronto", Kind: boards.StageWon}}, cards: []card{
		{title: "Fornada das 17h", stage: 0, by: 4, due: 6 * time.Hour, priority: "high"},
		{title: "Massa folhada", stage: 0, by: 4, due: 8 * time.Hour},
		{title: "Brigadeiro de pistache", stage: 1, due: day, customer: "Júlia Antunes"},
		{title: "Limpeza do forno 2", stage: 1, priority: "low", due: 2 * day},
		{title: "Fornada das 11h", stage: 2, by: 4},
	}},
}

func (m *maker) boards() error {
	boards, err := m.desk.Boards.Boards(m.ctx, m.owner, false)
	if err != nil {
		return err
	}
	for _, b := range boards {
		if b.System != nil {
			m.out.AttendancesBoard = b.ID
		}
	}
	for i, plan := range m.plan.boards {
		made, err := m.desk.Boards.CreateBoard(m.ctx, m.owner, plan.name, plan.stages)
		if err != nil {
			return err
		}
		if i == 0 {
			m.out.Board = made.ID
		}
		for _, c := range plan.cards {
			if _, err := m.desk.Boards.CreateCard(m.ctx, m.owner, m.card(&made, c)); err != nil {
				return err
			}
		}
	}
	return nil
}

// card converts a card of the plan.
func (m *maker) card(b *boards.Board, c card) boards.NewCard {
	fields := boards.CardFields{Title: &c.title, Private: &c.private, Description: optionalText(c.text)}
	if c.priority != "" {
		fields.Priority = &c.priority
	}
	if c.due != 0 {
		fields.DueAt = kernel.Optional[time.Time]{Set: true, Value: time.Now().Add(c.due).UTC().Truncate(time.Minute)}
	}
	if c.by > 0 {
		fields.Assignee = optionalID(m.out.Users[c.by-1])
	}
	var labels []kernel.ID
	for _, l := range c.labels {
		labels = append(labels, m.out.Labels[l])
	}
	fields.Labels = &labels
	if talk, ok := m.talks[c.customer]; ok {
		fields.Conversation = optionalID(talk.ID)
		if talk.Contact != nil {
			fields.Contact = optionalID(*talk.Contact)
		}
	}
	return boards.NewCard{Board: b.ID, Stage: &b.Stages[c.stage].ID, CardFields: fields}
}
