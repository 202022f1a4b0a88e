-- The whole desk. One text for both engines: ids are UUID (16-byte blobs in SQLite), times are BIGINT
-- Unix milliseconds, folded columns are written by Go. Lines and comments marked with an engine's
-- name reach that engine alone.

-- postgres: CREATE EXTENSION IF NOT EXISTS pg_trgm;

-- Companies, people, keys --------------------------------------------------------------------

CREATE TABLE companies (
    id                 UUID    NOT NULL PRIMARY KEY,
    name               TEXT    NOT NULL,
    timezone           TEXT    NOT NULL,
    created_at         BIGINT  NOT NULL,
    attendance_enabled BOOLEAN NOT NULL,
    first_responder    BOOLEAN NOT NULL,
    mode               TEXT    NOT NULL,
    auto_close         BOOLEAN NOT NULL,
    auto_close_minutes BIGINT  NOT NULL,
    checks_stale       BOOLEAN NOT NULL
);
-- Companies whose rule of automatic closing has changed since their open attendances were scheduled.
CREATE INDEX companies_stale ON companies (id) WHERE checks_stale;

-- The last protocol number given out. A row of its own, so that numbering waits for nobody else.
-- Private channels have a series of their own: a gap in the public one would give them away.
CREATE TABLE protocols (
    company      UUID   NOT NULL PRIMARY KEY REFERENCES companies (id),
    last         BIGINT NOT NULL,
    last_private BIGINT NOT NULL
);

CREATE TABLE users (
    id             UUID   NOT NULL PRIMARY KEY,
    company        UUID   NOT NULL REFERENCES companies (id),
    name           TEXT   NOT NULL,
    email          TEXT   NOT NULL,
    email_folded   TEXT   NOT NULL,
    password_hash  TEXT,
    role           TEXT   NOT NULL,
    access_profile TEXT   NOT NULL,
    last_seen_at   BIGINT,
    created_at     BIGINT NOT NULL,
    removed_at     BIGINT
);
CREATE UNIQUE INDEX users_email ON users (email_folded) WHERE removed_at IS NULL;
CREATE INDEX users_company ON users (company);

CREATE TABLE sectors (
    id         UUID   NOT NULL PRIMARY KEY,
    company    UUID   NOT NULL REFERENCES companies (id),
    name       TEXT   NOT NULL,
    folded     TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    removed_at BIGINT
);
CREATE UNIQUE INDEX sectors_name ON sectors (company, folded) WHERE removed_at IS NULL;

CREATE TABLE sector_members (
    sector  UUID NOT NULL REFERENCES sectors (id),
    member  UUID NOT NULL REFERENCES users (id),
    company UUID NOT NULL,
    PRIMARY KEY (sector, member)
) /*sqlite: WITHOUT ROWID */;
CREATE INDEX sector_members_member ON sector_members (member);

CREATE TABLE keys (
    id           UUID    NOT NULL PRIMARY KEY,
    company      UUID    NOT NULL REFERENCES companies (id),
    name         TEXT    NOT NULL,
    member       UUID    NOT NULL REFERENCES users (id),
    scopes       BIGINT  NOT NULL,
    all_boards   BOOLEAN NOT NULL,
    per_second   BIGINT  NOT NULL,
    burst        BIGINT  NOT NULL,
    created_at   BIGINT  NOT NULL,
    expires_at   BIGINT,
    revoked_at   BIGINT,
    last_used_at BIGINT
);
CREATE INDEX keys_company ON keys (company, id);

CREATE TABLE key_boards (
    key_id UUID NOT NULL REFERENCES keys (id),
    board  UUID NOT NULL,
    PRIMARY KEY (key_id, board)
) /*sqlite: WITHOUT ROWID */;

-- A key has more than one secret while a rotation overlaps. Only hashes are stored.
CREATE TABLE key_secrets (
    hash       BYTEA  NOT NULL PRIMARY KEY,
    key_id     UUID   NOT NULL REFERENCES keys (id),
    created_at BIGINT NOT NULL,
    expires_at BIGINT
);
CREATE INDEX key_secrets_key ON key_secrets (key_id);

-- Channels, contacts, labels -----------------------------------------------------------------

CREATE TABLE channels (
    id              UUID    NOT NULL PRIMARY KEY,
    company         UUID    NOT NULL REFERENCES companies (id),
    name            TEXT    NOT NULL,
    phone           TEXT    NOT NULL,
    provider        TEXT    NOT NULL,
    private         BOOLEAN NOT NULL,
    status          TEXT    NOT NULL,
    status_reason   TEXT,
    warning         TEXT,
    phone_number_id TEXT,
    waba_id         TEXT,
    api_version     TEXT,
    coexistence     BOOLEAN NOT NULL,
    credentials     BYTEA,
    last_inbound_at BIGINT,
    created_at      BIGINT  NOT NULL,
    updated_at      BIGINT  NOT NULL
);
CREATE INDEX channels_company ON channels (company, id);
CREATE UNIQUE INDEX channels_phone_number_id ON channels (phone_number_id) WHERE phone_number_id IS NOT NULL;

-- How often a channel's provider called on a day, and the longest silence between two calls: what the
-- watchdog holds a silence against.
CREATE TABLE channel_days (
    channel UUID   NOT NULL,
    day     BIGINT NOT NULL,
    calls   BIGINT NOT NULL,
    longest BIGINT NOT NULL,
    PRIMARY KEY (channel, day)
) /*sqlite: WITHOUT ROWID */;

CREATE TABLE contacts (
    id            UUID    NOT NULL PRIMARY KEY,
    company       UUID    NOT NULL REFERENCES companies (id),
    name          TEXT    NOT NULL,
    phone         TEXT,
    phone_key     TEXT,
    business_name TEXT,
    city          TEXT,
    channel       UUID,
    labels        BYTEA,
    blocked       BOOLEAN NOT NULL,
    public        BOOLEAN NOT NULL,
    folded        TEXT    NOT NULL,
    unindexed     BOOLEAN NOT NULL,
    created_at    BIGINT  NOT NULL,
    updated_at    BIGINT  NOT NULL
);
CREATE UNIQUE INDEX contacts_phone ON contacts (company, phone_key) WHERE phone_key IS NOT NULL;
CREATE INDEX contacts_list ON contacts (company, id DESC) WHERE public;
CREATE INDEX contacts_channel ON contacts (company, channel, id DESC) WHERE public;
CREATE INDEX contacts_unindexed ON contacts (id) WHERE unindexed;

-- What identifies a person to a provider: wa_id, user_id (business-scoped). Several to a contact.
CREATE TABLE contact_identities (
    company UUID NOT NULL,
    kind    TEXT NOT NULL,
    value   TEXT NOT NULL,
    contact UUID NOT NULL REFERENCES contacts (id),
    PRIMARY KEY (company, kind, value)
) /*sqlite: WITHOUT ROWID */;
CREATE INDEX contact_identities_contact ON contact_identities (contact);

CREATE TABLE labels (
    id         UUID   NOT NULL PRIMARY KEY,
    company    UUID   NOT NULL REFERENCES companies (id),
    name       TEXT   NOT NULL,
    folded     TEXT   NOT NULL,
    color      TEXT   NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX labels_name ON labels (company, folded);

-- One table per labelled noun, for filters; subject is the contact, conversation or card. The row of
-- the noun itself holds the same ids packed, so that reading it needs no second look.
CREATE TABLE contact_labels (
    subject UUID NOT NULL,
    label   UUID NOT NULL REFERENCES labels (id) ON DELETE CASCADE,
    PRIMARY KEY (subject, label)
) /*sqlite: WITHOUT ROWID */;
CREATE INDEX contact_labels_label ON contact_labels (label, subject);
CREATE TABLE conversation_labels (
    subject UUID NOT NULL,
    label   UUID NOT NULL REFERENCES labels (id) ON DELETE CASCADE,
    PRIMARY KEY (subject, label)
) /*sqlite: WITHOUT ROWID */;
CREATE INDEX conversation_labels_label ON conversation_labels (label, subject);
-- A card's labels carry its board and status too, so that a page of one label's cards is one walk along
-- an index. status is empty while no key may see the card.
CREATE TABLE card_labels (
    subject UUID NOT NULL,
    label   UUID NOT NULL REFERENCES labels (id) ON DELETE CASCADE,
    board   UUID NOT NULL,
    status  TEXT NOT NULL,
    PRIMARY KEY (subject, label)
) /*sqlite: WITHOUT ROWID */;
CREATE INDEX card_labels_label ON card_labels (label, board, status, subject);

-- Conversations and messages -----------------------------------------------------------------

CREATE TABLE conversations (
    id                UUID    NOT NULL PRIMARY KEY,
    company           UUID    NOT NULL,
    channel           UUID    NOT NULL,
    private           BOOLEAN NOT NULL,
    kind              TEXT    NOT NULL,
    name              TEXT    NOT NULL,
    renamed           BOOLEAN NOT NULL,
    phone             TEXT,
    contact           UUID,
    group_id          TEXT,
    assignee          UUID,
    sector            UUID,
    archived          BOOLEAN NOT NULL,
    pinned            BOOLEAN NOT NULL,
    muted             BOOLEAN NOT NULL,
    labels            BYTEA,
    unread_count      BIGINT  NOT NULL,
    last_id           UUID,
    last_type         TEXT,
    last_text         TEXT,
    last_direction    TEXT,
    last_at           BIGINT,
    last_inbound_at   BIGINT,
    last_inbound_ext  TEXT,
    attendance        UUID,
    unanswered        BOOLEAN NOT NULL,
    sequence          BIGINT  NOT NULL,
    activity_at       BIGINT  NOT NULL,
    folded            TEXT    NOT NULL,
    unindexed         BOOLEAN NOT NULL,
    created_at        BIGINT  NOT NULL,
    updated_at        BIGINT  NOT NULL
);
CREATE UNIQUE INDEX conversations_contact ON conversations (channel, contact) WHERE contact IS NOT NULL;
CREATE UNIQUE INDEX conversations_group ON conversations (channel, group_id) WHERE group_id IS NOT NULL;
CREATE INDEX conversations_list ON conversations (company, pinned DESC, activity_at DESC, id DESC) WHERE NOT private;
CREATE INDEX conversations_assignee ON conversations (company, assignee, pinned DESC, activity_at DESC, id DESC) WHERE assignee IS NOT NULL;
-- For filters: how many there are, and which, when they are few. See conversation_list.go.
CREATE INDEX conversations_sector ON conversations (sector, company, id) WHERE sector IS NOT NULL;
CREATE INDEX conversations_unread ON conversations (company, id) WHERE unread_count > 0;
CREATE INDEX conversations_archived ON conversations (company, archived, id);
CREATE INDEX conversations_groups ON conversations (company, id) WHERE group_id IS NOT NULL;
CREATE INDEX conversations_by_contact ON conversations (contact) WHERE contact IS NOT NULL;
CREATE INDEX conversations_unindexed ON conversations (id) WHERE unindexed;

-- seq is the message's place in its conversation: pages read neighbouring rows.
CREATE TABLE messages (
    conversation  UUID   NOT NULL,
    seq           BIGINT NOT NULL,
    id            UUID   NOT NULL,
    company       UUID   NOT NULL,
    channel       UUID   NOT NULL,
    private       BOOLEAN NOT NULL,
    client_id     UUID,
    direction     TEXT   NOT NULL,
    origin        TEXT   NOT NULL,
    type          TEXT   NOT NULL,
    text          TEXT,
    media         UUID,
    template      TEXT,
    reply_to      TEXT,
    external_id   TEXT,
    status        TEXT   NOT NULL,
    error_code    TEXT,
    error_message TEXT,
    sent_by       UUID,
    author        UUID,
    raw           TEXT,
    created_at    BIGINT NOT NULL,
    sent_at       BIGINT,
    delivered_at  BIGINT,
    read_at       BIGINT,
    edited_at     BIGINT,
    revoked_at    BIGINT,
    PRIMARY KEY (conversation, seq)
) /*sqlite: WITHOUT ROWID */;
CREATE UNIQUE INDEX messages_id ON messages (id);
CREATE UNIQUE INDEX messages_client_id ON messages (company, client_id) WHERE client_id IS NOT NULL;
CREATE UNIQUE INDEX messages_external_id ON messages (channel, external_id) WHERE external_id IS NOT NULL;
CREATE INDEX messages_media ON messages (media) WHERE media IS NOT NULL;

-- Messages on their way to a provider. A row goes when the message's fate is known; one found in
-- state 'sending' after a crash is uncertain and is never sent again.
CREATE TABLE sends (
    message      UUID   NOT NULL PRIMARY KEY,
    company      UUID   NOT NULL,
    channel      UUID   NOT NULL,
    conversation UUID   NOT NULL,
    seq          BIGINT NOT NULL,
    state        TEXT   NOT NULL,
    epoch        BIGINT NOT NULL,
    attempts     BIGINT NOT NULL,
    due_at       BIGINT NOT NULL
);
CREATE INDEX sends_due ON sends (channel, due_at);
CREATE UNIQUE INDEX sends_order ON sends (conversation, seq);

-- A status that came before the provider's answer to the send was stored waits here for its message.
CREATE TABLE early_statuses (
    channel     UUID   NOT NULL,
    external_id TEXT   NOT NULL,
    status      TEXT   NOT NULL,
    error_code  TEXT,
    error_message TEXT,
    at          BIGINT NOT NULL,
    created_at  BIGINT NOT NULL,
    PRIMARY KEY (channel, external_id, status)
);

CREATE TABLE media (
    id          UUID    NOT NULL PRIMARY KEY,
    company     UUID    NOT NULL,
    channel     UUID,
    private     BOOLEAN NOT NULL,
    kind        TEXT    NOT NULL,
    mime_type   TEXT    NOT NULL,
    file_name   TEXT    NOT NULL,
    size        BIGINT  NOT NULL,
    sha256      BYTEA,
    stored      BOOLEAN NOT NULL,
    provider_id TEXT,
    provider_at BIGINT,
    fetch_at    BIGINT,
    fetch_tries BIGINT  NOT NULL,
    created_at  BIGINT  NOT NULL
);
CREATE INDEX media_fetch ON media (fetch_at) WHERE fetch_at IS NOT NULL;

-- What a provider said that is neither message nor status, and what this version does not understand, as it
-- came. digest is of the content: a repeat adds nothing.
CREATE TABLE notices (
    channel    UUID   NOT NULL,
    digest     BYTEA  NOT NULL,
    company    UUID   NOT NULL,
    kind       TEXT   NOT NULL,
    text       TEXT   NOT NULL,
    raw        BYTEA,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (channel, digest)
);

CREATE INDEX notices_age ON notices (created_at);

-- Uploads under way. One that is still here long after it began was cut off by a crash: its file, if it
-- came that far, belongs to no row and is removed.
CREATE TABLE uploads (
    media    UUID   NOT NULL PRIMARY KEY,
    began_at BIGINT NOT NULL
);

-- Search ---------------------------------------------------------------------------------------
-- What the trigram index knows of a conversation, contact or card. It lags behind the live row, which
-- is marked unindexed meanwhile and searched directly; a match here is always checked against the
-- live row. num follows the order of the list, so that SQLite finds the newest matches first; see
-- store/search_index.go.

CREATE TABLE conversation_search (
    num     /*sqlite: INTEGER PRIMARY KEY */ /*postgres: BIGINT NOT NULL */,
    subject UUID NOT NULL UNIQUE,
    company UUID NOT NULL,
    folded  TEXT NOT NULL
);
CREATE TABLE contact_search (
    num     /*sqlite: INTEGER PRIMARY KEY */ /*postgres: BIGINT NOT NULL */,
    subject UUID NOT NULL UNIQUE,
    company UUID NOT NULL,
    folded  TEXT NOT NULL
);
CREATE TABLE card_search (
    num     /*sqlite: INTEGER PRIMARY KEY */ /*postgres: BIGINT NOT NULL */,
    subject UUID NOT NULL UNIQUE,
    company UUID NOT NULL,
    folded  TEXT NOT NULL
);
-- sqlite: CREATE VIRTUAL TABLE conversation_trigrams USING fts5(folded, content='conversation_search', content_rowid='num', tokenize='trigram case_sensitive 1', detail='none');
-- sqlite: CREATE VIRTUAL TABLE contact_trigrams USING fts5(folded, content='contact_search', content_rowid='num', tokenize='trigram case_sensitive 1', detail='none');
-- sqlite: CREATE VIRTUAL TABLE card_trigrams USING fts5(folded, content='card_search', content_rowid='num', tokenize='trigram case_sensitive 1', detail='none');
-- postgres: CREATE INDEX conversation_trigrams ON conversation_search USING gin (folded gin_trgm_ops) WITH (gin_pending_list_limit = 256);
-- postgres: CREATE INDEX contact_trigrams ON contact_search USING gin (folded gin_trgm_ops) WITH (gin_pending_list_limit = 256);
-- postgres: CREATE INDEX card_trigrams ON card_search USING gin (folded gin_trgm_ops) WITH (gin_pending_list_limit = 256);

-- Attendances ----------------------------------------------------------------------------------

CREATE TABLE attendances (
    id                UUID    NOT NULL PRIMARY KEY,
    company           UUID    NOT NULL,
    number            BIGINT  NOT NULL,
    conversation      UUID    NOT NULL,
    channel           UUID    NOT NULL,
    contact           UUID,
    private           BOOLEAN NOT NULL,
    responsible       UUID,
    sector            UUID,
    opened_at         BIGINT  NOT NULL,
    opened_by         TEXT    NOT NULL,
    first_response_at BIGINT,
    closed_at         BIGINT,
    closed_by         UUID,
    close_reason      TEXT,
    check_at          BIGINT
);
CREATE UNIQUE INDEX attendances_number ON attendances (company, number);
CREATE UNIQUE INDEX attendances_open ON attendances (conversation) WHERE closed_at IS NULL;
CREATE INDEX attendances_list ON attendances (company, opened_at DESC, id DESC) WHERE NOT private;
CREATE INDEX attendances_conversation ON attendances (conversation, opened_at DESC, id DESC);
CREATE INDEX attendances_responsible ON attendances (company, responsible, opened_at DESC, id DESC) WHERE responsible IS NOT NULL;
CREATE INDEX attendances_nobody ON attendances (company, opened_at DESC, id DESC) WHERE responsible IS NULL;
CREATE INDEX attendances_sector ON attendances (company, sector, opened_at DESC, id DESC) WHERE sector IS NOT NULL;
CREATE INDEX attendances_waiting ON attendances (company, sector, channel, opened_at) WHERE sector IS NOT NULL AND responsible IS NULL AND closed_at IS NULL AND NOT private;
-- When an open attendance is next looked at for automatic closing; null when the rule is off.
CREATE INDEX attendances_check ON attendances (check_at) WHERE check_at IS NOT NULL;
CREATE INDEX attendances_closed ON attendances (company, opened_at DESC, id DESC) WHERE closed_at IS NOT NULL;
CREATE INDEX attendances_still_open ON attendances (company, opened_at DESC, id DESC) WHERE closed_at IS NULL;

CREATE TABLE assignments (
    conversation UUID   NOT NULL,
    seq          BIGINT NOT NULL,
    id           UUID   NOT NULL,
    company      UUID   NOT NULL,
    attendance   UUID,
    action       TEXT   NOT NULL,
    member       UUID,
    by_member    UUID,
    sector       UUID,
    reason       TEXT,
    created_at   BIGINT NOT NULL,
    PRIMARY KEY (conversation, seq)
) /*sqlite: WITHOUT ROWID */;

-- The manager report's figures, kept up to date by the transactions that change them: a row per day
-- of the company, responsible person and sector. 'Nobody' and 'no sector' are the all-ones UUID.
CREATE TABLE report_days (
    company           UUID   NOT NULL,
    day               BIGINT NOT NULL,
    member            UUID   NOT NULL,
    sector            UUID   NOT NULL,
    opened            BIGINT NOT NULL,
    answered          BIGINT NOT NULL,
    answer_seconds    BIGINT NOT NULL,
    answer_sketch     BYTEA,
    closed            BIGINT NOT NULL,
    close_seconds     BIGINT NOT NULL,
    close_sketch      BYTEA,
    PRIMARY KEY (company, day, member, sector)
) /*sqlite: WITHOUT ROWID */;

-- Events and webhooks --------------------------------------------------------------------------

-- position orders the feed. SQLite: the order of commits. PostgreSQL: the writing transaction's id,
-- compared with the oldest one still running, so that nothing that commits late is skipped.
CREATE TABLE events (
    position     /*sqlite: INTEGER PRIMARY KEY AUTOINCREMENT */ /*postgres: BIGINT NOT NULL DEFAULT (pg_current_xact_id()::text::bigint) */,
    id           UUID   NOT NULL,
    company      UUID   NOT NULL,
    type         TEXT   NOT NULL,
    conversation UUID,
    board        UUID,
    card         UUID,
    body         BYTEA  NOT NULL,
    created_at   BIGINT NOT NULL
);
CREATE UNIQUE INDEX events_id ON events (id);
CREATE INDEX events_feed ON events (company, position, id);
-- postgres: CREATE INDEX events_position ON events (position);

-- boards_of is the key whose list of boards bounds the card events; null means all boards.
CREATE TABLE webhooks (
    id                   UUID    NOT NULL PRIMARY KEY,
    company              UUID    NOT NULL REFERENCES companies (id),
    name                 TEXT    NOT NULL,
    url                  TEXT    NOT NULL,
    events               BIGINT  NOT NULL,
    boards_of            UUID    REFERENCES keys (id),
    active               BOOLEAN NOT NULL,
    consecutive_failures BIGINT  NOT NULL,
    secret               BYTEA   NOT NULL,
    old_secret           BYTEA,
    old_secret_until     BIGINT,
    created_at           BIGINT  NOT NULL,
    updated_at           BIGINT  NOT NULL
);
CREATE INDEX webhooks_company ON webhooks (company, id);

-- next_attempt_at is null once the delivery is final, so the index of due ones stays small. log holds
-- the attempts as JSON objects, each followed by a comma: it is only ever appended to.
CREATE TABLE deliveries (
    webhook         UUID   NOT NULL,
    id              UUID   NOT NULL,
    company         UUID   NOT NULL,
    event           UUID   NOT NULL,
    event_type      TEXT   NOT NULL,
    status          TEXT   NOT NULL,
    attempts        BIGINT NOT NULL,
    next_attempt_at BIGINT,
    created_at      BIGINT NOT NULL,
    finished_at     BIGINT,
    log             TEXT   NOT NULL,
    PRIMARY KEY (webhook, id)
) /*sqlite: WITHOUT ROWID */;
CREATE INDEX deliveries_due ON deliveries (webhook, next_attempt_at, id) WHERE next_attempt_at IS NOT NULL;
CREATE INDEX deliveries_created ON deliveries (created_at);
-- postgres: ALTER TABLE deliveries SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.1);

-- Who works for a webhook or a channel right now. A result counts only under the epoch it was made.
CREATE TABLE lanes (
    subject     UUID   NOT NULL PRIMARY KEY,
    kind        TEXT   NOT NULL,
    owner       UUID   NOT NULL,
    epoch       BIGINT NOT NULL,
    lease_until BIGINT NOT NULL
);

-- Kanban ---------------------------------------------------------------------------------------

CREATE TABLE boards (
    id         UUID    NOT NULL PRIMARY KEY,
    company    UUID    NOT NULL REFERENCES companies (id),
    name       TEXT    NOT NULL,
    folded     TEXT    NOT NULL,
    archived   BOOLEAN NOT NULL,
    system     TEXT,
    created_at BIGINT  NOT NULL,
    updated_at BIGINT  NOT NULL
);
-- Two boards may share a name only where no key sees both, so the verb keeps names apart, not an index.
CREATE INDEX boards_company ON boards (company, id);
CREATE UNIQUE INDEX boards_system ON boards (company, system) WHERE system IS NOT NULL;

CREATE TABLE stages (
    id         UUID   NOT NULL PRIMARY KEY,
    board      UUID   NOT NULL REFERENCES boards (id),
    company    UUID   NOT NULL,
    name       TEXT   NOT NULL,
    folded     TEXT   NOT NULL,
    position   BIGINT NOT NULL,
    kind       TEXT   NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX stages_name ON stages (board, folded);

CREATE TABLE cards (
    id           UUID    NOT NULL PRIMARY KEY,
    company      UUID    NOT NULL,
    board        UUID    NOT NULL,
    stage        UUID    NOT NULL,
    title        TEXT    NOT NULL,
    description  TEXT,
    folded       TEXT    NOT NULL,
    unindexed    BOOLEAN NOT NULL,
    priority     TEXT    NOT NULL,
    labels       BYTEA,
    due_at       BIGINT,
    assignee     UUID,
    contact      UUID,
    conversation UUID,
    attendance   UUID,
    private      BOOLEAN NOT NULL,
    hidden       BOOLEAN NOT NULL,
    status       TEXT    NOT NULL,
    rank         TEXT    NOT NULL /*postgres: COLLATE "C" */,
    version      BIGINT  NOT NULL,
    created_at   BIGINT  NOT NULL,
    updated_at   BIGINT  NOT NULL,
    completed_at BIGINT
);
CREATE INDEX cards_stage ON cards (stage, rank, id);
-- A page is one walk along an index for each board and status it shows; see store/card_list.go.
CREATE INDEX cards_list ON cards (board, status, id, due_at) WHERE NOT private AND NOT hidden;
CREATE INDEX cards_priority ON cards (board, status, priority, id) WHERE NOT private AND NOT hidden;
CREATE INDEX cards_due ON cards (board, status, (due_at / 86400000), id, due_at) WHERE due_at IS NOT NULL AND NOT private AND NOT hidden;
CREATE INDEX cards_undue ON cards (board, status, id) WHERE due_at IS NULL AND NOT private AND NOT hidden;
CREATE UNIQUE INDEX cards_attendance ON cards (attendance) WHERE attendance IS NOT NULL;
CREATE INDEX cards_unindexed ON cards (id) WHERE unindexed;

CREATE TABLE idempotency (
    key_id      UUID   NOT NULL,
    key         TEXT   NOT NULL,
    fingerprint BYTEA  NOT NULL,
    done        BOOLEAN NOT NULL,
    status      BIGINT,
    headers     TEXT,
    body        BYTEA,
    created_at  BIGINT NOT NULL,
    expires_at  BIGINT NOT NULL,
    PRIMARY KEY (key_id, key)
);
CREATE INDEX idempotency_expiry ON idempotency (expires_at);
