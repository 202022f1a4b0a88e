package store

import "recado/internal/model"

// Person is a present team member with the company.
type Person struct {
	Company   model.Company
	ID        model.ID
	Name      string
	Email     string
	Role      model.Role
	TwoFactor bool
}

// People lists the present members of all companies, or of one unless that is zero.
func (tx *Tx) People(company model.ID) ([]Person, error) {
	var people []Person
	err := tx.query(`
		SELECT c.id, c.name, c.timezone, u.id, u.name, u.email, u.role, u.two_factor IS NOT NULL
		FROM users u
		JOIN companies c ON c.id = u.company
		WHERE u.removed_at IS NULL
		ORDER BY c.name, c.id, u.email_folded, u.id`, nil, func(r Row) error {
		if company.IsZero() || company == r.ID(0) {
			people = append(people, Person{
				Company: model.Company{ID: r.ID(0), Name: r.Text(1), Timezone: r.Text(2)},
				ID:      r.ID(3), Name: r.Text(4), Email: r.Text(5), Role: model.Role(r.Text(6)), TwoFactor: r.Bool(7),
			})
		}
		return nil
	})
	return people, err
}
