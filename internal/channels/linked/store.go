package linked

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	signallogger "go.mau.fi/libsignal/logger"
	"go.mau.fi/util/random"
	"go.mau.fi/whatsmeow/proto/waAdv"
	"go.mau.fi/whatsmeow/store"
	"go.mau.fi/whatsmeow/types"
	"go.mau.fi/whatsmeow/util/keys"
	waLog "go.mau.fi/whatsmeow/util/log"
	"google.golang.org/protobuf/proto"
)

// The kinds of rows.
const (
	kindDevice     = "device"
	kindIdentity   = "identity"
	kindSession    = "session"
	kindPreKey     = "prekey"
	kindNextPreKey = "next_prekey"
	kindSenderKey  = "sender_key"
	kindSyncKey    = "sync_key"
	kindVersion    = "app_state"
	kindMutation   = "mutation"
	kindContact    = "contact"
	kindChat       = "chat"
	kindSecret     = "message_secret"
	kindToken      = "privacy_token"
	kindBuffer     = "buffer"
	kindLID        = "lid"
	kindPN         = "pn"
)

// bufferFor is how long decrypted events are remembered: WhatsApp's servers keep undelivered ones for 14 days.
const bufferFor = 14 * 24 * time.Hour

// deviceStore implements the stores of whatsmeow for one device.
type deviceStore struct {
	*rows
	preKeys  sync.Mutex
	contacts sync.Mutex
	migrated sync.Map // the phone numbers whose sessions were moved to a LID
}

// savedDevice is a store.Device as it is stored.
type savedDevice struct {
	Noise, Identity, SignedPreKey []byte
	SignedPreKeyID                uint32
	Signature                     []byte
	RegistrationID                uint32
	AdvSecret                     []byte
	ID, LID                       string
	Account                       []byte
	Platform, BusinessName        string
	PushName                      string
	LIDMigration                  int64
}

// newDevice returns the stored device of a channel, or a new one that is not linked yet.
func newDevice(ctx context.Context, r *rows, log waLog.Logger) (*store.Device, error) {
	s := &deviceStore{rows: r}
	d := &store.Device{
		Log: log, Container: s, Initialized: true,
		Identities: s, Sessions: s, PreKeys: s, SenderKeys: s, AppStateKeys: s, AppState: s, Contacts: s, ChatSettings: s,
		MsgSecrets: s, PrivacyTokens: s, EventBuffer: s, LIDs: s,
	}
	var saved savedDevice
	found, err := r.getJSON(ctx, kindDevice, "", &saved)
	if err != nil {
		return nil, err
	}
	if !found {
		d.NoiseKey, d.IdentityKey = keys.NewKeyPair(), keys.NewKeyPair()
		d.RegistrationID, d.AdvSecretKey = uint32(randomID()), random.Bytes(32)
		d.SignedPreKey = d.IdentityKey.CreateSignedPreKey(1)
		return d, nil
	}
	return d, saved.restore(d)
}

// silent is the logger of libsignal, which would set its own on first use, without synchronization.
type silent struct{}

func (silent) Debug(_, _ string)   {}
func (silent) Info(_, _ string)    {}
func (silent) Warning(_, _ string) {}
func (silent) Error(_, _ string)   {}
func (silent) Configure(string)    {}

func init() {
	var none signallogger.Loggable = silent{}
	signallogger.Setup(&none)
}

// randomID returns a registration id of Signal, which has 14 bits.
func randomID() int64 {
	b := random.Bytes(2)
	return int64(b[0]&0x3f)<<8 | int64(b[1]) | 1
}

func (saved *savedDevice) restore(d *store.Device) (err error) {
	for _, size := range [][]byte{saved.Noise, saved.Identity, saved.SignedPreKey} {
		if len(size) != 32 {
			return fmt.Errorf("linked: a stored key has %d bytes", len(size))
		}
	}
	if len(saved.Signature) != 64 {
		return fmt.Errorf("linked: the stored signature has %d bytes", len(saved.Signature))
	}
	d.NoiseKey = keys.NewKeyPairFromPrivateKey([32]byte(saved.Noise))
	d.IdentityKey = keys.NewKeyPairFromPrivateKey([32]byte(saved.Identity))
	d.SignedPreKey = &keys.PreKey{
		KeyPair: *keys.NewKeyPairFromPrivateKey([32]byte(saved.SignedPreKey)), KeyID: saved.SignedPreKeyID,
		Signature: (*[64]byte)(saved.Signature),
	}
	d.RegistrationID, d.AdvSecretKey = saved.RegistrationID, saved.AdvSecret
	d.Platform, d.BusinessName, d.PushName = saved.Platform, saved.BusinessName, saved.PushName
	d.LIDMigrationTimestamp = saved.LIDMigration
	id, err := types.ParseJID(saved.ID)
	if err != nil {
		return err
	}
	d.ID = &id
	if saved.LID != "" {
		if d.LID, err = types.ParseJID(saved.LID); err != nil {
			return err
		}
	}
	d.Account = &waAdv.ADVSignedDeviceIdentity{}
	return proto.Unmarshal(saved.Account, d.Account)
}

// PutDevice stores the device.
func (s *deviceStore) PutDevice(ctx context.Context, d *store.Device) error {
	account, err := proto.Marshal(d.Account)
	if err != nil {
		return err
	}
	saved := savedDevice{
		Noise: d.NoiseKey.Priv[:], Identity: d.IdentityKey.Priv[:], SignedPreKey: d.SignedPreKey.Priv[:],
		SignedPreKeyID: d.SignedPreKey.KeyID, Signature: d.SignedPreKey.Signature[:], RegistrationID: d.RegistrationID,
		AdvSecret: d.AdvSecretKey, ID: d.GetJID().String(), Account: account, Platform: d.Platform, BusinessName: d.BusinessName,
		PushName: d.PushName, LIDMigration: d.LIDMigrationTimestamp,
	}
	if !d.LID.IsEmpty() {
		saved.LID = d.LID.String()
	}
	return s.putJSON(ctx, kindDevice, "", &saved)
}

// DeleteDevice deletes everything about the device.
func (s *deviceStore) DeleteDevice(ctx context.Context, _ *store.Device) error { return s.clear(ctx) }

// PutIdentity stores the identity key of a device.
func (s *deviceStore) PutIdentity(ctx context.Context, address string, key [32]byte) error {
	return s.put(ctx, kindIdentity, address, key[:])
}

// DeleteAllIdentities deletes the identity keys of a person.
func (s *deviceStore) DeleteAllIdentities(ctx context.Context, phone string) error {
	return s.deletePrefix(ctx, kindIdentity, phone+":")
}

// DeleteIdentity deletes one identity key.
func (s *deviceStore) DeleteIdentity(ctx context.Context, address string) error {
	return s.delete(ctx, kindIdentity, address)
}

// IsTrustedIdentity reports whether an identity key is the stored one, or there is none.
func (s *deviceStore) IsTrustedIdentity(ctx context.Context, address string, key [32]byte) (bool, error) {
	known, err := s.get(ctx, kindIdentity, address)
	return known == nil || bytes.Equal(known, key[:]), err
}

// GetSession returns a session, or nil.
func (s *deviceStore) GetSession(ctx context.Context, address string) ([]byte, error) {
	return s.get(ctx, kindSession, address)
}

// HasSession reports whether there is a session.
func (s *deviceStore) HasSession(ctx context.Context, address string) (bool, error) {
	session, err := s.get(ctx, kindSession, address)
	return session != nil, err
}

// GetManySessions returns the sessions of several addresses; nil for those without one.
func (s *deviceStore) GetManySessions(ctx context.Context, addresses []string) (map[string][]byte, error) {
	sessions := map[string][]byte{}
	for _, address := range addresses {
		session, err := s.get(ctx, kindSession, address)
		if err != nil {
			return nil, err
		}
		sessions[address] = session
	}
	return sessions, nil
}

// PutSession stores a session.
func (s *deviceStore) PutSession(ctx context.Context, address string, session []byte) error {
	return s.put(ctx, kindSession, address, session)
}

// PutManySessions stores sessions in one transaction.
func (s *deviceStore) PutManySessions(ctx context.Context, sessions map[string][]byte) error {
	c := changes{}
	for address, session := range sessions {
		c[rowKey{kindSession, address}] = session
	}
	return s.apply(ctx, c)
}

// DeleteAllSessions deletes the sessions of a person.
func (s *deviceStore) DeleteAllSessions(ctx context.Context, phone string) error {
	return s.deletePrefix(ctx, kindSession, phone+":")
}

// DeleteSession deletes one session.
func (s *deviceStore) DeleteSession(ctx context.Context, address string) error {
	return s.delete(ctx, kindSession, address)
}

// MigratePNToLID moves sessions and keys of a person from the phone number to the LID.
func (s *deviceStore) MigratePNToLID(ctx context.Context, pn, lid types.JID) error {
	from, to := pn.SignalAddressUser()+":", lid.SignalAddressUser()+":"
	if moved, known := s.migrated.Load(from); known && moved == to {
		return nil
	}
	c := changes{}
	for _, kind := range []string{kindSession, kindIdentity} {
		values, err := s.list(ctx, kind, from)
		if err != nil {
			return err
		}
		for key, value := range values {
			c[rowKey{kind, key}] = nil
			c[rowKey{kind, to + strings.TrimPrefix(key, from)}] = value
		}
	}
	values, err := s.listContaining(ctx, kindSenderKey, " "+from)
	for key, value := range values {
		if group, user, _ := strings.Cut(key, " "); strings.HasPrefix(user, from) {
			c[rowKey{kindSenderKey, key}] = nil
			c[rowKey{kindSenderKey, group + " " + to + strings.TrimPrefix(user, from)}] = value
		}
	}
	if err == nil {
		err = s.apply(ctx, c)
	}
	if err == nil {
		s.migrated.Store(from, to)
	}
	return err
}

type savedPreKey struct {
	Key      []byte
	Uploaded bool
}

func preKeyName(id uint32) string { return fmt.Sprintf("%08d", id) }

func (saved savedPreKey) key(name string) (*keys.PreKey, error) {
	id, err := strconv.ParseUint(name, 10, 32)
	if err != nil || len(saved.Key) != 32 {
		return nil, fmt.Errorf("linked: stored key %q is damaged", name)
	}
	return &keys.PreKey{KeyPair: *keys.NewKeyPairFromPrivateKey([32]byte(saved.Key)), KeyID: uint32(id)}, nil
}

// listPreKeys returns the stored keys in order of their ids.
func (s *deviceStore) listPreKeys(ctx context.Context) (names []string, all map[string]savedPreKey, err error) {
	values, err := s.list(ctx, kindPreKey, "")
	all = map[string]savedPreKey{}
	for name, value := range values {
		var saved savedPreKey
		if err := json.Unmarshal(value, &saved); err != nil {
			return nil, nil, err
		}
		all[name] = saved
		names = append(names, name)
	}
	slices.Sort(names)
	return names, all, err
}

// generate stores n new keys. The caller holds preKeys.
func (s *deviceStore) generate(ctx context.Context, n int, uploaded bool) ([]*keys.PreKey, error) {
	next := uint32(1)
	if _, err := s.getJSON(ctx, kindNextPreKey, "", &next); err != nil {
		return nil, err
	}
	c, made := changes{}, make([]*keys.PreKey, n)
	for i := range made {
		made[i] = keys.NewPreKey(next)
		value, err := json.Marshal(savedPreKey{made[i].Priv[:], uploaded})
		if err != nil {
			return nil, err
		}
		c[rowKey{kindPreKey, preKeyName(next)}] = value
		next++
	}
	c[rowKey{kindNextPreKey, ""}] = []byte(strconv.FormatUint(uint64(next), 10))
	return made, s.apply(ctx, c)
}

// GetOrGenPreKeys returns keys that are not uploaded yet, and generates those that are missing.
func (s *deviceStore) GetOrGenPreKeys(ctx context.Context, count uint32) ([]*keys.PreKey, error) {
	s.preKeys.Lock()
	defer s.preKeys.Unlock()
	names, all, err := s.listPreKeys(ctx)
	if err != nil {
		return nil, err
	}
	var out []*keys.PreKey
	for _, name := range names {
		if saved := all[name]; !saved.Uploaded && len(out) < int(count) {
			key, err := saved.key(name)
			if err != nil {
				return nil, err
			}
			out = append(out, key)
		}
	}
	made, err := s.generate(ctx, int(count)-len(out), false)
	return append(out, made...), err
}

// GenOnePreKey generates a key that is sent right away.
func (s *deviceStore) GenOnePreKey(ctx context.Context) (*keys.PreKey, error) {
	s.preKeys.Lock()
	defer s.preKeys.Unlock()
	made, err := s.generate(ctx, 1, true)
	if err != nil {
		return nil, err
	}
	return made[0], nil
}

// GetPreKey returns a key, or nil.
func (s *deviceStore) GetPreKey(ctx context.Context, id uint32) (*keys.PreKey, error) {
	var saved savedPreKey
	found, err := s.getJSON(ctx, kindPreKey, preKeyName(id), &saved)
	if err != nil || !found {
		return nil, err
	}
	return saved.key(preKeyName(id))
}

// RemovePreKey deletes a key.
func (s *deviceStore) RemovePreKey(ctx context.Context, id uint32) error {
	return s.delete(ctx, kindPreKey, preKeyName(id))
}

// MarkPreKeysAsUploaded marks all keys up to an id.
func (s *deviceStore) MarkPreKeysAsUploaded(ctx context.Context, upTo uint32) error {
	s.preKeys.Lock()
	defer s.preKeys.Unlock()
	names, all, err := s.listPreKeys(ctx)
	if err != nil {
		return err
	}
	c := changes{}
	for _, name := range names {
		if saved := all[name]; name <= preKeyName(upTo) && !saved.Uploaded {
			saved.Uploaded = true
			if c[rowKey{kindPreKey, name}], err = json.Marshal(saved); err != nil {
				return err
			}
		}
	}
	return s.apply(ctx, c)
}

// UploadedPreKeyCount returns the number of uploaded keys.
func (s *deviceStore) UploadedPreKeyCount(ctx context.Context) (n int, err error) {
	_, all, err := s.listPreKeys(ctx)
	for _, saved := range all {
		if saved.Uploaded {
			n++
		}
	}
	return n, err
}

// PutSenderKey stores the key of a group's sender.
func (s *deviceStore) PutSenderKey(ctx context.Context, group, user string, session []byte) error {
	return s.put(ctx, kindSenderKey, group+" "+user, session)
}

// GetSenderKey returns the key of a group's sender, or nil.
func (s *deviceStore) GetSenderKey(ctx context.Context, group, user string) ([]byte, error) {
	return s.get(ctx, kindSenderKey, group+" "+user)
}

// PutAppStateSyncKey stores a key of the app state unless a newer one is stored.
func (s *deviceStore) PutAppStateSyncKey(ctx context.Context, id []byte, key store.AppStateSyncKey) error {
	if known, err := s.GetAppStateSyncKey(ctx, id); err != nil || known != nil && known.Timestamp >= key.Timestamp {
		return err
	}
	return s.putJSON(ctx, kindSyncKey, hex.EncodeToString(id), &key)
}

// GetAppStateSyncKey returns a key of the app state, or nil.
func (s *deviceStore) GetAppStateSyncKey(ctx context.Context, id []byte) (*store.AppStateSyncKey, error) {
	var key store.AppStateSyncKey
	found, err := s.getJSON(ctx, kindSyncKey, hex.EncodeToString(id), &key)
	if err != nil || !found {
		return nil, err
	}
	return &key, nil
}

// GetLatestAppStateSyncKeyID returns the id of the newest key of the app state, or nil.
func (s *deviceStore) GetLatestAppStateSyncKeyID(ctx context.Context) (id []byte, err error) {
	values, err := s.list(ctx, kindSyncKey, "")
	latest := int64(-1)
	for name, value := range values {
		var key store.AppStateSyncKey
		if err := json.Unmarshal(value, &key); err != nil {
			return nil, err
		}
		if key.Timestamp > latest {
			latest = key.Timestamp
			if id, err = hex.DecodeString(name); err != nil {
				return nil, err
			}
		}
	}
	return id, err
}

type savedVersion struct {
	Version uint64
	Hash    []byte
}

// PutAppStateVersion stores the version of a part of the app state.
func (s *deviceStore) PutAppStateVersion(ctx context.Context, name string, version uint64, hash [128]byte) error {
	return s.putJSON(ctx, kindVersion, name, &savedVersion{version, hash[:]})
}

// GetAppStateVersion returns the version of a part of the app state.
func (s *deviceStore) GetAppStateVersion(ctx context.Context, name string) (version uint64, hash [128]byte, err error) {
	var saved savedVersion
	_, err = s.getJSON(ctx, kindVersion, name, &saved)
	copy(hash[:], saved.Hash)
	return saved.Version, hash, err
}

// DeleteAppStateVersion deletes a part of the app state.
func (s *deviceStore) DeleteAppStateVersion(ctx context.Context, name string) error {
	if err := s.deletePrefix(ctx, kindMutation, name+" "); err != nil {
		return err
	}
	return s.delete(ctx, kindVersion, name)
}

func mutationKey(name string, index []byte) string { return name + " " + hex.EncodeToString(index) }

// PutAppStateMutationMACs stores hashes of the app state.
func (s *deviceStore) PutAppStateMutationMACs(
	ctx context.Context, name string, _ uint64, mutations []store.AppStateMutationMAC,
) error {
	c := changes{}
	for _, m := range mutations {
		c[rowKey{kindMutation, mutationKey(name, m.IndexMAC)}] = m.ValueMAC
	}
	return s.apply(ctx, c)
}

// DeleteAppStateMutationMACs deletes hashes of the app state.
func (s *deviceStore) DeleteAppStateMutationMACs(ctx context.Context, name string, indexMACs [][]byte) error {
	c := changes{}
	for _, index := range indexMACs {
		c[rowKey{kindMutation, mutationKey(name, index)}] = nil
	}
	return s.apply(ctx, c)
}

// GetAppStateMutationMAC returns a hash of the app state, or nil.
func (s *deviceStore) GetAppStateMutationMAC(ctx context.Context, name string, indexMAC []byte) ([]byte, error) {
	return s.get(ctx, kindMutation, mutationKey(name, indexMAC))
}

// changeContact changes what is known of a person.
func (s *deviceStore) changeContact(ctx context.Context, user types.JID, change func(c *types.ContactInfo) (changed bool)) error {
	s.contacts.Lock()
	defer s.contacts.Unlock()
	return s.changeOne(ctx, user, change)
}

// changeOne is changeContact for a caller who holds contacts until the change is stored.
func (s *deviceStore) changeOne(ctx context.Context, user types.JID, change func(c *types.ContactInfo) (changed bool)) error {
	c, err := s.GetContact(ctx, user)
	if err != nil || !change(&c) {
		return err
	}
	c.Found = true
	return s.putJSON(ctx, kindContact, user.ToNonAD().String(), &c)
}

// setName changes a name of a person and returns the previous one.
func (s *deviceStore) setName(
	ctx context.Context, user types.JID, name string, field func(c *types.ContactInfo) *string,
) (changed bool, previous string, err error) {
	err = s.changeContact(ctx, user, func(c *types.ContactInfo) bool {
		if f := field(c); *f != name {
			changed, previous, *f = true, *f, name
		}
		return changed
	})
	return changed, previous, err
}

// PutPushName stores the name that a person chose.
func (s *deviceStore) PutPushName(ctx context.Context, user types.JID, name string) (changed bool, previous string, err error) {
	return s.setName(ctx, user, name, func(c *types.ContactInfo) *string { return &c.PushName })
}

// PutBusinessName stores the verified name of a business.
func (s *deviceStore) PutBusinessName(ctx context.Context, user types.JID, name string) (changed bool, previous string, err error) {
	return s.setName(ctx, user, name, func(c *types.ContactInfo) *string { return &c.BusinessName })
}

// PutContactName stores a name of the phone's address book.
func (s *deviceStore) PutContactName(ctx context.Context, user types.JID, firstName, fullName string) error {
	return s.changeContact(ctx, user, bookNames(firstName, fullName))
}

// bookNames returns the change to names of the phone's address book.
func bookNames(firstName, fullName string) func(c *types.ContactInfo) (changed bool) {
	return func(c *types.ContactInfo) bool {
		changed := c.FullName != fullName || c.FirstName != firstName
		c.FullName, c.FirstName = fullName, firstName
		return changed
	}
}

// PutAllContactNames stores names of the phone's address book in one transaction.
func (s *deviceStore) PutAllContactNames(ctx context.Context, contacts []store.ContactEntry) error {
	s.contacts.Lock()
	defer s.contacts.Unlock()
	return s.together(ctx, func(ctx context.Context) error {
		for _, c := range contacts {
			if err := s.changeOne(ctx, c.JID, bookNames(c.FirstName, c.FullName)); err != nil {
				return err
			}
		}
		return nil
	})
}

// PutManyRedactedPhones stores the visible digits of hidden numbers.
func (s *deviceStore) PutManyRedactedPhones(ctx context.Context, entries []store.RedactedPhoneEntry) error {
	s.contacts.Lock()
	defer s.contacts.Unlock()
	return s.together(ctx, func(ctx context.Context) error {
		for _, e := range entries {
			err := s.changeOne(ctx, e.JID, func(c *types.ContactInfo) bool {
				changed := c.RedactedPhone != e.RedactedPhone
				c.RedactedPhone = e.RedactedPhone
				return changed
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// GetContact returns what is known of a person.
func (s *deviceStore) GetContact(ctx context.Context, user types.JID) (c types.ContactInfo, err error) {
	_, err = s.getJSON(ctx, kindContact, user.ToNonAD().String(), &c)
	return c, err
}

// GetAllContacts returns what is known of all people.
func (s *deviceStore) GetAllContacts(ctx context.Context) (map[types.JID]types.ContactInfo, error) {
	values, err := s.list(ctx, kindContact, "")
	all := map[types.JID]types.ContactInfo{}
	for name, value := range values {
		var c types.ContactInfo
		jid, err := types.ParseJID(name)
		if err == nil {
			err = json.Unmarshal(value, &c)
		}
		if err != nil {
			return nil, err
		}
		all[jid] = c
	}
	return all, err
}

func (s *deviceStore) changeChat(ctx context.Context, chat types.JID, change func(c *types.LocalChatSettings)) error {
	c, err := s.GetChatSettings(ctx, chat)
	if err != nil {
		return err
	}
	change(&c)
	c.Found = true
	return s.putJSON(ctx, kindChat, chat.String(), &c)
}

// PutMutedUntil stores until when a chat is muted.
func (s *deviceStore) PutMutedUntil(ctx context.Context, chat types.JID, until time.Time) error {
	return s.changeChat(ctx, chat, func(c *types.LocalChatSettings) { c.MutedUntil = until })
}

// PutPinned stores whether a chat is pinned.
func (s *deviceStore) PutPinned(ctx context.Context, chat types.JID, pinned bool) error {
	return s.changeChat(ctx, chat, func(c *types.LocalChatSettings) { c.Pinned = pinned })
}

// PutArchived stores whether a chat is archived.
func (s *deviceStore) PutArchived(ctx context.Context, chat types.JID, archived bool) error {
	return s.changeChat(ctx, chat, func(c *types.LocalChatSettings) { c.Archived = archived })
}

// GetChatSettings returns the settings of a chat.
func (s *deviceStore) GetChatSettings(ctx context.Context, chat types.JID) (c types.LocalChatSettings, err error) {
	_, err = s.getJSON(ctx, kindChat, chat.String(), &c)
	return c, err
}

func secretKey(chat, sender types.JID, id types.MessageID) string {
	return chat.ToNonAD().String() + " " + sender.ToNonAD().String() + " " + id
}

// PutMessageSecrets stores secrets of messages in one transaction.
func (s *deviceStore) PutMessageSecrets(ctx context.Context, inserts []store.MessageSecretInsert) error {
	c := changes{}
	for _, in := range inserts {
		c[rowKey{kindSecret, secretKey(in.Chat, in.Sender, in.ID)}] = in.Secret
	}
	return s.apply(ctx, c)
}

// PutMessageSecret stores the secret of a message, which votes and edits are encrypted with.
func (s *deviceStore) PutMessageSecret(ctx context.Context, chat, sender types.JID, id types.MessageID, secret []byte) error {
	return s.put(ctx, kindSecret, secretKey(chat, sender, id), secret)
}

// GetMessageSecret returns the secret of a message and its sender. Chat and sender may be stored by phone number or LID.
func (s *deviceStore) GetMessageSecret(ctx context.Context, chat, sender types.JID, id types.MessageID) ([]byte, types.JID, error) {
	for _, c := range []types.JID{chat, s.other(ctx, chat)} {
		for _, from := range []types.JID{sender, s.other(ctx, sender)} {
			if c.IsEmpty() || from.IsEmpty() {
				continue
			}
			if secret, err := s.get(ctx, kindSecret, secretKey(c, from, id)); err != nil || secret != nil {
				return secret, from.ToNonAD(), err
			}
		}
	}
	return nil, types.EmptyJID, nil
}

// other returns the LID of a phone number, or the phone number of a LID; empty if it is unknown.
func (s *deviceStore) other(ctx context.Context, jid types.JID) (other types.JID) {
	switch jid.Server {
	case types.DefaultUserServer:
		other, _ = s.GetLIDForPN(ctx, jid)
	case types.HiddenUserServer:
		other, _ = s.GetPNForLID(ctx, jid)
	}
	return other
}

// PutPrivacyTokens stores tokens in one transaction.
func (s *deviceStore) PutPrivacyTokens(ctx context.Context, tokens ...store.PrivacyToken) error {
	return s.together(ctx, func(ctx context.Context) error {
		for _, token := range tokens {
			if err := s.putJSON(ctx, kindToken, token.User.ToNonAD().String(), &token); err != nil {
				return err
			}
		}
		return nil
	})
}

// GetPrivacyToken returns the token of a person, or nil.
func (s *deviceStore) GetPrivacyToken(ctx context.Context, user types.JID) (*store.PrivacyToken, error) {
	for _, jid := range []types.JID{user, s.other(ctx, user)} {
		var token store.PrivacyToken
		if found, err := s.getJSON(ctx, kindToken, jid.ToNonAD().String(), &token); err != nil || found {
			return &token, err
		}
	}
	return nil, nil
}

func bufferKey(hash [32]byte) string { return hex.EncodeToString(hash[:]) }

// GetBufferedEvent returns a decrypted event, or nil.
func (s *deviceStore) GetBufferedEvent(ctx context.Context, hash [32]byte) (*store.BufferedEvent, error) {
	var e store.BufferedEvent
	found, err := s.getJSON(ctx, kindBuffer, bufferKey(hash), &e)
	if err != nil || !found {
		return nil, s.keepUndelivered(err)
	}
	if len(e.Plaintext) == 0 {
		e.Plaintext = nil // it has been handled
	}
	return &e, nil
}

// PutBufferedEvent stores a decrypted event until it has been handled.
func (s *deviceStore) PutBufferedEvent(ctx context.Context, hash [32]byte, plaintext []byte, server time.Time) error {
	return s.putJSON(ctx, kindBuffer, bufferKey(hash), &store.BufferedEvent{Plaintext: plaintext, InsertTime: s.desk.Now(), ServerTime: server})
}

// DoDecryptionTxn stores what a decryption changes in one transaction.
func (s *deviceStore) DoDecryptionTxn(ctx context.Context, decrypt func(context.Context) error) error {
	return s.keepUndelivered(s.together(ctx, decrypt))
}

// ClearBufferedEventPlaintext deletes the text of a handled event and remembers its hash.
func (s *deviceStore) ClearBufferedEventPlaintext(ctx context.Context, hash [32]byte) error {
	e, err := s.GetBufferedEvent(ctx, hash)
	if err != nil || e == nil {
		return err
	}
	e.Plaintext = nil
	return s.putJSON(ctx, kindBuffer, bufferKey(hash), e)
}

// DeleteOldBufferedHashes deletes old events.
func (s *deviceStore) DeleteOldBufferedHashes(ctx context.Context) error {
	values, err := s.list(ctx, kindBuffer, "")
	if err != nil {
		return err
	}
	c, before := changes{}, s.desk.Now().Add(-bufferFor)
	for key, value := range values {
		var e store.BufferedEvent
		if err := json.Unmarshal(value, &e); err != nil {
			return err
		}
		if e.InsertTime.Before(before) {
			c[rowKey{kindBuffer, key}] = nil
		}
	}
	return s.apply(ctx, c)
}

// PutManyLIDMappings stores which LIDs belong to which phone numbers, in one transaction. The earlier number of a LID and the
// earlier LID of a number are forgotten: people change numbers, and numbers get new owners.
func (s *deviceStore) PutManyLIDMappings(ctx context.Context, mappings []store.LIDMapping) error {
	c := changes{}
	known := func(kind, user string) (string, error) {
		if value, changed := c[rowKey{kind, user}]; changed {
			return string(value), nil
		}
		value, err := s.get(ctx, kind, user)
		return string(value), err
	}
	for _, m := range mappings {
		if m.LID.Server != types.HiddenUserServer || m.PN.Server != types.DefaultUserServer {
			continue
		}
		number, err := known(kindLID, m.LID.User)
		if err != nil {
			return err
		}
		lid, err := known(kindPN, m.PN.User)
		if err != nil {
			return err
		}
		if number == m.PN.User && lid == m.LID.User {
			continue
		}
		if number != "" {
			c[rowKey{kindPN, number}] = nil
		}
		if lid != "" {
			c[rowKey{kindLID, lid}] = nil
		}
		c[rowKey{kindLID, m.LID.User}], c[rowKey{kindPN, m.PN.User}] = []byte(m.PN.User), []byte(m.LID.User)
	}
	return s.apply(ctx, c)
}

// PutLIDMapping stores which LID belongs to a phone number.
func (s *deviceStore) PutLIDMapping(ctx context.Context, lid, pn types.JID) error {
	return s.PutManyLIDMappings(ctx, []store.LIDMapping{{LID: lid, PN: pn}})
}

// GetPNForLID returns the phone number of a LID; empty if it is unknown.
func (s *deviceStore) GetPNForLID(ctx context.Context, lid types.JID) (types.JID, error) {
	return s.mapped(ctx, kindLID, lid, types.DefaultUserServer)
}

// GetLIDForPN returns the LID of a phone number; empty if it is unknown.
func (s *deviceStore) GetLIDForPN(ctx context.Context, pn types.JID) (types.JID, error) {
	return s.mapped(ctx, kindPN, pn, types.HiddenUserServer)
}

func (s *deviceStore) mapped(ctx context.Context, kind string, jid types.JID, server string) (types.JID, error) {
	user, err := s.get(ctx, kind, jid.User)
	if err != nil || user == nil {
		return types.EmptyJID, err
	}
	return types.JID{User: string(user), Device: jid.Device, Server: server}, nil
}

// GetManyLIDsForPNs returns the known LIDs of phone numbers.
func (s *deviceStore) GetManyLIDsForPNs(ctx context.Context, pns []types.JID) (map[types.JID]types.JID, error) {
	all := map[types.JID]types.JID{}
	for _, pn := range pns {
		lid, err := s.GetLIDForPN(ctx, pn)
		if err != nil {
			return nil, err
		}
		if !lid.IsEmpty() {
			all[pn] = lid
		}
	}
	return all, nil
}
