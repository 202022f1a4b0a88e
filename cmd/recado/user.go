package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

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
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(e.stdout, u.ID)
		return err
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
