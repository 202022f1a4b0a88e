package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"recado/internal/kernel"
	"recado/internal/vault"
)

// adviceSecretKey is the advice for a missing or wrong key.
const adviceSecretKey = "put the secret.key of this installation into the data folder, or give its content as --secret-key; " +
	"it stands in the data folder that the database comes from. If it is lost for good, run `recado secret-key replace-lost`"

// openVault opens the secret keys. It creates a key file only if the database contains no secrets, because a new key could not
// open those of a restored database.
func openVault(ctx context.Context, c Config, db *kernel.Store) (*vault.Vault, error) {
	if c.SecretKey != "" {
		return vault.FromEnv(c.SecretKey)
	}
	needed := false
	err := db.ReadOne(ctx, func(tx *kernel.Tx) (err error) {
		needed, err = hasSecrets(tx)
		return err
	})
	if err != nil {
		return nil, err
	}
	if !needed || c.LostSecretKey {
		if _, err := os.Stat(c.DataDir); c.Existing && errors.Is(err, fs.ErrNotExist) {
			return nil, noData(c.DataDir)
		}
		return vault.Open(c.DataDir)
	}
	keys, err := vault.Load(c.DataDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("the secret key of this database is missing: there is no secret.key in %s; %s", c.DataDir, adviceSecretKey)
	}
	return keys, err
}

// checkSecretKey returns an error if the key does not fit the database.
func (s *Server) checkSecretKey(ctx context.Context) error {
	if s.config.LostSecretKey {
		return nil
	}
	err := s.Desk.SecretKey().Check(ctx)
	if errors.Is(err, ErrWrongSecretKey) {
		return fmt.Errorf("%w: %s", err, adviceSecretKey)
	}
	return err
}
