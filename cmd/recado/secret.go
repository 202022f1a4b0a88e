package main

import (
	"context"
	"fmt"

	"recado/internal/server"
)

type secretCmd struct {
	Rotate      secretRotateCmd      `cmd:"" help:"Add a new key to the key file and re-encrypt every secret with it; older keys are kept."`
	Retire      secretRetireCmd      `cmd:"" help:"Re-encrypt remaining secrets with the newest key and remove all other keys from the key file."`
	ReplaceLost secretReplaceLostCmd `cmd:"" name:"replace-lost" help:"Recover an installation whose secret key is lost: unreadable secrets are replaced."`
}

type secretRotateCmd struct{ databaseFlags }

func (c *secretRotateCmd) Run(e *env) error {
	return withDesk(e, c.databaseFlags, func(ctx context.Context, d *server.Desk) error {
		n, err := d.SecretKey().Rotate(ctx)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(e.stdout, "A new key was added and %d secrets were re-encrypted with it. The older keys are kept until you run `recado secret-key retire`.\n", n)
		return err
	})
}

type secretRetireCmd struct{ databaseFlags }

func (c *secretRetireCmd) Run(e *env) error {
	return withDesk(e, c.databaseFlags, func(ctx context.Context, d *server.Desk) error {
		if c.SecretKey != "" {
			if _, err := d.SecretKey().Reseal(ctx); err != nil {
				return err
			}
			_, err := fmt.Fprintln(e.stdout, "Every secret is encrypted with the first key of the setting. Remove the other keys from it on every node, and restart.")
			return err
		}
		if err := d.SecretKey().Retire(ctx); err != nil {
			return err
		}
		_, err := fmt.Fprintln(e.stdout, "All keys except the newest were removed. Restart the server. Older backups still need the older keys.")
		return err
	})
}

type secretReplaceLostCmd struct{ databaseFlags }

func (c *secretReplaceLostCmd) Run(e *env) error {
	config, err := c.config(e)
	if err != nil {
		return err
	}
	config.Existing, config.LostSecretKey = true, true
	return withConfig(e, config, func(ctx context.Context, d *server.Desk) error {
		webhooks, channels, members, err := d.SecretKey().ReplaceLost(ctx)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(e.stdout, "%d webhooks have a new secret and are inactive: rotate the secret of each, give it to the receiver, and activate the webhook.\n"+
			"%d channels are disconnected: connect each again with `recado channel connect --token-file FILE --app-secret-file FILE`.\n"+
			"%d people now sign in without two-factor: ask them to turn it on again.\n", webhooks, channels, members)
		return err
	})
}
