package admin

import (
	"time"

	"recado/internal/boards"
	"recado/internal/channels/provider"
	"recado/internal/kernel"
)

const day = 24 * time.Hour

// board is a board of the demo with its cards.
type board struct {
	name   string
	stages []boards.StageBody
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
var orderStages = []boards.StageBody{
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
	{name: "Produção", stages: []boards.StageBody{{Name: "Hoje", Kind: boards.StageOpen}, {Name: "Amanhã", Kind: boards.StageOpen}, {Name: "Pronto", Kind: boards.StageWon}}, cards: []card{
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
	fields := boards.CardFields{
		Title: &c.title, Private: &c.private, Description: optionalText(c.text), Priority: kernel.TextOrNil(c.priority),
	}
	if c.due != 0 {
		fields.DueAt = kernel.Optional[time.Time]{Set: true, Value: time.Now().Add(c.due).UTC().Truncate(time.Minute)}
	}
	if c.by > 0 {
		fields.Assignee = optionalID(m.out.Users[c.by-1])
	}
	fields.Labels = new(pick(m.out.Labels, c.labels))
	if talk, ok := m.talks[c.customer]; ok {
		fields.Conversation = optionalID(talk.ID)
		if talk.Contact != nil {
			fields.Contact = optionalID(*talk.Contact)
		}
	}
	return boards.NewCard{Board: b.ID, Stage: &b.Stages[c.stage].ID, CardFields: fields}
}

// plans are the demo companies. All people are fictional.
var plans = []plan{
	{
		name: "Padaria Aurora", domain: "aurora.example", phone: "+551130030001", privatePhone: "+551130030002", privateCustomer: "+5511912340099",
		people: []person{
			{"Ana Ribeiro", kernel.RoleOwner, kernel.AccessAll, []int{0, 1, 2}},
			{"Bruno Tavares", kernel.RoleManager, kernel.AccessAll, []int{0, 2}},
			{"Carla Nunes", kernel.RoleAgent, kernel.AccessSectors, []int{0}},
			{"Caio Moreira", kernel.RoleAgent, kernel.AccessAll, []int{1}},
			{"Elisa Campos", kernel.RoleAgent, kernel.AccessOwn, []int{2}},
		},
		sectors: []string{"Vendas", "Entregas", "Financeiro"},
		labels: []label{
			{"Encomenda", "#0b7a5b"},
			{"Urgente", "#c62828"},
			{"Atacado", "#1565c0"},
			{"Aniversário", "#c2185b"},
			{"Reclamação", "#d84315"},
			{"Cliente fiel", "#b26a00"},
			{"Aguardando pagamento", "#7b1fa2"},
			{"Veio do anúncio", "#00796b"},
		},
		reasons:   bakeryReasons,
		replies:   bakeryReplies,
		hours:     &bakeryHours,
		reception: bakeryReception,
		stories:   morning,
		weeks:     weeks,
		boards:    bakeryBoards,
	},
	{
		name: "Oficina Boreal", domain: "boreal.example", phone: "+554130030001", privatePhone: "+554130030002", privateCustomer: "+5541912340099",
		people: []person{
			{"Diego Prado", kernel.RoleOwner, kernel.AccessAll, []int{0, 1}},
			{"Eva Lacerda", kernel.RoleAdmin, kernel.AccessAll, []int{0}},
			{"Fabio Torres", kernel.RoleAgent, kernel.AccessOwn, []int{1}},
		},
		sectors:   []string{"Recepção", "Oficina"},
		labels:    []label{{"Orçamento", "#6a1b9a"}, {"Garantia", "#b84a00"}, {"Frota", "#00695c"}},
		reception: garageReception,
		customers: []customer{
			{"Paulo", "+5541912340001", "Oi, queria marcar a revisão do carro.", "Claro! Pode ser na quinta?"},
			{"Rita", "+5541912340002", "O orçamento ficou pronto?", ""},
		},
		boards: []board{{name: "Orders", stages: orderStages, cards: []card{
			{title: "Revisão de 20 mil km", stage: 0, customer: "Paulo", due: day},
			{title: "Troca de embreagem", stage: 1, due: 2 * day, priority: "high"},
			{title: "Venda da oficina", stage: 0, private: true},
		}}},
	},
}

// past is a closed attendance of the last two weeks, for the reports and the history of customers.
type past struct {
	customer string // of the plan's stories
	ago      time.Duration
	wait     time.Duration // until the reply
	takes    time.Duration // until it was closed
	by       int           // of the plan's people
	says     string
	answers  string
	reason   string
}

// steps returns the steps of the attendance.
func (c past) steps() []step {
	return []step{
		{ago: c.ago, says: c.says},
		{ago: c.ago - minute, hands: true},
		{ago: c.ago - c.wait, answers: c.answers, by: c.by},
		{ago: c.ago - c.wait, status: "read"},
		{ago: c.ago - c.takes, closes: c.reason, by: c.by},
	}
}

// weeks are the attendances of the bakery before yesterday.
var weeks = []past{
	{"Restaurante Dona Zefa", 13*day - 40*minute, 7 * minute, 35 * minute, 1, "Bom dia, segue o pedido da semana: 40 kg de pão francês.", "Bom dia! Pedido anotado, entrega amanhã às 6h.", "pedido semanal"},
	{"Camila Rocha", 13*day + 20*minute, 4 * minute, 18 * minute, 2, "Vocês fazem bolo de aniversário infantil?", "Fazemos, Camila! Quantas crianças?", "orçamento enviado"},
	{"João Pedro Nunes", 12*day + 55*minute, 12 * minute, 48 * minute, 3, "O entregador consegue deixar na portaria?", "Consegue sim, João. Já avisei.", "entrega combinada"},
	{"Tereza Silveira", 12*day - 15*minute, 6 * minute, 22 * minute, 1, "Podem emitir a nota com outro CNPJ?", "Claro, Tereza. Me mande o número, por favor.", "nota corrigida"},
	{"Beatriz Amaral", 11*day + 35*minute, 5 * minute, 64 * minute, 0, "Quais sabores de recheio vocês têm?", "Bom dia, Beatriz! Envio a lista ainda hoje.", "lista enviada"},
	{"Roberto Lemos", 11*day - 25*minute, 9 * minute, 16 * minute, 2, "Tem pão integral hoje?", "Tem, Roberto! Saiu agora do forno.", "respondido"},
	{"Fernando Ikeda", 11*day + 80*minute, 15 * minute, 70 * minute, 3, "Meu pedido veio trocado.", "Desculpe, Fernando! Já mando o certo.", "pedido trocado"},
	{"Escola Pequeno Mundo", 10*day + 10*minute, 8 * minute, 40 * minute, 4, "Podem enviar a segunda via do boleto?", "Bom dia! Segue a segunda via.", "boleto enviado"},
	{"Aline Teixeira", 10*day - 50*minute, 3 * minute, 12 * minute, 2, "A que horas fecham no sábado?", "Aos sábados até as 13h, Aline.", "respondido"},
	{"Restaurante Dona Zefa", 9*day + 45*minute, 6 * minute, 20 * minute, 0, "Amanhã precisamos do dobro de pães.", "Combinado, já passei para a produção.", "pedido alterado"},
	{"Patrícia Gomes", 9*day - 30*minute, 10 * minute, 55 * minute, 3, "Qual a taxa de entrega para a Mooca?", "Para a Mooca são R$ 9, Patrícia.", "respondido"},
	{"Beatriz Amaral", 8*day + 15*minute, 5 * minute, 26 * minute, 2, "Vocês têm foto do bolo de dois andares?", "Temos, Beatriz! Estão no nosso cardápio.", "fotos enviadas"},
	{"Vitor Sampaio", 8*day - 65*minute, 18 * minute, 90 * minute, 4, "O PIX saiu em dobro?", "Conferi aqui, Vitor: entrou uma vez só.", "pagamento conferido"},
	{"Marcelo Dias", 8*day + 70*minute, 7 * minute, 30 * minute, 3, "Entregam em Arujá?", "Entregamos, Marcelo, em até 3 horas.", "respondido"},
	{"Restaurante Dona Zefa", 6*day - 40*minute, 6 * minute, 28 * minute, 1, "Bom dia, o mesmo pedido da semana passada.", "Bom dia! Anotado.", "pedido semanal"},
	{"Aline Teixeira", 6*day + 25*minute, 4 * minute, 14 * minute, 2, "Ainda tem torta de limão?", "Tem duas, Aline. Reservo uma?", "reserva feita"},
	{"Helena Duarte", 6*day + 60*minute, 9 * minute, 46 * minute, 2, "Quanto custa o cento de salgados?", "R$ 80 o cento, Helena.", "orçamento enviado"},
	{"Rafael Costa", 5*day - 20*minute, 13 * minute, 52 * minute, 3, "A entrega pode ser depois das 18h?", "Pode sim, Rafael. Até as 20h.", "entrega combinada"},
	{"Vitor Sampaio", 5*day + 40*minute, 3 * minute, 10 * minute, 4, "Qual o endereço da loja?", "Rua das Flores, 120, Vitor.", "respondido"},
	{"Tereza Silveira", 4*day + 5*minute, 8 * minute, 33 * minute, 4, "Não recebi a nota por e-mail.", "Enviei de novo agora, Tereza.", "nota enviada"},
	{"Sônia Barros", 4*day - 55*minute, 5 * minute, 24 * minute, 2, "Qual o valor da cesta de café da manhã?", "R$ 95, Sônia, para duas pessoas.", "respondido"},
	{"Gustavo Prado", 4*day + 75*minute, 11 * minute, 44 * minute, 3, "Preciso mudar o endereço da entrega.", "Feito, Gustavo. Sai às 15h.", "endereço alterado"},
	{"Restaurante Dona Zefa", 3*day + 30*minute, 6 * minute, 58 * minute, 0, "Quero provar o pão de queijo antes de fechar.", "Claro! Mando uma amostra amanhã.", "amostra combinada"},
	{"Camila Rocha", 3*day - 35*minute, 4 * minute, 19 * minute, 2, "O bolo pode ser sem lactose?", "Pode, Camila, com um dia de antecedência.", "respondido"},
	{"Fernando Ikeda", 2*day + 50*minute, 14 * minute, 63 * minute, 3, "Consigo agendar a entrega para as 7h?", "Consegue, Fernando. Agendado.", "entrega combinada"},
	{"Escola Pequeno Mundo", 2*day + 10*minute, 7 * minute, 36 * minute, 4, "Quantos lanches cabem no contrato?", "Até 120 por dia.", "respondido"},
	{"Roberto Lemos", 2*day - 45*minute, 5 * minute, 15 * minute, 2, "Vocês vendem fermento natural?", "Vendemos, Roberto, R$ 12 o pote.", "respondido"},
}

const minute = time.Minute

// morning contains the conversations of the bakery today. All people are fictional.
var morning = []story{
	{name: "Lia Monteiro", phone: "+5511912345678", labels: []int{0, 3}, sector: 0, city: "São Paulo", steps: []step{
		{ago: 47 * minute, says: "Oi! Bom dia 😊 Encomendei um bolo de chocolate para amanhã, pedido em nome de Lia."},
		{ago: 46 * minute, sends: pictureCake, says: "Queria parecido com este"},
		{ago: 46 * minute, hands: true},
		{ago: 39 * minute, answers: "Bom dia, Lia! Já encontrei o seu pedido. Fica lindo assim, pode deixar. 🎂", by: 2},
		{ago: 38 * minute, status: "read"},
		{ago: 38 * minute, reacts: "❤️"},
		{ago: 37 * minute, reads: true, by: 2},
		{ago: 37 * minute, hands: true},
		{ago: 21 * minute, sends: "voice", seconds: 21},
		{ago: 18 * minute, says: "Consegue trocar o sabor do bolo para amanhã? Minha filha prefere morango 🍓", quotes: true},
	}},
	{name: "Rafael Costa", phone: "+5511912345601", labels: []int{1}, sector: 1, company: "Costa Advocacia", city: "São Paulo", steps: []step{
		{ago: 9 * minute, sends: "voice", seconds: 42},
		{ago: 9 * minute, hands: true},
		{ago: 8 * minute, shares: provider.TypeLocation, says: "Costa Advocacia, Rua das Palmeiras, 344, Santa Cecília (-23.5379, -46.6496)"},
		{ago: 7 * minute, says: "O motoboy ligou mas eu estava em reunião. Pode tentar de novo?"},
	}},
	{name: "Mercado Bom Preço", phone: "+5511912345602", labels: []int{2, 6}, sector: 2, pinned: true, company: "Mercado Bom Preço Ltda.", city: "Osasco", steps: []step{
		{ago: 190 * minute, says: "Bom dia, podem mandar a nota dos pães desta semana?"},
		{ago: 189 * minute, hands: true},
		{ago: 180 * minute, takes: true, by: 1},
		{ago: 176 * minute, answers: "Bom dia! Segue a nota.", file: fileInvoice, by: 1},
		{ago: 175 * minute, status: "read"},
		{ago: 171 * minute, says: "Recebido, obrigado. O boleto vem separado?"},
		{ago: 168 * minute, reads: true, by: 1},
	}},
	{name: "João Pedro Nunes", phone: "+5511912345603", sector: 1, city: "São Paulo", steps: []step{
		{ago: 65 * minute, says: "Meu pedido das 8h ainda não chegou."},
		{ago: 64 * minute, hands: true},
		{ago: 60 * minute, answers: "Bom dia, João! Vou verificar com a entrega agora mesmo.", by: 3},
		{ago: 59 * minute, status: "read"},
		{ago: 56 * minute, says: "Obrigado! Se eu não atender, pode ligar para a minha esposa:"},
		{ago: 55 * minute, shares: provider.TypeContacts, says: "Renata Nunes: +55 11 91234-5688, renata@nunes.example"},
		{ago: 48 * minute, answers: "Perfeito, saiu para entrega agora. Chega em uns 15 minutos.", by: 3},
		{ago: 47 * minute, status: "read"},
		{ago: 46 * minute, reads: true, by: 3},
	}},
	{name: "Tereza Silveira", phone: "+5511912345604", sector: 2, city: "Santo André", steps: []step{
		{ago: 95 * minute, says: "Fiz o pagamento por PIX agora."},
		{ago: 94 * minute, sends: pictureReceipt},
		{ago: 94 * minute, hands: true},
		{ago: 80 * minute, answers: "Recebemos, Tereza. Obrigado!", by: 1},
		{ago: 79 * minute, status: "delivered"},
		{ago: 78 * minute, reads: true, by: 1},
	}},
	{name: "Nina", phone: "+5511912345605", group: "Eventos Boreal", labels: []int{2}, sector: 0, steps: []step{
		{ago: 26 * 60 * minute, says: "Pessoal, confirmamos o coffee break de sábado para 60 pessoas?"},
		{ago: 25 * 60 * minute, hands: true},
		{ago: 25*60*minute - 10*minute, answers: "Confirmado! Entrega às 14h30 no salão.", by: 0},
		{ago: 25*60*minute - 20*minute, status: "read"},
		{ago: 24 * 60 * minute, says: "Fechado para sábado às 15h 🎉"},
		{ago: 24*60*minute - 5*minute, reads: true},
	}},
	{name: "Patrícia Gomes", phone: "+5511912345606", labels: []int{1, 4}, sector: 1, city: "São Paulo", steps: []step{
		{ago: 33 * minute, sends: pictureBox, says: "A caixa chegou amassada e o bolo virou 😢"},
		{ago: 32 * minute, hands: true},
		{ago: 29 * minute, says: "É para o aniversário da minha mãe, hoje às 16h!"},
	}},
	{name: "Eduardo Farias", phone: "+5511912345607", labels: []int{0}, sector: 0, company: "Academia Corpo Leve", city: "São Paulo", steps: []step{
		{ago: 12 * minute, says: "Vocês têm opção sem glúten?"},
		{ago: 12 * minute, hands: true},
	}},
	{name: "Sônia Barros", phone: "+5521912345608", labels: []int{7}, sector: 0, city: "Rio de Janeiro", steps: []step{
		{ago: 4 * minute, says: "Bom dia! Vi o anúncio da cesta. Vocês entregam no Rio?", ad: basketAd},
		{ago: 4 * minute, hands: true},
	}},
	{name: "Hotel Serra Azul", phone: "+5511912345609", labels: []int{2}, sector: 0, company: "Hotel Serra Azul S.A.", city: "Campos do Jordão", steps: []step{
		{ago: 150 * minute, says: "Precisamos de 80 pães de queijo por dia a partir de segunda. Conseguem?"},
		{ago: 149 * minute, hands: true},
		{ago: 140 * minute, takes: true, by: 0},
		{ago: 139 * minute, answers: "Bom dia! Conseguimos sim. Mando o cardápio com os preços de atacado.", file: fileMenu, by: 0},
		{ago: 138 * minute, status: "read"},
		{ago: 130 * minute, says: "Ótimo, vou passar para a diretoria."},
		{ago: 129 * minute, reads: true},
	}},
	{name: "Marcelo Dias", phone: "+5511912345610", sector: 1, company: "Dias Transportes", city: "Guarulhos", steps: []step{
		{ago: 75 * minute, says: "Qual o prazo de entrega para Guarulhos?"},
		{ago: 74 * minute, hands: true},
		{ago: 70 * minute, answers: "Entregamos em Guarulhos em até 2 horas.", by: 3},
		{ago: 69 * minute, status: "failed"},
		{ago: 68 * minute, reads: true, by: 3},
	}},
	{name: "Camila Rocha", phone: "+5511912345611", labels: []int{0, 5}, sector: 0, city: "São Bernardo do Campo", steps: []step{
		{ago: 58 * minute, says: "Oi! Quanto custa o bolo de cenoura?"},
		{ago: 57 * minute, hands: true},
		{ago: 52 * minute, answers: "Oi, Camila! O de 20 fatias sai por R$ 120.", by: 2},
		{ago: 51 * minute, status: "read"},
		{ago: 50 * minute, says: "E com cobertura de brigadeiro?"},
		{ago: 49 * minute, answers: "Com brigadeiro fica R$ 140. Quer que eu reserve?", by: 2},
		{ago: 48 * minute, status: "read"},
		{ago: 47 * minute, reads: true, by: 2},
	}},
	{name: "Roberto Lemos", phone: "+5511912345612", sector: 0, city: "São Paulo", steps: []step{
		{ago: 27 * minute, sends: pictureBread, says: "Esse pão tem na loja da Vila Mariana?"},
		{ago: 27 * minute, hands: true},
		{ago: 16 * minute, answers: "Tem sim, Roberto! Sai fornada às 11h e às 17h.", by: 2},
		{ago: 15 * minute, status: "read"},
		{ago: 15 * minute, reads: true, by: 2},
	}},
	{name: "Escola Pequeno Mundo", phone: "+5511912345613", labels: []int{2}, sector: 2, company: "Escola Pequeno Mundo", city: "São Paulo", steps: []step{
		{ago: 5 * 60 * minute, says: "Bom dia. Podem trocar o vencimento do boleto para o dia 20?"},
		{ago: 5*60*minute - minute, hands: true},
		{ago: 4 * 60 * minute, takes: true, by: 4},
		{ago: 4*60*minute - minute, answers: "Bom dia! Troquei para o dia 20, o novo boleto chega por e-mail.", by: 4},
		{ago: 4*60*minute - 2*minute, status: "read"},
		{ago: 4*60*minute - 3*minute, closes: "vencimento alterado", by: 4},
	}},
	{name: "Aline Teixeira", phone: "+5511912345614", sector: 0, city: "Diadema", steps: []step{
		{ago: 6 * 60 * minute, says: "Vocês abrem no feriado?"},
		{ago: 6*60*minute - minute, hands: true},
		{ago: 6*60*minute - 6*minute, answers: "Abrimos das 7h às 13h, Aline!", by: 2},
		{ago: 6*60*minute - 7*minute, status: "read"},
		{ago: 6*60*minute - 8*minute, closes: "respondido", by: 2},
	}},
	{name: "Gustavo Prado", phone: "+5511912345615", labels: []int{5}, sector: 1, company: "Prado Engenharia", city: "São Paulo", steps: []step{
		{ago: 27 * 60 * minute, says: "Chegou tudo certinho, parabéns pelo atendimento 👏"},
		{ago: 27*60*minute - minute, hands: true},
		{ago: 27*60*minute - 3*minute, answers: "Que bom, Gustavo! Até a próxima.", by: 3},
		{ago: 27*60*minute - 4*minute, status: "read"},
		{ago: 27*60*minute - 5*minute, closes: "elogio", by: 3},
	}},
	{name: "Beatriz Amaral", phone: "+5511912345616", labels: []int{0, 3}, sector: 0, city: "Campinas", steps: []step{
		{ago: 29 * 60 * minute, says: "Quero um bolo de dois andares para 15 de dezembro."},
		{ago: 29*60*minute - minute, hands: true},
		{ago: 29*60*minute - 9*minute, answers: "Adoramos! Para quantas pessoas seria?", by: 2},
		{ago: 28 * 60 * minute, says: "Umas 80"},
		{ago: 28*60*minute - 4*minute, answers: "Anotado. Te mando um orçamento até amanhã.", by: 2},
		{ago: 28*60*minute - 5*minute, status: "read"},
		{ago: 28*60*minute - 6*minute, reads: true, by: 2},
		{ago: 43 * minute, says: "Oi! Separei umas fotos dos bolos que eu mais gostei 😍"},
		{ago: 42 * minute, sends: pictureWhiteCake},
		{ago: 42 * minute, sends: pictureDripCake},
		{ago: 42 * minute, sends: pictureNakedCake},
		{ago: 41 * minute, sends: picturePastelCake},
		{ago: 40 * minute, says: "O de morango é o meu preferido, mas com dois andares, como combinamos."},
		{ago: 31 * minute, answers: "Que lindos, Beatriz! O de morango com dois andares, para 80 pessoas, sai por R$ 780. Posso reservar o dia 15?", by: 2},
		{ago: 30 * minute, status: "read"},
		{ago: 30 * minute, reacts: "😍"},
		{ago: 29 * minute, reads: true, by: 2},
	}},
	{name: "Fernando Ikeda", phone: "+5511912345617", labels: []int{4}, sector: 1, company: "Ikeda Contabilidade", city: "São Paulo", steps: []step{
		{ago: 110 * minute, says: "Veio um salgado a menos no meu pedido."},
		{ago: 109 * minute, hands: true},
		{ago: 100 * minute, answers: "Desculpe, Fernando! Enviamos agora, sem custo.", by: 3},
		{ago: 99 * minute, status: "delivered"},
		{ago: 90 * minute, says: "Obrigado pela agilidade"},
		{ago: 89 * minute, reads: true, by: 3},
	}},
	{name: "Júlia Antunes", phone: "+5511912345618", sector: 0, city: "São Paulo", steps: []step{
		{ago: 2 * minute, says: "Oi, tem brigadeiro de pistache hoje?"},
	}},
	{name: "Restaurante Dona Zefa", phone: "+5511912345619", labels: []int{2, 5}, sector: 0, muted: true, company: "Dona Zefa Alimentos", city: "Cotia", steps: []step{
		{ago: 8 * 60 * minute, phone: "Bom dia! O pedido de hoje sai às 6h, como sempre."},
		{ago: 8*60*minute - 9*minute, says: "Beleza, obrigado!"},
		{ago: 7 * 60 * minute, says: weeklyOrder},
		{ago: 7*60*minute - 6*minute, answers: "Anotado, tudo certo! As baguetes de sábado vão no primeiro carro.", by: 0},
		{ago: 7*60*minute - 8*minute, status: "read"},
		{ago: 7*60*minute - 8*minute, reacts: "👍"},
		{ago: 7*60*minute - 9*minute, reads: true},
	}},
	{name: "Vitor Sampaio", phone: "+5511912345620", labels: []int{1}, sector: 2, city: "São Paulo", steps: []step{
		{ago: 52 * minute, says: "Fui cobrado duas vezes no cartão."},
		{ago: 51 * minute, hands: true},
		{ago: 44 * minute, takes: true, by: 4},
		{ago: 43 * minute, answers: "Vitor, já pedi o estorno. Aparece na fatura em até 5 dias.", by: 4},
		{ago: 42 * minute, status: "read"},
		{ago: 25 * minute, says: "Vou acompanhar. Consegue me mandar o comprovante do estorno?"},
	}},
	{name: "Helena Duarte", phone: "+5511912345621", labels: []int{0}, sector: 0, company: "Duarte Eventos", city: "Barueri", steps: []step{
		{ago: 16 * minute, says: "Bom dia!", greeted: true},
		{ago: 15 * minute, chooses: "Fazer um pedido"},
		{ago: 14 * minute, says: "Quero encomendar 100 salgados para sexta."},
		{ago: 11 * minute, answers: "Bom dia, Helena! Prefere sortidos ou só coxinha?", by: 2},
		{ago: 10 * minute, status: "delivered"},
		{ago: 8 * minute, says: "Sortidos, por favor"},
	}},
}

// basketAd is the ad that brings a customer.
var basketAd = &provider.Referral{
	SourceType: new("ad"), SourceID: new("120210000000000001"), SourceURL: new("https://www.aurora.example/cestas"), MediaType: new("image"),
	Headline: new("Cesta de café da manhã"), Body: new("Surpreenda quem você ama: pães, bolo, frutas e suco entregues em casa a partir das 7h."),
}

const weeklyOrder = `*Pedido da semana que vem*

Segunda a sexta, entrega às 6h:
- 40 kg de pão francês
- 12 pães integrais
- 8 pães de forma
- 60 pães de queijo
- 3 bolos de fubá

Sábado, entrega às 5h30:
- 55 kg de pão francês
- 20 baguetes
- 100 pães de queijo
- 5 bolos de cenoura
- 4 tortas de limão

> As baguetes da semana passada chegaram um pouco tarde.

Dá para mandar no primeiro carro? No sábado temos um casamento para 150 pessoas e o salão abre às 9h. A nota pode vir no fim do mês, com o mesmo CNPJ de sempre. Qualquer dúvida, liguem para (11) 4002-0190 ou escrevam para compras@donazefa.example. Obrigado!`
