package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"recado/internal/kernel"
	"recado/internal/people"
	"recado/internal/server"
)

type userCmd struct {
	Create      userCreateCmd      `cmd:"" help:"Create a team member."`
	SetPassword userSetPasswordCmd `cmd:"" name:"set-password" help:"Set the password of a team member, read from a prompt or from standard input."`
	List        userListCmd        `cmd:"" help:"List the team members."`
	ResetLink   userResetLinkCmd   `cmd:"" name:"reset-link" help:"Print a link for a team member to set a new password."`

	DisableTwoFactor userDisableTwoFactorCmd `cmd:"" name:"disable-two-factor" help:"Let a team member who lost their device sign in without a code."`
}

type userCreateCmd struct {
	databaseFlags
	Company string `required:"" help:"Id of the company." placeholder:"UUID"`
	Name    string `required:"" help:"Name of the person."`
	Email   string `required:"" help:"E-mail address, used to sign in."`
	Role    string `default:"agent" enum:"owner,admin,manager,agent" help:"owner, admin, manager or agent."`
	Access  string `default:"all" enum:"all,sectors,own" help:"Conversations the person can see: all, sectors or own."`

	PasswordStdin bool `name:"password-stdin" noenv:"" help:"Read a password of at least 10 characters from standard input. Without it, the person has no password and cannot sign in."`
}

func (c *userCreateCmd) Run(e *env) error {
	company, err := parseID("--company", c.Company)
	if err != nil {
		return err
	}
	password := ""
	if c.PasswordStdin {
		if password, err = readLine(e.stdin); err != nil {
			return err
		}
	}
	return withDesk(e, c.databaseFlags, func(ctx context.Context, d *server.Desk) error {
		u, err := d.People.CreateUser(ctx, company, people.NewUser{
			Name: c.Name, Email: c.Email, Password: password, Role: kernel.Role(c.Role), AccessProfile: kernel.AccessProfile(c.Access),
		})
		return printed(e, u.ID, err)
	})
}

// userSetPasswordCmd has no password flag, which would be visible in the process list.
type userSetPasswordCmd struct {
	databaseFlags
	Company string `required:"" help:"Id of the company." placeholder:"UUID"`
	Email   string `required:"" help:"E-mail address of the person."`
}

func (c *userSetPasswordCmd) Run(e *env) error {
	company, err := parseID("--company", c.Company)
	if err != nil {
		return err
	}
	return withDesk(e, c.databaseFlags, func(ctx context.Context, d *server.Desk) error {
		password, err := readPassword(e)
		if err != nil {
			return err
		}
		return d.People.SetPassword(ctx, company, c.Email, password)
	})
}

// readPassword prompts for a password twice without echo, or reads a line if there is no terminal.
func readPassword(e *env) (string, error) {
	f, ok := e.stdin.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return readLine(e.stdin)
	}
	var typed [2]string
	for i, prompt := range []string{"New password: ", "Repeat the password: "} {
		_, _ = io.WriteString(e.stderr, prompt)
		line, err := term.ReadPassword(int(f.Fd()))
		_, _ = io.WriteString(e.stderr, "\n")
		if err != nil {
			return "", fmt.Errorf("the password cannot be read: %w", err)
		}
		typed[i] = string(line)
	}
	if typed[0] != typed[1] {
		return "", errors.New("the two passwords differ")
	}
	return typed[0], nil
}

// readLine reads the first line of the standard input.
func readLine(stdin io.Reader) (string, error) {
	line, err := bufio.NewReader(io.LimitReader(stdin, maxSecretFile)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("the standard input cannot be read: %w", err)
	}
	line = strings.TrimRight(line, "\r\n")
	if line == "" {
		return "", fmt.Errorf("there is no password on the standard input (%w)", errUsage)
	}
	return line, nil
}

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
			lines[i] = personLine{p.ID, p.Name, p.Email, p.Role, p.TwoFactor, kernel.Ref{ID: p.Company.ID, Name: p.Company.Name}}
		}
		return printList(e, c.listFlags, "COMPANY\tCOMPANY ID\tEMAIL\tNAME\tROLE\tTWO-FACTOR\tID\n", lines, func(w io.Writer, p *personLine) {
			twoFactor := map[bool]string{true: "on", false: "off"}[p.TwoFactor]
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
		return printed(e, p.Email+" can now sign in without a code.", d.People.SwitchTwoFactorOff(ctx, p))
	})
}

// optionalID is parseID for an optional flag.
func optionalID(flag, text string) (kernel.ID, error) {
	if text == "" {
		return kernel.ID{}, nil
	}
	return parseID(flag, text)
}
