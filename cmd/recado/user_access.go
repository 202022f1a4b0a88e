package main

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"

	"recado/internal/kernel"
	"recado/internal/people"
	"recado/internal/server"
)

type userListCmd struct {
	databaseFlags
	listFlags
	Company string `help:"Id of a company; default: all." placeholder:"UUID"`
}

func (c *userListCmd) Run(e *env) error {
	company, err := optionalID("--company", c.Company)
	if err != nil {
		return err
	}
	return withDesk(e, c.databaseFlags, func(ctx context.Context, d *server.Desk) error {
		people, err := d.People.People(ctx, company)
		if err != nil {
			return err
		}
		lines := make([]personLine, len(people))
		for i, p := range people {
			lines[i] = personLine{
				ID: p.ID, Name: p.Name, Email: p.Email, Role: p.Role, TwoFactor: p.TwoFactor, Company: kernel.Ref{ID: p.Company.ID, Name: p.Company.Name},
			}
		}
		return printList(e, c.listFlags, "COMPANY\tCOMPANY ID\tEMAIL\tNAME\tROLE\tTWO-FACTOR\tID\n", lines, func(w io.Writer, p *personLine) {
			twoFactor := "off"
			if p.TwoFactor {
				twoFactor = "on"
			}
			_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", p.Company.Name, p.Company.ID, p.Email, p.Name, p.Role, twoFactor, p.ID)
		})
	})
}

// personLine is a printed team member.
type personLine struct {
	ID        kernel.ID   `json:"id"`
	Name      string      `json:"name"`
	Email     string      `json:"email"`
	Role      kernel.Role `json:"role"`
	TwoFactor bool        `json:"two_factor"`
	Company   kernel.Ref  `json:"company"`
}

// personFlags identify a team member.
type personFlags struct {
	Email   string `required:"" help:"E-mail address of the person."`
	Company string `help:"Id of the company, if the address belongs to several." placeholder:"UUID"`
}

func (f personFlags) find(ctx context.Context, d *server.Desk) (people.Person, error) {
	company, err := optionalID("--company", f.Company)
	if err != nil {
		return people.Person{}, err
	}
	p, err := d.People.FindPerson(ctx, f.Email, company)
	if kernel.CodeOf(err) == kernel.CodeCompanyRequired {
		err = fmt.Errorf("%s belongs to several companies: pass --company; recado user list shows their ids (%w)", f.Email, errUsage)
	}
	return p, err
}

type userResetLinkCmd struct {
	databaseFlags
	personFlags
	PublicURL string `name:"public-url" default:"http://127.0.0.1:8080" help:"Public URL of the server, as passed to recado serve (${default})." placeholder:"URL"`
	BasePath  string `name:"base-path" help:"Sub-path of the server, such as /desk." placeholder:"PATH"`
}

func (c *userResetLinkCmd) Run(e *env) error {
	if err := (addressFlags{PublicURL: c.PublicURL, BasePath: c.BasePath}).check(); err != nil {
		return err
	}
	return withDesk(e, c.databaseFlags, func(ctx context.Context, d *server.Desk) error {
		p, err := c.find(ctx, d)
		if err != nil {
			return err
		}
		operator, err := d.People.Operator(ctx, p.Company.ID)
		if err != nil {
			return err
		}
		link, token, err := d.People.ResetLink(ctx, operator, p.ID)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(e.stdout, "%s%s/#/welcome?token=%s\n", strings.TrimSuffix(c.PublicURL, "/"), c.BasePath, url.QueryEscape(token))
		_, _ = fmt.Fprintf(e.stderr, "%s can set a new password with this link. It can be used once, until %s.\n", p.Email, link.ExpiresAt.Format(time.RFC3339))
		return err
	})
}

type userDisableTwoFactorCmd struct {
	databaseFlags
	personFlags
}

func (c *userDisableTwoFactorCmd) Run(e *env) error {
	return withDesk(e, c.databaseFlags, func(ctx context.Context, d *server.Desk) error {
		p, err := c.find(ctx, d)
		if err != nil {
			return err
		}
		if err := d.People.SwitchTwoFactorOff(ctx, p); err != nil {
			return err
		}
		_, err = fmt.Fprintf(e.stdout, "%s can now sign in without a code.\n", p.Email)
		return err
	})
}

// optionalID is parseID for an optional flag.
func optionalID(flag, text string) (kernel.ID, error) {
	if text == "" {
		return kernel.ID{}, nil
	}
	return parseID(flag, text)
}
