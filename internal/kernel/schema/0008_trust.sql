-- Audit ------------------------------------------------------------------------------------------

-- Who changed what. A row is stored in the transaction of its change, and nothing changes it later.
CREATE TABLE audit (
    company      UUID   NOT NULL REFERENCES companies (id),
    id           UUID   NOT NULL,
    at           BIGINT NOT NULL,
    actor_type   TEXT   NOT NULL, -- user, key, operator or system
    actor        UUID,            -- of a user or key
    actor_name   TEXT   NOT NULL,
    ip           TEXT,            -- of the client; NULL: there was no request
    action       TEXT   NOT NULL, -- such as key.created
    subject_type TEXT   NOT NULL,
    subject      UUID,
    subject_name TEXT   NOT NULL,
    channel      UUID,            -- the number that it is about; while it is private, only its viewers see the row
    board        UUID,            -- the board that it is about; keys that are limited to other boards do not see the row
    changes      TEXT   NOT NULL, -- JSON
    request_id   TEXT,
    PRIMARY KEY (company, id)
);
CREATE INDEX audit_order ON audit (company, at, id);
-- The entries about a subject, for erasures, merged contacts and the filter of the audit.
CREATE INDEX audit_subject ON audit (company, subject, at, id) WHERE subject IS NOT NULL;

-- Jobs -----------------------------------------------------------------------------------------

-- Long work that a request started. due_at is when it is done or tried next; NULL: it has ended. input and state are empty then.
CREATE TABLE jobs (
    company     UUID   NOT NULL REFERENCES companies (id),
    id          UUID   NOT NULL,
    kind        TEXT   NOT NULL,
    member      UUID   NOT NULL, -- on whose behalf it is done
    key_id      UUID, -- the API key that started it
    subject     UUID, -- the contact that it is about
    channel     UUID, -- the number that it is about; while it is private, only its viewers see the job
    dry_run     BOOLEAN NOT NULL, -- it only checks an import
    input       TEXT, -- JSON, as are state, result and error
    state       TEXT, -- after the last batch
    done        BIGINT NOT NULL,
    total       BIGINT NOT NULL,
    status      TEXT   NOT NULL,
    result      TEXT,
    file        UUID, -- of job_files, that the result links to
    error       TEXT,
    tries       BIGINT NOT NULL, -- failed ones since the last batch
    due_at      BIGINT,
    created_at  BIGINT NOT NULL,
    finished_at BIGINT,
    PRIMARY KEY (company, id),
    FOREIGN KEY (company, member) REFERENCES users (company, id)
);
CREATE INDEX jobs_due ON jobs (company, due_at, id) WHERE due_at IS NOT NULL;
CREATE INDEX jobs_finished ON jobs (finished_at) WHERE finished_at IS NOT NULL;
CREATE INDEX jobs_subject ON jobs (company, subject) WHERE subject IS NOT NULL;

-- Files that were uploaded for a job or that it created. A row is older than the bytes, which are deleted after expires_at.
CREATE TABLE job_files (
    company    UUID    NOT NULL REFERENCES companies (id),
    id         UUID    NOT NULL,
    job        UUID, -- NULL until the job of an upload has started
    name       TEXT    NOT NULL,
    mime_type  TEXT    NOT NULL,
    size       BIGINT  NOT NULL,
    sha256     BYTEA,
    stored     BOOLEAN NOT NULL,
    created_at BIGINT  NOT NULL,
    expires_at BIGINT  NOT NULL,
    PRIMARY KEY (company, id)
);
CREATE INDEX job_files_job ON job_files (company, job) WHERE job IS NOT NULL;
CREATE INDEX job_files_expiry ON job_files (expires_at);

-- Retention ------------------------------------------------------------------------------------

-- Only for queries with created_at > 0: without statistics, PostgreSQL would prefer it to other indexes, also to find a message by
-- its external id, so that the first import of a history would read all messages of the company for each.
CREATE INDEX messages_age ON messages (company, created_at) WHERE created_at > 0;
CREATE INDEX notes_age ON notes (company, created_at);
CREATE INDEX media_age ON media (company, created_at) WHERE stored;

-- After how many days messages, files and audit entries are deleted. NULL: never; no row: the defaults.
CREATE TABLE retention_settings (
    company       UUID   NOT NULL PRIMARY KEY REFERENCES companies (id),
    messages_days BIGINT,
    media_days    BIGINT,
    audit_days    BIGINT
);

-- Opting out of automatic messages and marketing ---------------------------------------------------

ALTER TABLE contacts ADD COLUMN opted_out_at BIGINT; -- NULL: the contact has not opted out
ALTER TABLE contacts ADD COLUMN opt_changed_at BIGINT; -- the last change in either direction; an older keyword that arrives late changes nothing
CREATE INDEX contacts_opted_out ON contacts (company, pool, id DESC) WHERE opted_out_at IS NOT NULL;

-- The texts that confirm a keyword. A company without a row has the defaults.
CREATE TABLE opt_out_settings (
    company      UUID NOT NULL PRIMARY KEY REFERENCES companies (id),
    confirmation TEXT, -- NULL: none is sent
    welcome_back TEXT
);

-- Imports --------------------------------------------------------------------------------------

-- What an import from another system has stored, so that it can continue and be repeated. source names the system and the account
-- in it. subject is the row that resulted; it may have been deleted since, and is then not imported again.
CREATE TABLE imported (
    company  UUID   NOT NULL REFERENCES companies (id),
    source   TEXT   NOT NULL,
    kind     TEXT   NOT NULL,
    key      TEXT   NOT NULL, -- the id in the source
    subject  UUID   NOT NULL,
    position BIGINT NOT NULL, -- of a conversation: the last message that was read
    PRIMARY KEY (company, source, kind, key)
) /*sqlite: WITHOUT ROWID */;

-- Lines of a file that an import leaves out, while it runs. They say nothing about people: line numbers and codes.
CREATE TABLE import_errors (
    company UUID   NOT NULL,
    job     UUID   NOT NULL,
    line    BIGINT NOT NULL,
    field   TEXT, -- NULL: the whole line
    code    TEXT   NOT NULL,
    message TEXT   NOT NULL,
    params  TEXT   NOT NULL, -- JSON
    PRIMARY KEY (company, job, line),
    FOREIGN KEY (company, job) REFERENCES jobs (company, id) ON DELETE CASCADE
) /*sqlite: WITHOUT ROWID */;

-- Erased people --------------------------------------------------------------------------------

-- The key of the hashes in erased, sealed. There is one row.
CREATE TABLE erasure_key (
    id     BIGINT NOT NULL PRIMARY KEY,
    sealed BYTEA  NOT NULL
);

-- Keyed hashes of the phones and WhatsApp ids of erased people. What is older than erased_at is not stored again. pool is that of
-- the contact; see contacts.
CREATE TABLE erased (
    company   UUID   NOT NULL REFERENCES companies (id),
    pool      UUID   NOT NULL,
    hash      BYTEA  NOT NULL,
    erased_at BIGINT NOT NULL,
    PRIMARY KEY (company, pool, hash)
) /*sqlite: WITHOUT ROWID */;

-- The ids of contacts and conversations that were merged into a contact and its conversations. Stored events and responses may name
-- them when the person is erased.
CREATE TABLE former_ids (
    company UUID NOT NULL,
    contact UUID NOT NULL,
    former  UUID NOT NULL,
    PRIMARY KEY (company, contact, former),
    FOREIGN KEY (company, contact) REFERENCES contacts (company, id) ON DELETE CASCADE
) /*sqlite: WITHOUT ROWID */;

-- The person that the card is about was erased, and its title is a placeholder.
ALTER TABLE cards ADD COLUMN erased BOOLEAN NOT NULL DEFAULT FALSE;
