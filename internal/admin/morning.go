package admin

import (
	"time"
)

const minute = time.Minute

// morning is what happened at the bakery today. All people in it are invented.
var morning = []story{
	{name: "Lia Monteiro", phone: "+5511912345678", label: 0, sector: 0, city: "São Paulo", steps: []step{
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
	{name: "Rafael Costa", phone: "+5511912345601", label: -1, sector: 1, company: "Costa Advocacia", city: "São Paulo", steps: []step{
		{ago: 9 * minute, sends: "voice", seconds: 42},
		{ago: 9 * minute, hands: true},
		{ago: 7 * minute, says: "O motoboy ligou mas eu estava em reunião. Pode tentar de novo?"},
	}},
	{name: "Mercado Bom Preço", phone: "+5511912345602", label: 2, sector: 2, pinned: true, company: "Mercado Bom Preço Ltda.", city: "Osasco", steps: []step{
		{ago: 190 * minute, says: "Bom dia, podem mandar a nota dos pães desta semana?"},
		{ago: 189 * minute, hands: true},
		{ago: 180 * minute, takes: true, by: 1},
		{ago: 176 * minute, answers: "Bom dia! Segue a nota.", file: fileInvoice, by: 1},
		{ago: 175 * minute, status: "read"},
		{ago: 171 * minute, says: "Recebido, obrigado. O boleto vem separado?"},
		{ago: 168 * minute, reads: true, by: 1},
	}},
	{name: "João Pedro Nunes", phone: "+5511912345603", label: -1, sector: 1, city: "São Paulo", steps: []step{
		{ago: 65 * minute, says: "Meu pedido das 8h ainda não chegou."},
		{ago: 64 * minute, hands: true},
		{ago: 60 * minute, answers: "Bom dia, João! Vou verificar com a entrega agora mesmo.", by: 3},
		{ago: 55 * minute, says: "Obrigado!"},
		{ago: 48 * minute, answers: "Perfeito, saiu para entrega agora. Chega em uns 15 minutos.", by: 3},
		{ago: 47 * minute, status: "read"},
		{ago: 46 * minute, reads: true, by: 3},
	}},
	{name: "Tereza Silveira", phone: "+5511912345604", label: -1, sector: 2, city: "Santo André", steps: []step{
		{ago: 95 * minute, says: "Fiz o pagamento por PIX agora."},
		{ago: 94 * minute, sends: pictureReceipt},
		{ago: 94 * minute, hands: true},
		{ago: 80 * minute, answers: "Recebemos, Tereza. Obrigado!", by: 1},
		{ago: 79 * minute, status: "delivered"},
		{ago: 78 * minute, reads: true, by: 1},
	}},
	{name: "Nina", phone: "+5511912345605", group: "Eventos Boreal", label: 2, sector: 0, steps: []step{
		{ago: 26 * 60 * minute, says: "Pessoal, confirmamos o coffee break de sábado para 60 pessoas?"},
		{ago: 25 * 60 * minute, hands: true},
		{ago: 25*60*minute - 10*minute, answers: "Confirmado! Entrega às 14h30 no salão.", by: 0},
		{ago: 25*60*minute - 20*minute, status: "read"},
		{ago: 24 * 60 * minute, says: "Fechado para sábado às 15h 🎉"},
		{ago: 24*60*minute - 5*minute, reads: true},
	}},
	{name: "Patrícia Gomes", phone: "+5511912345606", label: 1, sector: 1, city: "São Paulo", steps: []step{
		{ago: 33 * minute, sends: pictureBox, says: "A caixa chegou amassada e o bolo virou 😢"},
		{ago: 32 * minute, hands: true},
		{ago: 29 * minute, says: "É para o aniversário da minha mãe, hoje às 16h!"},
	}},
	{name: "Eduardo Farias", phone: "+5511912345607", label: 0, sector: 0, company: "Academia Corpo Leve", city: "São Paulo", steps: []step{
		{ago: 12 * minute, says: "Vocês têm opção sem glúten?"},
		{ago: 12 * minute, hands: true},
	}},
	{name: "Sônia Barros", phone: "+5521912345608", label: -1, sector: 0, city: "Rio de Janeiro", steps: []step{
		{ago: 4 * minute, says: "Bom dia! Vocês entregam no Rio?"},
		{ago: 4 * minute, hands: true},
	}},
	{name: "Hotel Serra Azul", phone: "+5511912345609", label: 2, sector: 0, company: "Hotel Serra Azul S.A.", city: "Campos do Jordão", steps: []step{
		{ago: 150 * minute, says: "Precisamos de 80 pães de queijo por dia a partir de segunda. Conseguem?"},
		{ago: 149 * minute, hands: true},
		{ago: 140 * minute, takes: true, by: 0},
		{ago: 139 * minute, answers: "Bom dia! Conseguimos sim. Mando o cardápio com os preços de atacado.", file: fileMenu, by: 0},
		{ago: 138 * minute, status: "read"},
		{ago: 130 * minute, says: "Ótimo, vou passar para a diretoria."},
		{ago: 129 * minute, reads: true},
	}},
	{name: "Marcelo Dias", phone: "+5511912345610", label: -1, sector: 1, company: "Dias Transportes", city: "Guarulhos", steps: []step{
		{ago: 75 * minute, says: "Qual o prazo de entrega para Guarulhos?"},
		{ago: 74 * minute, hands: true},
		{ago: 70 * minute, answers: "Entregamos em Guarulhos em até 2 horas.", by: 3},
		{ago: 69 * minute, status: "failed"},
		{ago: 68 * minute, reads: true, by: 3},
	}},
	{name: "Camila Rocha", phone: "+5511912345611", label: 0, sector: 0, city: "São Bernardo do Campo", steps: []step{
		{ago: 58 * minute, says: "Oi! Quanto custa o bolo de cenoura?"},
		{ago: 57 * minute, hands: true},
		{ago: 52 * minute, answers: "Oi, Camila! O de 20 fatias sai por R$ 120.", by: 2},
		{ago: 50 * minute, says: "E com cobertura de brigadeiro?"},
		{ago: 49 * minute, answers: "Com brigadeiro fica R$ 140. Quer que eu reserve?", by: 2},
		{ago: 48 * minute, status: "read"},
		{ago: 47 * minute, reads: true, by: 2},
	}},
	{name: "Roberto Lemos", phone: "+5511912345612", label: -1, sector: 0, city: "São Paulo", steps: []step{
		{ago: 27 * minute, sends: pictureBread, says: "Esse pão tem na loja da Vila Mariana?"},
		{ago: 27 * minute, hands: true},
		{ago: 16 * minute, answers: "Tem sim, Roberto! Sai fornada às 11h e às 17h.", by: 2},
		{ago: 15 * minute, status: "read"},
		{ago: 15 * minute, reads: true, by: 2},
	}},
	{name: "Escola Pequeno Mundo", phone: "+5511912345613", label: 2, sector: 2, company: "Escola Pequeno Mundo", city: "São Paulo", steps: []step{
		{ago: 5 * 60 * minute, says: "Bom dia. Podem trocar o vencimento do boleto para o dia 20?"},
		{ago: 5*60*minute - minute, hands: true},
		{ago: 4 * 60 * minute, takes: true, by: 4},
		{ago: 4*60*minute - minute, answers: "Bom dia! Troquei para o dia 20, o novo boleto chega por e-mail.", by: 4},
		{ago: 4*60*minute - 2*minute, status: "read"},
		{ago: 4*60*minute - 3*minute, closes: "vencimento alterado", by: 4},
	}},
	{name: "Aline Teixeira", phone: "+5511912345614", label: -1, sector: 0, city: "Diadema", steps: []step{
		{ago: 6 * 60 * minute, says: "Vocês abrem no feriado?"},
		{ago: 6*60*minute - minute, hands: true},
		{ago: 6*60*minute - 6*minute, answers: "Abrimos das 7h às 13h, Aline!", by: 2},
		{ago: 6*60*minute - 7*minute, status: "read"},
		{ago: 6*60*minute - 8*minute, closes: "respondido", by: 2},
	}},
	{name: "Gustavo Prado", phone: "+5511912345615", label: -1, sector: 1, company: "Prado Engenharia", city: "São Paulo", steps: []step{
		{ago: 27 * 60 * minute, says: "Chegou tudo certinho, parabéns pelo atendimento 👏"},
		{ago: 27*60*minute - minute, hands: true},
		{ago: 27*60*minute - 3*minute, answers: "Que bom, Gustavo! Até a próxima.", by: 3},
		{ago: 27*60*minute - 4*minute, status: "read"},
		{ago: 27*60*minute - 5*minute, closes: "elogio", by: 3},
	}},
	{name: "Beatriz Amaral", phone: "+5511912345616", label: 0, sector: 0, city: "Campinas", steps: []step{
		{ago: 29 * 60 * minute, says: "Quero um bolo de dois andares para 15 de dezembro."},
		{ago: 29*60*minute - minute, hands: true},
		{ago: 29*60*minute - 9*minute, answers: "Adoramos! Para quantas pessoas seria?", by: 2},
		{ago: 28 * 60 * minute, says: "Umas 80"},
		{ago: 28*60*minute - 4*minute, answers: "Anotado. Te mando um orçamento até amanhã.", by: 2},
		{ago: 28*60*minute - 5*minute, status: "read"},
		{ago: 28*60*minute - 6*minute, reads: true, by: 2},
	}},
	{name: "Fernando Ikeda", phone: "+5511912345617", label: 1, sector: 1, company: "Ikeda Contabilidade", city: "São Paulo", steps: []step{
		{ago: 110 * minute, says: "Veio um salgado a menos no meu pedido."},
		{ago: 109 * minute, hands: true},
		{ago: 100 * minute, answers: "Desculpe, Fernando! Enviamos agora, sem custo.", by: 3},
		{ago: 99 * minute, status: "delivered"},
		{ago: 90 * minute, says: "Obrigado pela agilidade"},
		{ago: 89 * minute, reads: true, by: 3},
	}},
	{name: "Júlia Antunes", phone: "+5511912345618", label: -1, sector: 0, city: "São Paulo", steps: []step{
		{ago: 2 * minute, says: "Oi, tem brigadeiro de pistache hoje?"},
	}},
	{name: "Restaurante Dona Zefa", phone: "+5511912345619", label: 2, sector: 0, muted: true, company: "Dona Zefa Alimentos", city: "Cotia", steps: []step{
		{ago: 8 * 60 * minute, phone: "Bom dia! O pedido de hoje sai às 6h, como sempre."},
		{ago: 8*60*minute - 9*minute, says: "Beleza, obrigado!"},
		{ago: 8*60*minute - 10*minute, reads: true},
	}},
	{name: "Vitor Sampaio", phone: "+5511912345620", label: -1, sector: 2, city: "São Paulo", steps: []step{
		{ago: 52 * minute, says: "Fui cobrado duas vezes no cartão."},
		{ago: 51 * minute, hands: true},
		{ago: 44 * minute, takes: true, by: 4},
		{ago: 43 * minute, answers: "Vitor, já pedi o estorno. Aparece na fatura em até 5 dias.", by: 4},
		{ago: 42 * minute, status: "read"},
		{ago: 25 * minute, says: "Vou acompanhar. Consegue me mandar o comprovante do estorno?"},
	}},
	{name: "Helena Duarte", phone: "+5511912345621", label: -1, sector: 0, company: "Duarte Eventos", city: "Barueri", steps: []step{
		{ago: 14 * minute, says: "Bom dia, quero encomendar 100 salgados para sexta."},
		{ago: 14 * minute, hands: true},
		{ago: 11 * minute, answers: "Bom dia, Helena! Prefere sortidos ou só coxinha?", by: 2},
		{ago: 10 * minute, status: "delivered"},
		{ago: 8 * minute, says: "Sortidos, por favor"},
	}},
}
