package admin

import (
	"bytes"
	"fmt"
	"slices"

	"recado/internal/channels"
	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/internal/reasons"
	"recado/internal/reception"
	"recado/internal/talk"
)

// reason is a closing reason of the company, and the texts of the cases that are closed with it.
type reason struct {
	name    string
	sectors []int // of the plan; empty: all
	note    bool  // required
	texts   []string
}

var bakeryReasons = []reason{
	{name: "Dúvida respondida", texts: []string{"respondido", "lista enviada", "fotos enviadas"}},
	{name: "Pedido fechado", sectors: []int{0}, texts: []string{"pedido semanal", "pedido alterado", "reserva feita", "amostra combinada"}},
	{name: "Orçamento enviado", sectors: []int{0}, texts: []string{"orçamento enviado"}},
	{name: "Entrega combinada", sectors: []int{1}, texts: []string{"entrega combinada", "endereço alterado"}},
	{name: "Pagamento ou nota", sectors: []int{2}, texts: []string{"nota corrigida", "nota enviada", "boleto enviado", "pagamento conferido", "vencimento alterado"}},
	{name: "Reclamação resolvida", note: true, texts: []string{"pedido trocado"}},
	{name: "Elogio", texts: []string{"elogio"}},
	{name: "Cliente não respondeu"},
}

// reply is a canned reply of the team.
type reply struct {
	shortcut, title, text string
	file                  bool  // with the menu of the bakery
	sectors               []int // of the plan; empty: all
}

var bakeryReplies = []reply{
	{shortcut: "saudacao", title: "Saudação", text: "Olá, {{contact.first_name|bom dia}}! Quem fala é {{user.name}}, da {{company}}. Como posso ajudar?"},
	{shortcut: "cardapio", title: "Cardápio", text: "{{contact.first_name|Olá}}, segue o nosso cardápio com os preços. Ficou com alguma dúvida?", file: true, sectors: []int{0}},
	{
		shortcut: "encomenda", title: "Dados da encomenda", sectors: []int{0},
		text: "Para fechar a sua encomenda, me conte por favor:\n- sabor e recheio\n- para quantas pessoas\n- dia e hora da retirada",
	},
	{shortcut: "saiu", title: "Saiu para entrega", text: "Boa notícia, {{contact.first_name|tudo certo}}! O seu pedido acabou de sair e chega em uns 30 minutos. 🛵", sectors: []int{1}},
	{shortcut: "pix", title: "Chave PIX", text: "A nossa chave PIX é *pix@aurora.example*. Depois de pagar, me mande o comprovante por aqui, por favor.", sectors: []int{0, 2}},
	{
		shortcut: "desculpa", title: "Pedido com problema",
		text: "{{contact.first_name|Olá}}, desculpe pelo transtorno! Já estamos resolvendo e te aviso ainda hoje. O número do seu atendimento é {{protocol}}.",
	},
	{shortcut: "obrigado", title: "Agradecimento", text: "Nós é que agradecemos, {{contact.first_name|até a próxima}}! Conte sempre com a {{company}}. 🥖"},
}

var weekdays = []string{"mon", "tue", "wed", "thu", "fri"}

// bakeryHours are open on weekdays and Saturday mornings. The bakery closes on three national holidays; on others it opens in the
// morning.
var bakeryHours = reception.HoursChange{
	Name: new("Segunda a sábado"), Timezone: new("America/Sao_Paulo"),
	Weekly: &[]reception.WeeklyPeriod{{Days: weekdays, From: "07:00", To: "19:00"}, {Days: []string{"sat"}, From: "07:00", To: "13:00"}},
	Exceptions: &[]reception.HoursException{
		{Date: "--01-01", Closed: true},
		{Date: "--05-01", Closed: true},
		{Date: "--09-07", Periods: []reception.HoursPeriod{{From: "07:00", To: "13:00"}}},
		{Date: "--11-20", Periods: []reception.HoursPeriod{{From: "07:00", To: "13:00"}}},
		{Date: "--12-25", Closed: true},
	},
}

// receptionPlan is the reception of the public channel. Option i of the menu leads to sector i.
type receptionPlan struct {
	greeting, away, menu string
	options              []string
	enabled              bool // after the demo was created
}

var bakeryReception = receptionPlan{
	greeting: "Olá! Você falou com a Padaria Aurora. 🥖",
	away:     "Agora estamos fechados. Abrimos de segunda a sexta das 7h às 19h e aos sábados até as 13h. Deixe a sua mensagem e respondemos assim que abrirmos.",
	menu:     "Como podemos ajudar?",
	options:  []string{"Fazer um pedido", "Acompanhar entrega", "Pagamento e nota"},
}

var garageReception = receptionPlan{
	greeting: "Olá! Aqui é a Oficina Boreal. 🔧",
	away:     "Agora estamos fechados. Deixe a placa do carro e o que precisa, e respondemos no próximo dia útil.",
	menu:     "O que você precisa?",
	options:  []string{"Marcar um horário", "Falar com a oficina"},
	enabled:  true,
}

// choice returns the customer's choice of an option.
func (r receptionPlan) choice(title string) *provider.Choice {
	return &provider.Choice{ID: fmt.Sprintf("menu:%d", slices.Index(r.options, title)+1), Title: title}
}

func (m *maker) reasons() error {
	for _, r := range m.plan.reasons {
		made, err := m.desk.Reasons.CreateReason(m.ctx, m.owner, reasons.ReasonChange{
			Name: &r.name, SectorIDs: new(pick(m.out.Sectors, r.sectors)), RequireNote: &r.note,
		})
		if err != nil {
			return err
		}
		for _, text := range r.texts {
			in := talk.CloseInput{ReasonID: &made.ID}
			if r.note {
				in.Note = text
			}
			m.closing[text] = in
		}
	}
	return nil
}

func (m *maker) replies() error {
	for _, r := range m.plan.replies {
		in := talk.ReplyChange{Shortcut: &r.shortcut, Title: &r.title, Text: &r.text, SectorIDs: new(pick(m.out.Sectors, r.sectors))}
		if r.file {
			media, err := m.desk.Talk.UploadMedia(m.ctx, m.owner, fileMenu, bytes.NewReader(menuDocument()))
			if err != nil {
				return err
			}
			in.MediaID = optionalID(media.ID)
		}
		if _, err := m.desk.Talk.CreateReply(m.ctx, m.owner, kernel.Optional[kernel.ID]{Set: true, Null: true}, in); err != nil {
			return err
		}
	}
	return nil
}

// hours creates opening hours. Only the private channel uses them, so that the public one is open at any time of the day.
func (m *maker) hours() error {
	if m.plan.hours == nil {
		return nil
	}
	hours, err := m.desk.Receptionist.CreateHours(m.ctx, m.owner, *m.plan.hours)
	if err != nil {
		return err
	}
	_, _, err = m.desk.Channels.UpdateChannel(m.ctx, m.owner, m.out.PrivateChannel, channels.ChannelChange{Hours: optionalID(hours.ID)})
	return err
}

// reception stores the reception of the public channel. One that is not enabled has no menu: whoever enables it adds one.
func (m *maker) reception() error {
	r := m.receptionOf(m.plan.reception.enabled)
	if !r.Enabled {
		r.Menu = nil
	}
	_, err := m.desk.Receptionist.SetReception(m.ctx, m.owner, m.out.Channel, r, 0)
	return err
}

// withReception enables the reception while do runs.
func (m *maker) withReception(do func() error) error {
	for _, step := range []func() error{
		func() error { return m.setReception(true) }, do, func() error { return m.setReception(false) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func (m *maker) setReception(enabled bool) error {
	_, err := m.desk.Receptionist.SetReception(m.ctx, m.owner, m.out.Channel, m.receptionOf(enabled), 0)
	return err
}

func (m *maker) receptionOf(enabled bool) reception.Reception {
	plan := m.plan.reception
	menu := &reception.Menu{Text: plan.menu, MaxInvalid: reception.DefaultMaxInvalid, TimeoutMinutes: reception.DefaultMenuTimeout}
	for i, title := range plan.options {
		menu.Options = append(menu.Options, reception.MenuOption{Title: title, Action: reception.MenuAction{Sector: &m.out.Sectors[i]}})
	}
	return reception.Reception{Enabled: enabled, Greeting: &plan.greeting, Away: &plan.away, Menu: menu}
}

func menuDocument() []byte {
	return document("Padaria Aurora", "", "Bolo de chocolate (20 fatias)     R$ 140", "Cesta de cafe da manha     R$ 95", "Salgados (cento)     R$ 80")
}

// pick returns the ids at some indexes.
func pick(ids []kernel.ID, indexes []int) []kernel.ID {
	picked := []kernel.ID{}
	for _, i := range indexes {
		picked = append(picked, ids[i])
	}
	return picked
}
