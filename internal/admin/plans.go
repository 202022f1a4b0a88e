package admin

import "recado/internal/kernel"

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
		labels:  []label{{"Encomenda", "#0b7a5b"}, {"Urgente", "#c62828"}, {"Atacado", "#1565c0"}},
		stories: morning,
		weeks:   weeks,
		boards:  bakeryBoards,
	},
	{
		name: "Oficina Boreal", domain: "boreal.example", phone: "+554130030001", privatePhone: "+554130030002", privateCustomer: "+5541912340099",
		people: []person{
			{"Diego Prado", kernel.RoleOwner, kernel.AccessAll, []int{0, 1}},
			{"Eva Lacerda", kernel.RoleAdmin, kernel.AccessAll, []int{0}},
			{"Fabio Torres", kernel.RoleAgent, kernel.AccessOwn, []int{1}},
		},
		sectors: []string{"Recepção", "Oficina"},
		labels:  []label{{"Orçamento", "#6a1b9a"}, {"Garantia", "#b84a00"}, {"Frota", "#00695c"}},
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
