package admin

import (
	"time"
)

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
	{"Aline Teixeira", 10*day - 50*minute, 3 * minute, 12 * minute, 2, "A que horas fecham no sábado?", "Aos sábados até as 18h, Aline.", "respondido"},
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
