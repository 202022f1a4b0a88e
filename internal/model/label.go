package model

// Label marks contacts, conversations and cards alike.
type Label struct {
	ID    ID     `json:"id"`
	Name  string `json:"name"`
	Color string `json:"color" example:"#2e7d32"`
}
