package demo

import "recado/internal/model"

// plans are the demo companies. Nobody in them exists.
var plans = []plan{
	{
		name: "Padaria Aurora", domain: "aurora.example", phone: "+551130030001", privatePhone: "+551130030002", privateCustomer: "+5511912340099",
		people: []person{
			{"Ana Owner", model.RoleOwner, model.AccessAll, []int{0, 1}},
			{"Bruno Manager", model.RoleManager, model.AccessAll, []int{0}},
			{"Carla Agent", model.RoleAgent, model.AccessSectors, []int{1}},
		},
		sectors: []string{"Sales", "Support"},
		labels:  []label{{"New customer", "#2e7d32"}, {"Urgent", "#c62828"}, {"Wholesale", "#1565c0"}},
		customers: []customer{
			{"Marina", "+5511912340001", "Bom dia! Vocês entregam no sábado?", "Bom dia, Marina! Entregamos até as 14h."},
			{"João", "+5511912340002", "Quanto custa um bolo para 20 pessoas?", ""},
			{"Célia", "+5521912340003", "Meu pedido ainda não chegou.", "Vou verificar agora mesmo."},
		},
		cards: []card{{"Bolo de 20 pessoas", 0, false}, {"Cesta de café da manhã", 1, false}, {"Pão para o restaurante", 2, false}, {"Proposta de sociedade", 0, true}},
	},
	{
		name: "Oficina Boreal", domain: "boreal.example", phone: "+554130030001", privatePhone: "+554130030002", privateCustomer: "+5541912340099",
		people: []person{
			{"Diego Owner", model.RoleOwner, model.AccessAll, []int{0, 1}},
			{"Elisa Admin", model.RoleAdmin, model.AccessAll, []int{0}},
			{"Fabio Agent", model.RoleAgent, model.AccessOwn, []int{1}},
		},
		sectors: []string{"Front desk", "Workshop"},
		labels:  []label{{"Quote", "#6a1b9a"}, {"Warranty", "#ef6c00"}, {"Fleet", "#00695c"}},
		customers: []customer{
			{"Paulo", "+5541912340001", "Oi, queria marcar a revisão do carro.", "Claro! Pode ser na quinta?"},
			{"Rita", "+5541912340002", "O orçamento ficou pronto?", ""},
		},
		cards: []card{{"Revisão de 20 mil km", 0, false}, {"Troca de embreagem", 1, false}, {"Venda da oficina", 0, true}},
	},
}
