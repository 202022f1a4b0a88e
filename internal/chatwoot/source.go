package chatwoot

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// source reads Chatwoot's database. It never writes.
type source struct {
	pool    *pgxpool.Pool
	account account
	inboxes []Inbox
	columns map[string]bool // "table.column"
}

type account struct {
	id        int64
	name      string
	createdAt time.Time
}

// Inbox is an inbox of Chatwoot.
type Inbox struct {
	ID   int64
	Name string
	Type string // such as Channel::Whatsapp
}

// String returns the id, the name and the type of the inbox.
func (i Inbox) String() string {
	return fmt.Sprintf("%d  %s (%s)", i.ID, i.Name, strings.TrimPrefix(i.Type, "Channel::"))
}

// hasPhones reports whether the inbox may have WhatsApp conversations.
func (i Inbox) hasPhones() bool { return i.sourceIsPhone() || i.Type == "Channel::Api" }

// sourceIsPhone reports whether source_id in contact_inboxes is the phone number of the customer.
func (i Inbox) sourceIsPhone() bool {
	return i.Type == "Channel::Whatsapp" || i.Type == "Channel::TwilioSms" || i.Type == "Channel::Sms"
}

// required lists the columns without which a database is not one of Chatwoot.
var required = map[string]string{
	"accounts":                   "id name created_at",
	"users":                      "id name email",
	"account_users":              "account_id user_id role",
	"teams":                      "id name account_id",
	"team_members":               "team_id user_id",
	"labels":                     "id title color account_id",
	"tags":                       "id name",
	"taggings":                   "tag_id taggable_type taggable_id context",
	"inboxes":                    "id name account_id channel_type",
	"contacts":                   "id name email phone_number account_id created_at additional_attributes custom_attributes",
	"contact_inboxes":            "id contact_id inbox_id source_id",
	"conversations":              "id account_id inbox_id status assignee_id contact_id contact_inbox_id created_at last_activity_at team_id",
	"messages":                   "id content conversation_id message_type created_at updated_at private status source_id content_attributes sender_type sender_id account_id inbox_id",
	"attachments":                "id file_type external_url coordinates_lat coordinates_long message_id fallback_title",
	"active_storage_attachments": "record_type record_id blob_id name",
	"active_storage_blobs":       "id key filename content_type",
	"canned_responses":           "id account_id short_code content",
}

// connect opens the database and reads the account and its inboxes.
func connect(ctx context.Context, url string, id int64) (*source, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("the address of Chatwoot's database is not valid: %w", err)
	}
	config.MaxConns = 4 // conversations, their messages and the files of these are read at the same time
	config.ConnConfig.RuntimeParams["application_name"] = "recado import"
	config.ConnConfig.RuntimeParams["default_transaction_read_only"] = "on"
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	db := &source{pool: pool, account: account{id: id}}
	if err := db.read(ctx); err != nil {
		pool.Close()
		return nil, err
	}
	return db, nil
}

func (db *source) read(ctx context.Context) error {
	if err := db.pool.Ping(ctx); err != nil {
		return fmt.Errorf("cannot connect to the database of Chatwoot: %w", err)
	}
	if err := db.readColumns(ctx); err != nil {
		return err
	}
	row := db.pool.QueryRow(ctx, `SELECT name, created_at FROM accounts WHERE id = $1`, db.account.id)
	if err := row.Scan(&db.account.name, &db.account.createdAt); errors.Is(err, pgx.ErrNoRows) {
		accounts, err := collect(ctx, db, `SELECT id, name FROM accounts ORDER BY id LIMIT 50`, nil, func(row pgx.CollectableRow) (string, error) {
			var id int64
			var name string
			err := row.Scan(&id, &name)
			return strconv.FormatInt(id, 10) + "  " + name, err
		})
		if err != nil {
			return err
		}
		return fmt.Errorf("there is no account %d; the accounts are:\n  %s", db.account.id, strings.Join(accounts, "\n  "))
	} else if err != nil {
		return err
	}
	var err error
	db.inboxes, err = collect(ctx, db, `SELECT id, name, COALESCE(channel_type, '') FROM inboxes WHERE account_id = $1 ORDER BY id`, []any{db.account.id},
		pgx.RowToStructByPos[Inbox])
	return err
}

// readColumns checks that the database is one of Chatwoot.
func (db *source) readColumns(ctx context.Context) error {
	names, err := collect(ctx, db, `
		SELECT table_name || '.' || column_name
		FROM information_schema.columns
		WHERE table_schema = ANY (current_schemas(false))`, nil, pgx.RowTo[string])
	if err != nil {
		return err
	}
	db.columns = make(map[string]bool, len(names))
	for _, name := range names {
		db.columns[name] = true
	}
	for table, columns := range required {
		for column := range strings.FieldsSeq(columns) {
			if !db.columns[table+"."+column] {
				return fmt.Errorf("this is not a database of Chatwoot, or one of an unknown version: there is no column %s in a table %s", column, table)
			}
		}
	}
	return nil
}

// optional returns a column, qualified with an alias, or a fallback if this version of Chatwoot does not have it.
func (db *source) optional(table, alias, column, fallback string) string {
	if db.columns[table+"."+column] {
		return alias + "." + column
	}
	return fallback
}

// collect reads all rows of a query.
func collect[T any](ctx context.Context, db *source, sql string, args []any, scan pgx.RowToFunc[T]) ([]T, error) {
	rows, err := db.pool.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, scan)
}

// count counts what the account has.
func (db *source) count(ctx context.Context, inboxes []int64, out *Result) error {
	phone := `COALESCE(phone_number, '') <> '' OR EXISTS (
		SELECT FROM contact_inboxes i WHERE i.contact_id = contacts.id AND i.inbox_id = ANY ($2) AND regexp_replace(i.source_id, '^whatsapp:', '') ~ '^\+?[0-9]{8,15}$')`
	for _, c := range []struct {
		to  *int64
		sql string
	}{
		{&out.People, `SELECT COUNT(*) FROM account_users WHERE account_id = $1`},
		{&out.Sectors, `SELECT COUNT(*) FROM teams WHERE account_id = $1`},
		{&out.Labels, `SELECT COUNT(*) FROM labels WHERE account_id = $1`},
		{&out.Replies, `SELECT COUNT(*) FROM canned_responses WHERE account_id = $1`},
		{&out.Contacts, `SELECT COUNT(*) FROM contacts WHERE account_id = $1 AND (` + phone + `)`},
		{&out.NoPhone, `SELECT COUNT(*) FROM contacts WHERE account_id = $1 AND NOT (` + phone + `)`},
		{&out.Attendances, `SELECT COUNT(*) FROM conversations WHERE account_id = $1 AND inbox_id = ANY ($2)`},
		{&out.Messages, `SELECT COUNT(*) FROM messages WHERE account_id = $1 AND inbox_id = ANY ($2) AND message_type <> 2 AND NOT private`},
		{&out.Notes, `SELECT COUNT(*) FROM messages WHERE account_id = $1 AND inbox_id = ANY ($2) AND message_type <> 2 AND private`},
		{&out.Files, `
			SELECT COUNT(*)
			FROM attachments a
			JOIN messages m ON m.id = a.message_id
			JOIN active_storage_attachments s ON s.record_type = 'Attachment' AND s.record_id = a.id
			WHERE m.account_id = $1 AND m.inbox_id = ANY ($2) AND NOT m.private`},
	} {
		args := []any{db.account.id, inboxes}
		if !strings.Contains(c.sql, "$2") {
			args = args[:1]
		}
		if err := db.pool.QueryRow(ctx, c.sql, args...).Scan(c.to); err != nil {
			return err
		}
	}
	return nil
}

// labelsOf is an expression: the titles of the labels of a noun.
func labelsOf(noun, id string) string {
	return `(
			SELECT array_agg(t.name)
			FROM taggings g
			JOIN tags t ON t.id = g.tag_id
			WHERE g.taggable_type = '` + noun + `' AND g.taggable_id = ` + id + ` AND g.context = 'labels' AND t.name IS NOT NULL)`
}
