-- The schema of both engines in one text. Ids are UUIDs (16-byte blobs in SQLite), times are Unix milliseconds, and "folded"
-- columns hold text in lower case without accents, written by Go. A line that begins with "-- sqlite:" or "-- postgres:", and
-- a comment that begins with the name of an engine, reach that engine alone.
--
-- Every row belongs to a company, and every primary, unique and foreign key begins with it. The few tables that belong to the
-- installation are at the end; kernel.GlobalTables gives the reason for each.

-- postgres: CREATE EXTENSION IF NOT EXISTS pg_trgm;

-- Companies and people -------------------------------------------------------------------------

CREATE TABLE companies (
    id                  UUID    NOT NULL PRIMARY KEY,
    name                TEXT    NOT NULL,
    timezone            TEXT    NOT NULL,
    created_at          BIGINT  NOT NULL,
    attendance_enabled  BOOLEAN NOT NULL,
    first_responder     BOOLEAN NOT NULL,
    mode                TEXT    NOT NULL,
    auto_close          BOOLEAN NOT NULL,
    auto_close_minutes  BIGINT  NOT NULL,
    checks_stale        BOOLEAN NOT NULL, -- the rule for automatic closing changed after open cases were scheduled
    keep_revoked        BOOLEAN NOT NULL DEFAULT FALSE,
    hours               UUID, -- the opening hours that apply where a number or a sector has none
    grace_minutes       BIGINT  NOT NULL DEFAULT 10, -- messages sent this long after closing still belong to the case
    grace_for_customers BOOLEAN NOT NULL DEFAULT FALSE -- the same for messages of the customer
);
CREATE INDEX companies_stale ON companies (id) WHERE checks_stale;

-- The last protocol numbers. A row of its own, so that numbering waits for nothing else. Private numbers have their own series:
-- a gap in the public one would reveal them.
CREATE TABLE protocols (
    company      UUID   NOT NULL PRIMARY KEY REFERENCES companies (id),
    last         BIGINT NOT NULL,
    last_private BIGINT NOT NULL
);

CREATE TABLE users (
    company            UUID   NOT NULL REFERENCES companies (id),
    id                 UUID   NOT NULL,
    name               TEXT   NOT NULL,
    email              TEXT   NOT NULL,
    email_folded       TEXT   NOT NULL,
    password_hash      TEXT,
    role               TEXT   NOT NULL,
    access_profile     TEXT   NOT NULL,
    last_seen_at       BIGINT,
    created_at         BIGINT NOT NULL,
    removed_at         BIGINT,
    two_factor         BYTEA, -- the sealed secret; NULL if two-factor authentication is off
    two_factor_pending BYTEA, -- a sealed secret that has not been confirmed
    two_factor_step    BIGINT NOT NULL DEFAULT 0, -- the last time step that was accepted
    presence           TEXT   NOT NULL DEFAULT 'auto',
    signature          TEXT   NOT NULL DEFAULT '',
    preferences        TEXT   NOT NULL DEFAULT '{}', -- JSON
    capacity           BIGINT, -- open cases that distribution gives at most; NULL: that of the sector
    received_at        BIGINT,
    received_turn      BIGINT, -- orders received_at: clocks of nodes differ
    PRIMARY KEY (company, id)
);
CREATE UNIQUE INDEX users_email ON users (company, email_folded) WHERE removed_at IS NULL;
-- Signing in searches all companies.
CREATE INDEX users_sign_in ON users (email_folded) WHERE removed_at IS NULL;

CREATE TABLE sectors (
    company        UUID    NOT NULL REFERENCES companies (id),
    id             UUID    NOT NULL,
    name           TEXT    NOT NULL,
    folded         TEXT    NOT NULL,
    created_at     BIGINT  NOT NULL,
    removed_at     BIGINT,
    hours          UUID,
    distribution   TEXT    NOT NULL DEFAULT 'manual',
    capacity       BIGINT  NOT NULL DEFAULT 10,
    prefer_last    BOOLEAN NOT NULL DEFAULT FALSE,
    return_minutes BIGINT,
    PRIMARY KEY (company, id)
);
CREATE UNIQUE INDEX sectors_name ON sectors (company, folded) WHERE removed_at IS NULL;
CREATE INDEX sectors_distributing ON sectors (company, id) WHERE distribution <> 'manual';

CREATE TABLE sector_members (
    company UUID NOT NULL,
    sector  UUID NOT NULL,
    member  UUID NOT NULL,
    PRIMARY KEY (company, sector, member),
    FOREIGN KEY (company, sector) REFERENCES sectors (company, id),
    FOREIGN KEY (company, member) REFERENCES users (company, id)
) /*sqlite: WITHOUT ROWID */;
CREATE INDEX sector_members_member ON sector_members (company, member);

-- A recovery code replaces a two-factor code once.
CREATE TABLE recovery_codes (
    company UUID  NOT NULL,
    member  UUID  NOT NULL,
    hash    BYTEA NOT NULL,
    PRIMARY KEY (company, member, hash),
    FOREIGN KEY (company, member) REFERENCES users (company, id)
) /*sqlite: WITHOUT ROWID */;

-- A session that has ended has no row. hash is that of its cookie.
CREATE TABLE sessions (
    company      UUID   NOT NULL REFERENCES companies (id),
    id           UUID   NOT NULL,
    member       UUID   NOT NULL,
    hash         BYTEA  NOT NULL,
    ip           TEXT   NOT NULL,
    user_agent   TEXT   NOT NULL,
    created_at   BIGINT NOT NULL,
    last_seen_at BIGINT NOT NULL,
    PRIMARY KEY (company, id),
    FOREIGN KEY (company, member) REFERENCES users (company, id)
);
CREATE INDEX sessions_hash ON sessions (hash);
CREATE INDEX sessions_member ON sessions (company, member, id DESC);
CREATE INDEX sessions_seen ON sessions (last_seen_at);

-- issuer and issuer_key say who issued an invitation or a link. NULL: the operator.
CREATE TABLE invitations (
    company        UUID   NOT NULL REFERENCES companies (id),
    id             UUID   NOT NULL,
    email          TEXT   NOT NULL,
    email_folded   TEXT   NOT NULL,
    name           TEXT   NOT NULL,
    role           TEXT   NOT NULL,
    access_profile TEXT   NOT NULL,
    sectors        BYTEA, -- packed ids
    hash           BYTEA  NOT NULL,
    created_at     BIGINT NOT NULL,
    expires_at     BIGINT NOT NULL,
    accepted_at    BIGINT,
    issuer         UUID,
    issuer_key     UUID,
    PRIMARY KEY (company, id)
);
CREATE INDEX invitations_hash ON invitations (hash);
CREATE INDEX invitations_email ON invitations (company, email_folded) WHERE accepted_at IS NULL;

-- Links that set a password. A link that was used has no row.
CREATE TABLE reset_links (
    company    UUID   NOT NULL REFERENCES companies (id),
    member     UUID   NOT NULL,
    hash       BYTEA  NOT NULL,
    expires_at BIGINT NOT NULL,
    issuer     UUID,
    issuer_key UUID,
    PRIMARY KEY (company, member, hash),
    FOREIGN KEY (company, member) REFERENCES users (company, id)
);
CREATE INDEX reset_links_hash ON reset_links (hash);

CREATE TABLE keys (
    company      UUID    NOT NULL REFERENCES companies (id),
    id           UUID    NOT NULL,
    name         TEXT    NOT NULL,
    member       UUID    NOT NULL,
    all_boards   BOOLEAN NOT NULL,
    per_second   BIGINT  NOT NULL,
    burst        BIGINT  NOT NULL,
    created_at   BIGINT  NOT NULL,
    expires_at   BIGINT,
    revoked_at   BIGINT,
    last_used_at BIGINT,
    parent       UUID, -- the key that issued this one: it ends with its parent
    scopes       TEXT    NOT NULL DEFAULT '', -- names, separated by spaces
    acts_as      TEXT    NOT NULL DEFAULT 'person', -- person or integration
    issuer       UUID, -- the member who issued or last rotated it in the app or the API
    PRIMARY KEY (company, id),
    FOREIGN KEY (company, member) REFERENCES users (company, id),
    FOREIGN KEY (company, parent) REFERENCES keys (company, id),
    FOREIGN KEY (company, issuer) REFERENCES users (company, id)
);
CREATE INDEX keys_parent ON keys (company, parent) WHERE parent IS NOT NULL;

CREATE TABLE key_boards (
    company UUID NOT NULL,
    key_id  UUID NOT NULL,
    board   UUID NOT NULL,
    PRIMARY KEY (company, key_id, board),
    FOREIGN KEY (company, key_id) REFERENCES keys (company, id)
) /*sqlite: WITHOUT ROWID */;

-- A key has two secrets while a rotation overlaps.
CREATE TABLE key_secrets (
    company    UUID   NOT NULL,
    key_id     UUID   NOT NULL,
    hash       BYTEA  NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT,
    PRIMARY KEY (company, key_id, hash),
    FOREIGN KEY (company, key_id) REFERENCES keys (company, id)
);
CREATE INDEX key_secrets_hash ON key_secrets (hash);

-- Stored responses of requests that were made with an idempotency key. The caller must still be allowed to see the subject
-- when the response is repeated.
CREATE TABLE idempotency (
    company      UUID    NOT NULL,
    key_id       UUID    NOT NULL,
    key          TEXT    NOT NULL,
    fingerprint  BYTEA   NOT NULL,
    done         BOOLEAN NOT NULL,
    status       BIGINT,
    headers      TEXT,
    body         BYTEA,
    created_at   BIGINT  NOT NULL,
    expires_at   BIGINT  NOT NULL,
    subject_kind TEXT,
    subject      UUID,
    PRIMARY KEY (company, key_id, key)
);
CREATE INDEX idempotency_expiry ON idempotency (expires_at);

-- Numbers and contacts -------------------------------------------------------------------------

-- private alone decides who sees what belongs to a number. The copies in conversations, attendances and cards and the pools of
-- contacts serve the indexes of lists; they follow a change in the background while the number is settling.
CREATE TABLE channels (
    company             UUID    NOT NULL REFERENCES companies (id),
    id                  UUID    NOT NULL,
    name                TEXT    NOT NULL,
    phone               TEXT    NOT NULL,
    provider            TEXT    NOT NULL,
    private             BOOLEAN NOT NULL,
    status              TEXT    NOT NULL,
    status_reason       TEXT,
    warning             TEXT,
    phone_number_id     TEXT,
    waba_id             TEXT,
    api_version         TEXT,
    coexistence         BOOLEAN NOT NULL,
    credentials         BYTEA,
    last_inbound_at     BIGINT,
    created_at          BIGINT  NOT NULL,
    updated_at          BIGINT  NOT NULL,
    restriction         TEXT, -- what the provider says about the whole account
    restriction_until   BIGINT,
    sign                BOOLEAN NOT NULL DEFAULT FALSE, -- messages that people send begin with their name
    templates_due_at    BIGINT, -- when the templates are fetched next
    templates_synced_at BIGINT,
    templates_asked_at  BIGINT,
    hours               UUID,
    reception           BIGINT, -- the version of the reception while it is switched on
    settling            BOOLEAN NOT NULL DEFAULT FALSE,
    settled_to          UUID, -- the last conversation that follows the change of privacy
    privacy_version     BIGINT  NOT NULL DEFAULT 0, -- signed into links to files, so that a change ends them
    archived_at         BIGINT, -- disconnected for good; the phone number may be connected again
    PRIMARY KEY (company, id)
);
-- A provider's callback names the number and not the company. One phone number is connected once in an installation.
CREATE INDEX channels_id ON channels (id);
CREATE UNIQUE INDEX channels_phone_number_id ON channels (phone_number_id) WHERE phone_number_id IS NOT NULL AND archived_at IS NULL;
CREATE INDEX channels_templates_due ON channels (templates_due_at) WHERE templates_due_at IS NOT NULL;
CREATE INDEX channels_settling ON channels (company, id) WHERE settling;

CREATE TABLE channel_viewers (
    company UUID    NOT NULL,
    channel UUID    NOT NULL,
    member  UUID    NOT NULL,
    pending BOOLEAN NOT NULL DEFAULT FALSE, -- to be confirmed, because someone else made the link that set their password
    PRIMARY KEY (company, channel, member),
    FOREIGN KEY (company, channel) REFERENCES channels (company, id),
    FOREIGN KEY (company, member) REFERENCES users (company, id)
) /*sqlite: WITHOUT ROWID */;
CREATE INDEX channel_viewers_member ON channel_viewers (company, member, channel);

-- How often the provider called about a number on a day, and the longest time between two calls.
CREATE TABLE channel_days (
    company UUID   NOT NULL,
    channel UUID   NOT NULL,
    day     BIGINT NOT NULL,
    calls   BIGINT NOT NULL,
    longest BIGINT NOT NULL,
    PRIMARY KEY (company, channel, day)
) /*sqlite: WITHOUT ROWID */;

-- What the provider reported apart from messages and statuses. digest is that of the content, so that a repeat adds nothing.
CREATE TABLE notices (
    company    UUID   NOT NULL,
    channel    UUID   NOT NULL,
    digest     BYTEA  NOT NULL,
    kind       TEXT   NOT NULL,
    text       TEXT   NOT NULL,
    raw        BYTEA,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (company, channel, digest)
);
CREATE INDEX notices_age ON notices (created_at);

-- The provider's templates. content is JSON.
CREATE TABLE templates (
    company     UUID NOT NULL,
    channel     UUID NOT NULL,
    name        TEXT NOT NULL,
    language    TEXT NOT NULL,
    id          UUID NOT NULL,
    provider_id TEXT NOT NULL,
    folded      TEXT NOT NULL,
    status      TEXT NOT NULL,
    category    TEXT NOT NULL,
    content     TEXT NOT NULL,
    PRIMARY KEY (company, channel, name, language)
);

-- pool is the company, or the private number that the contact belongs to: a person can have a contact in each.
CREATE TABLE contacts (
    company       UUID    NOT NULL REFERENCES companies (id),
    id            UUID    NOT NULL,
    name          TEXT    NOT NULL,
    phone         TEXT,
    phone_key     TEXT,
    business_name TEXT,
    city          TEXT,
    channel       UUID,
    labels        BYTEA, -- packed ids
    blocked       BOOLEAN NOT NULL,
    folded        TEXT    NOT NULL,
    unindexed     BOOLEAN NOT NULL,
    created_at    BIGINT  NOT NULL,
    updated_at    BIGINT  NOT NULL,
    pool          UUID    NOT NULL,
    automation    BOOLEAN NOT NULL DEFAULT TRUE, -- whether receptions answer this person
    PRIMARY KEY (company, id)
);
CREATE UNIQUE INDEX contacts_phone ON contacts (company, pool, phone_key) WHERE phone_key IS NOT NULL;
CREATE INDEX contacts_list ON contacts (company, pool, id DESC);
CREATE INDEX contacts_channel ON contacts (company, pool, channel, id DESC);
CREATE INDEX contacts_unindexed ON contacts (company, id) WHERE unindexed;

-- What identifies a person to a provider.
CREATE TABLE contact_identities (
    company UUID NOT NULL,
    pool    UUID NOT NULL,
    kind    TEXT NOT NULL,
    value   TEXT NOT NULL,
    contact UUID NOT NULL,
    PRIMARY KEY (company, pool, kind, value),
    FOREIGN KEY (company, contact) REFERENCES contacts (company, id)
) /*sqlite: WITHOUT ROWID */;
CREATE INDEX contact_identities_contact ON contact_identities (company, contact);

-- Names from the address book of a number's phone, for people who have no contact yet.
CREATE TABLE address_book (
    company    UUID   NOT NULL,
    channel    UUID   NOT NULL,
    kind       TEXT   NOT NULL,
    value      TEXT   NOT NULL,
    name       TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (company, channel, kind, value)
) /*sqlite: WITHOUT ROWID */;

CREATE TABLE labels (
    company    UUID   NOT NULL REFERENCES companies (id),
    id         UUID   NOT NULL,
    name       TEXT   NOT NULL,
    folded     TEXT   NOT NULL,
    color      TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (company, id)
);
CREATE UNIQUE INDEX labels_name ON labels (company, folded);

-- The labels of contacts, conversations and cards, for filters. The row of the subject holds the same ids, packed.
CREATE TABLE contact_labels (
    company UUID NOT NULL,
    subject UUID NOT NULL,
    label   UUID NOT NULL,
    PRIMARY KEY (company, subject, label),
    FOREIGN KEY (company, label) REFERENCES labels (company, id) ON DELETE CASCADE
) /*sqlite: WITHOUT ROWID */;
CREATE INDEX contact_labels_label ON contact_labels (company, label, subject);

CREATE TABLE conversation_labels (
    company UUID NOT NULL,
    subject UUID NOT NULL,
    label   UUID NOT NULL,
    PRIMARY KEY (company, subject, label),
    FOREIGN KEY (company, label) REFERENCES labels (company, id) ON DELETE CASCADE
) /*sqlite: WITHOUT ROWID */;
CREATE INDEX conversation_labels_label ON conversation_labels (company, label, subject);

-- With the card's board and status, so that the cards of a label are read along one index. status is empty while no key may see
-- the card.
CREATE TABLE card_labels (
    company UUID NOT NULL,
    subject UUID NOT NULL,
    label   UUID NOT NULL,
    board   UUID NOT NULL,
    status  TEXT NOT NULL,
    PRIMARY KEY (company, subject, label),
    FOREIGN KEY (company, label) REFERENCES labels (company, id) ON DELETE CASCADE
) /*sqlite: WITHOUT ROWID */;
CREATE INDEX card_labels_label ON card_labels (company, label, board, status, subject);

-- Conversations and messages -------------------------------------------------------------------

-- open: a case is open, or there are unread messages and the conversation is not muted.
CREATE TABLE conversations (
    company              UUID    NOT NULL,
    id                   UUID    NOT NULL,
    channel              UUID    NOT NULL,
    private              BOOLEAN NOT NULL,
    kind                 TEXT    NOT NULL,
    name                 TEXT    NOT NULL,
    renamed              BOOLEAN NOT NULL,
    phone                TEXT,
    contact              UUID,
    group_id             TEXT,
    assignee             UUID,
    sector               UUID,
    archived             BOOLEAN NOT NULL,
    pinned               BOOLEAN NOT NULL,
    muted                BOOLEAN NOT NULL,
    labels               BYTEA, -- packed ids
    unread_count         BIGINT  NOT NULL,
    last_id              UUID,
    last_type            TEXT,
    last_text            TEXT,
    last_direction       TEXT,
    last_at              BIGINT,
    last_inbound_at      BIGINT,
    last_inbound_ext     TEXT,
    attendance           UUID,
    unanswered           BOOLEAN NOT NULL,
    sequence             BIGINT  NOT NULL, -- the last seq of a message, note or assignment
    activity_at          BIGINT  NOT NULL,
    folded               TEXT    NOT NULL,
    unindexed            BOOLEAN NOT NULL,
    created_at           BIGINT  NOT NULL,
    updated_at           BIGINT  NOT NULL,
    open                 BOOLEAN NOT NULL DEFAULT FALSE,
    attendance_number    BIGINT,
    attendance_opened_at BIGINT,
    waiting_since        BIGINT, -- when the customer's oldest unanswered message of the open case came
    snoozed_until        BIGINT,
    windowed             BOOLEAN NOT NULL DEFAULT FALSE, -- the provider accepts free-form messages only within 24 hours of the customer's last one
    last_status          TEXT,
    last_file_name       TEXT,
    last_duration_ms     BIGINT,
    reception            TEXT, -- the state of the menu, JSON
    reception_due        BIGINT,
    bot_paused_until     BIGINT,
    last_notice          TEXT, -- JSON
    PRIMARY KEY (company, id)
);
CREATE UNIQUE INDEX conversations_contact ON conversations (company, channel, contact) WHERE contact IS NOT NULL;
CREATE UNIQUE INDEX conversations_group ON conversations (company, channel, group_id) WHERE group_id IS NOT NULL;
-- Each message moves its conversation to the front of these. PostgreSQL packs the pages of an index only where values grow.
-- sqlite: CREATE INDEX conversations_list ON conversations (company, pinned DESC, activity_at DESC, id DESC) WHERE NOT private;
-- sqlite: CREATE INDEX conversations_assignee ON conversations (company, assignee, pinned DESC, activity_at DESC, id DESC) WHERE assignee IS NOT NULL;
-- sqlite: CREATE INDEX conversations_open ON conversations (company, open, activity_at DESC, id DESC) WHERE NOT private;
-- sqlite: CREATE INDEX conversations_private ON conversations (company, channel, activity_at DESC, id DESC) WHERE private;
-- postgres: CREATE INDEX conversations_list ON conversations (company, pinned, activity_at, id) WHERE NOT private;
-- postgres: CREATE INDEX conversations_assignee ON conversations (company, assignee, pinned, activity_at, id) WHERE assignee IS NOT NULL;
-- postgres: CREATE INDEX conversations_open ON conversations (company, open, activity_at, id) WHERE NOT private;
-- postgres: CREATE INDEX conversations_private ON conversations (company, channel, activity_at, id) WHERE private;
CREATE INDEX conversations_sector ON conversations (company, sector, id) WHERE sector IS NOT NULL;
CREATE INDEX conversations_unread ON conversations (company, id) WHERE unread_count > 0;
CREATE INDEX conversations_archived ON conversations (company, archived, id);
CREATE INDEX conversations_groups ON conversations (company, id) WHERE group_id IS NOT NULL;
CREATE INDEX conversations_by_contact ON conversations (company, contact) WHERE contact IS NOT NULL;
CREATE INDEX conversations_channel ON conversations (company, channel, id);
CREATE INDEX conversations_waiting ON conversations (company, waiting_since, id) WHERE waiting_since IS NOT NULL AND NOT private;
CREATE INDEX conversations_snoozed ON conversations (company, id) WHERE snoozed_until IS NOT NULL;
CREATE INDEX conversations_wake ON conversations (snoozed_until) WHERE snoozed_until IS NOT NULL;
CREATE INDEX conversations_reception_due ON conversations (reception_due) WHERE reception_due IS NOT NULL;
CREATE INDEX conversations_unindexed ON conversations (company, id) WHERE unindexed;

-- seq is the message's position in its conversation, shared with notes and assignments: a page reads neighbouring rows.
CREATE TABLE messages (
    company       UUID    NOT NULL,
    conversation  UUID    NOT NULL,
    seq           BIGINT  NOT NULL,
    id            UUID    NOT NULL,
    channel       UUID    NOT NULL,
    private       BOOLEAN NOT NULL,
    client_id     UUID,
    direction     TEXT    NOT NULL,
    origin        TEXT    NOT NULL,
    type          TEXT    NOT NULL,
    text          TEXT,
    media         UUID,
    template      TEXT,
    reply_to      TEXT,
    external_id   TEXT,
    status        TEXT    NOT NULL,
    error_code    TEXT,
    error_detail TEXT,
    sent_by       UUID,
    author        UUID,
    raw           TEXT, -- what the provider sent, if it was not understood
    created_at    BIGINT  NOT NULL,
    sent_at       BIGINT,
    delivered_at  BIGINT,
    read_at       BIGINT,
    edited_at     BIGINT,
    revoked_at    BIGINT,
    reactions     TEXT, -- JSON, as are referral, product, interactive, choice, notice and form
    referral      TEXT,
    product       TEXT,
    interactive   TEXT,
    choice        TEXT,
    voice         BOOLEAN NOT NULL DEFAULT FALSE,
    integration   UUID, -- the key that it was sent with
    notice        TEXT,
    form          TEXT,
    standby       BOOLEAN NOT NULL DEFAULT FALSE, -- it arrived while another app answered the conversation
    PRIMARY KEY (company, conversation, seq)
) /*sqlite: WITHOUT ROWID */;
CREATE UNIQUE INDEX messages_id ON messages (company, id);
CREATE UNIQUE INDEX messages_client_id ON messages (company, client_id) WHERE client_id IS NOT NULL;
CREATE UNIQUE INDEX messages_external_id ON messages (company, channel, external_id) WHERE external_id IS NOT NULL;
CREATE INDEX messages_media ON messages (company, media) WHERE media IS NOT NULL;
CREATE INDEX messages_files ON messages (company, conversation, seq) WHERE media IS NOT NULL;
CREATE INDEX messages_author ON messages (company, author) WHERE author IS NOT NULL;

-- Messages and reactions to be sent. A row is deleted when the outcome is known. One that is found in the state 'sending' after
-- a crash is uncertain and is never sent again.
CREATE TABLE sends (
    company      UUID   NOT NULL,
    message      UUID   NOT NULL,
    channel      UUID   NOT NULL,
    conversation UUID   NOT NULL,
    seq          BIGINT NOT NULL,
    state        TEXT   NOT NULL,
    epoch        BIGINT NOT NULL,
    attempts     BIGINT NOT NULL,
    due_at       BIGINT NOT NULL,
    reacts_to    UUID, -- the message of a reaction
    emoji        TEXT, -- empty: the reaction is removed
    PRIMARY KEY (company, message)
);
CREATE INDEX sends_due ON sends (company, channel, due_at);
CREATE UNIQUE INDEX sends_order ON sends (company, conversation, seq);

-- Statuses that arrived before the response to the send was stored, and edits, deletions and reactions that arrived before their
-- message.
CREATE TABLE early_statuses (
    company       UUID   NOT NULL,
    channel       UUID   NOT NULL,
    external_id   TEXT   NOT NULL,
    status        TEXT   NOT NULL,
    error_code    TEXT,
    error_detail TEXT,
    at            BIGINT NOT NULL,
    created_at    BIGINT NOT NULL,
    PRIMARY KEY (company, channel, external_id, status)
);

CREATE TABLE early_changes (
    company     UUID   NOT NULL,
    channel     UUID   NOT NULL,
    external_id TEXT   NOT NULL,
    kind        TEXT   NOT NULL,
    sender      TEXT   NOT NULL,
    body        TEXT   NOT NULL,
    at          BIGINT NOT NULL,
    created_at  BIGINT NOT NULL,
    PRIMARY KEY (company, channel, external_id, kind, sender)
) /*sqlite: WITHOUT ROWID */;
CREATE INDEX early_changes_age ON early_changes (created_at);

CREATE TABLE media (
    company         UUID    NOT NULL,
    id              UUID    NOT NULL,
    channel         UUID,
    private         BOOLEAN NOT NULL,
    kind            TEXT    NOT NULL,
    mime_type       TEXT    NOT NULL,
    file_name       TEXT    NOT NULL,
    size            BIGINT  NOT NULL,
    sha256          BYTEA,
    stored          BOOLEAN NOT NULL,
    provider_id     TEXT,
    provider_at     BIGINT,
    fetch_at        BIGINT,
    fetch_tries     BIGINT  NOT NULL,
    created_at      BIGINT  NOT NULL,
    unattached_at   BIGINT, -- since when an uploaded file has been waiting to be used
    fetch_error     TEXT, -- why a customer's file will not be fetched
    provider_sha256 TEXT, -- the hash that the provider announced
    width           BIGINT,
    height          BIGINT,
    duration_ms     BIGINT,
    PRIMARY KEY (company, id)
);
CREATE INDEX media_fetch ON media (fetch_at) WHERE fetch_at IS NOT NULL;
CREATE INDEX media_unattached ON media (unattached_at) WHERE unattached_at IS NOT NULL;

CREATE TABLE media_usage (
    company UUID   NOT NULL PRIMARY KEY REFERENCES companies (id),
    bytes   BIGINT NOT NULL
);

-- Uploads in progress. After a crash the file of one, if there is any, belongs to no row and is removed.
CREATE TABLE uploads (
    company  UUID   NOT NULL,
    media    UUID   NOT NULL,
    began_at BIGINT NOT NULL,
    PRIMARY KEY (company, media)
);

CREATE TABLE notes (
    company      UUID   NOT NULL REFERENCES companies (id),
    conversation UUID   NOT NULL,
    seq          BIGINT NOT NULL,
    id           UUID   NOT NULL,
    client_id    UUID   NOT NULL,
    attendance   UUID,
    author       UUID   NOT NULL,
    text         TEXT   NOT NULL,
    mentions     BYTEA, -- packed ids
    created_at   BIGINT NOT NULL,
    edited_at    BIGINT,
    PRIMARY KEY (company, conversation, seq),
    FOREIGN KEY (company, author) REFERENCES users (company, id)
);
CREATE UNIQUE INDEX notes_id ON notes (company, id);
CREATE UNIQUE INDEX notes_client ON notes (company, client_id);

CREATE TABLE drafts (
    company      UUID   NOT NULL REFERENCES companies (id),
    member       UUID   NOT NULL,
    conversation UUID   NOT NULL,
    text         TEXT   NOT NULL,
    reply_to     TEXT,
    updated_at   BIGINT NOT NULL,
    PRIMARY KEY (company, member, conversation),
    FOREIGN KEY (company, member) REFERENCES users (company, id)
) /*sqlite: WITHOUT ROWID */;

-- Canned replies.
CREATE TABLE replies (
    company    UUID   NOT NULL REFERENCES companies (id),
    id         UUID   NOT NULL,
    owner      UUID, -- NULL: the team
    shortcut   TEXT   NOT NULL,
    title      TEXT   NOT NULL,
    text       TEXT   NOT NULL,
    media      UUID,
    sectors    BYTEA, -- packed ids; NULL: all sectors
    uses       BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (company, id),
    FOREIGN KEY (company, owner) REFERENCES users (company, id)
);
CREATE UNIQUE INDEX replies_of_team ON replies (company, shortcut) WHERE owner IS NULL;
CREATE UNIQUE INDEX replies_of_member ON replies (company, owner, shortcut) WHERE owner IS NOT NULL;
CREATE INDEX replies_media ON replies (company, media) WHERE media IS NOT NULL;

-- Replies that were inserted into a composer and not sent yet: the next message with that text counts as a use.
CREATE TABLE reply_renderings (
    company      UUID   NOT NULL,
    member       UUID   NOT NULL,
    conversation UUID   NOT NULL,
    reply        UUID   NOT NULL,
    text         TEXT   NOT NULL,
    media        UUID,
    created_at   BIGINT NOT NULL,
    PRIMARY KEY (company, member, conversation, reply)
) /*sqlite: WITHOUT ROWID */;
CREATE INDEX reply_renderings_age ON reply_renderings (created_at);

CREATE TABLE notifications (
    company      UUID   NOT NULL REFERENCES companies (id),
    member       UUID   NOT NULL,
    id           UUID   NOT NULL,
    kind         TEXT   NOT NULL,
    conversation UUID   NOT NULL,
    by_member    UUID,
    created_at   BIGINT NOT NULL,
    read_at      BIGINT,
    entry        UUID, -- the note or message to open
    PRIMARY KEY (company, member, id),
    FOREIGN KEY (company, member) REFERENCES users (company, id),
    FOREIGN KEY (company, by_member) REFERENCES users (company, id)
) /*sqlite: WITHOUT ROWID */;
CREATE INDEX notifications_unread ON notifications (company, member, id) WHERE read_at IS NULL;
CREATE INDEX notifications_age ON notifications (created_at);

-- message is set in the transaction that sends it.
CREATE TABLE scheduled_messages (
    company         UUID    NOT NULL REFERENCES companies (id),
    id              UUID    NOT NULL,
    conversation    UUID    NOT NULL,
    client_id       UUID    NOT NULL,
    member          UUID    NOT NULL,
    key_id          UUID, -- NULL: a person, in the app
    text            TEXT,
    media           UUID,
    template        TEXT, -- JSON
    cancel_on_reply BOOLEAN NOT NULL,
    send_at         BIGINT  NOT NULL,
    status          TEXT    NOT NULL,
    message         UUID,
    error_code      TEXT,
    error_detail   TEXT,
    created_at      BIGINT  NOT NULL,
    updated_at      BIGINT  NOT NULL,
    PRIMARY KEY (company, id),
    FOREIGN KEY (company, member) REFERENCES users (company, id),
    FOREIGN KEY (company, key_id) REFERENCES keys (company, id)
);
CREATE UNIQUE INDEX scheduled_client ON scheduled_messages (company, client_id);
CREATE INDEX scheduled_conversation ON scheduled_messages (company, conversation, send_at);
CREATE INDEX scheduled_due ON scheduled_messages (send_at, id) WHERE status = 'scheduled';
CREATE INDEX scheduled_reply ON scheduled_messages (company, conversation) WHERE status = 'scheduled' AND cancel_on_reply;

CREATE TABLE views (
    company    UUID    NOT NULL REFERENCES companies (id),
    id         UUID    NOT NULL,
    owner      UUID    NOT NULL,
    name       TEXT    NOT NULL,
    folded     TEXT    NOT NULL,
    query      TEXT    NOT NULL, -- JSON
    shared     BOOLEAN NOT NULL,
    position   BIGINT  NOT NULL,
    created_at BIGINT  NOT NULL,
    PRIMARY KEY (company, id),
    FOREIGN KEY (company, owner) REFERENCES users (company, id)
);
CREATE INDEX views_company ON views (company, owner);

-- Cases ----------------------------------------------------------------------------------------

CREATE TABLE attendances (
    company           UUID    NOT NULL,
    id                UUID    NOT NULL,
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
    check_at          BIGINT, -- when the rule for automatic closing is checked next
    distributed_at    BIGINT, -- when it was distributed, if it returns unless it is answered
    returned_from     UUID, -- the member who last let it return
    PRIMARY KEY (company, id)
);
CREATE UNIQUE INDEX attendances_number ON attendances (company, number);
CREATE UNIQUE INDEX attendances_open ON attendances (company, conversation) WHERE closed_at IS NULL;
CREATE INDEX attendances_list ON attendances (company, opened_at DESC, id DESC) WHERE NOT private;
CREATE INDEX attendances_conversation ON attendances (company, conversation, opened_at DESC, id DESC);
CREATE INDEX attendances_responsible ON attendances (company, responsible, opened_at DESC, id DESC) WHERE responsible IS NOT NULL;
CREATE INDEX attendances_nobody ON attendances (company, opened_at DESC, id DESC) WHERE responsible IS NULL;
CREATE INDEX attendances_sector ON attendances (company, sector, opened_at DESC, id DESC) WHERE sector IS NOT NULL;
CREATE INDEX attendances_waiting ON attendances (company, sector, channel, opened_at) WHERE sector IS NOT NULL AND responsible IS NULL AND closed_at IS NULL AND NOT private;
CREATE INDEX attendances_load ON attendances (company, responsible) WHERE closed_at IS NULL AND responsible IS NOT NULL AND NOT private;
CREATE INDEX attendances_closed ON attendances (company, opened_at DESC, id DESC) WHERE closed_at IS NOT NULL;
CREATE INDEX attendances_still_open ON attendances (company, opened_at DESC, id DESC) WHERE closed_at IS NULL;
CREATE INDEX attendances_check ON attendances (check_at) WHERE check_at IS NOT NULL;
CREATE INDEX attendances_distributed ON attendances (distributed_at) WHERE distributed_at IS NOT NULL;

CREATE TABLE assignments (
    company      UUID   NOT NULL,
    conversation UUID   NOT NULL,
    seq          BIGINT NOT NULL,
    id           UUID   NOT NULL,
    attendance   UUID,
    action       TEXT   NOT NULL,
    member       UUID,
    by_member    UUID,
    sector       UUID,
    reason       TEXT,
    created_at   BIGINT NOT NULL,
    sector_from  UUID,
    sector_to    UUID,
    PRIMARY KEY (company, conversation, seq)
) /*sqlite: WITHOUT ROWID */;

-- Where cases were opened (kind 2) and closed (kind 3) in a conversation.
CREATE TABLE attendance_marks (
    company      UUID   NOT NULL,
    conversation UUID   NOT NULL,
    seq          BIGINT NOT NULL,
    kind         BIGINT NOT NULL,
    attendance   UUID   NOT NULL,
    PRIMARY KEY (company, conversation, seq, kind, attendance)
) /*sqlite: WITHOUT ROWID */;

-- The figures of the report, kept by the transactions that change them: a row per day of the company, responsible person and
-- sector. 'Nobody' and 'no sector' are the all-ones UUID.
CREATE TABLE report_days (
    company        UUID   NOT NULL,
    day            BIGINT NOT NULL,
    member         UUID   NOT NULL,
    sector         UUID   NOT NULL,
    opened         BIGINT NOT NULL,
    answered       BIGINT NOT NULL,
    answer_seconds BIGINT NOT NULL,
    answer_sketch  BYTEA,
    closed         BIGINT NOT NULL,
    close_seconds  BIGINT NOT NULL,
    close_sketch   BYTEA,
    PRIMARY KEY (company, day, member, sector)
) /*sqlite: WITHOUT ROWID */;

-- Opening hours and reception ------------------------------------------------------------------

CREATE TABLE hours (
    company    UUID   NOT NULL REFERENCES companies (id),
    id         UUID   NOT NULL,
    name       TEXT   NOT NULL,
    timezone   TEXT   NOT NULL,
    weekly     TEXT   NOT NULL, -- JSON
    exceptions TEXT   NOT NULL, -- JSON
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (company, id)
);

CREATE TABLE receptions (
    company    UUID   NOT NULL REFERENCES companies (id),
    channel    UUID   NOT NULL,
    version    BIGINT NOT NULL,
    content    TEXT   NOT NULL, -- JSON
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (company, channel),
    FOREIGN KEY (company, channel) REFERENCES channels (company, id)
);

-- Kanban ---------------------------------------------------------------------------------------

CREATE TABLE boards (
    company    UUID    NOT NULL REFERENCES companies (id),
    id         UUID    NOT NULL,
    name       TEXT    NOT NULL,
    folded     TEXT    NOT NULL,
    archived   BOOLEAN NOT NULL,
    system     TEXT,
    created_at BIGINT  NOT NULL,
    updated_at BIGINT  NOT NULL,
    PRIMARY KEY (company, id)
);
CREATE UNIQUE INDEX boards_system ON boards (company, system) WHERE system IS NOT NULL;

CREATE TABLE stages (
    company    UUID   NOT NULL,
    id         UUID   NOT NULL,
    board      UUID   NOT NULL,
    name       TEXT   NOT NULL,
    folded     TEXT   NOT NULL,
    position   BIGINT NOT NULL,
    kind       TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (company, id),
    FOREIGN KEY (company, board) REFERENCES boards (company, id)
);
CREATE UNIQUE INDEX stages_name ON stages (company, board, folded);

-- A private card is seen by its creator, its assignee, and managers and above; hidden follows the number's privacy.
CREATE TABLE cards (
    company      UUID    NOT NULL,
    id           UUID    NOT NULL,
    board        UUID    NOT NULL,
    stage        UUID    NOT NULL,
    title        TEXT    NOT NULL,
    description  TEXT,
    folded       TEXT    NOT NULL,
    unindexed    BOOLEAN NOT NULL,
    priority     TEXT    NOT NULL,
    labels       BYTEA, -- packed ids
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
    completed_at BIGINT,
    created_by   UUID,
    PRIMARY KEY (company, id)
);
CREATE INDEX cards_stage ON cards (company, stage, rank, id);
CREATE INDEX cards_list ON cards (company, board, status, id, due_at) WHERE NOT private AND NOT hidden;
CREATE INDEX cards_priority ON cards (company, board, status, priority, id) WHERE NOT private AND NOT hidden;
CREATE INDEX cards_due ON cards (company, board, status, (due_at / 86400000), id, due_at) WHERE due_at IS NOT NULL AND NOT private AND NOT hidden;
CREATE INDEX cards_undue ON cards (company, board, status, id) WHERE due_at IS NULL AND NOT private AND NOT hidden;
CREATE UNIQUE INDEX cards_attendance ON cards (company, attendance) WHERE attendance IS NOT NULL;
CREATE INDEX cards_conversation ON cards (company, conversation, id) WHERE conversation IS NOT NULL;
CREATE INDEX cards_contact ON cards (company, contact) WHERE contact IS NOT NULL;
CREATE INDEX cards_unseen ON cards (company, id) WHERE (private OR hidden);
CREATE INDEX cards_unindexed ON cards (company, id) WHERE unindexed;

-- Search ---------------------------------------------------------------------------------------
-- The text that the trigram index has of a conversation, contact or card. It lags behind the row, which is marked as unindexed
-- until then and searched directly; a match is always compared with the row. num is the entry's number in SQLite's full-text
-- index and follows the order of the list, so that the newest matches are found first.

CREATE TABLE conversation_search (
    num     /*sqlite: INTEGER PRIMARY KEY */ /*postgres: BIGINT NOT NULL */,
    company UUID NOT NULL,
    subject UUID NOT NULL,
    folded  TEXT NOT NULL
);
CREATE UNIQUE INDEX conversation_search_subject ON conversation_search (company, subject);

CREATE TABLE contact_search (
    num     /*sqlite: INTEGER PRIMARY KEY */ /*postgres: BIGINT NOT NULL */,
    company UUID NOT NULL,
    subject UUID NOT NULL,
    folded  TEXT NOT NULL
);
CREATE UNIQUE INDEX contact_search_subject ON contact_search (company, subject);

CREATE TABLE card_search (
    num     /*sqlite: INTEGER PRIMARY KEY */ /*postgres: BIGINT NOT NULL */,
    company UUID NOT NULL,
    subject UUID NOT NULL,
    folded  TEXT NOT NULL
);
CREATE UNIQUE INDEX card_search_subject ON card_search (company, subject);

-- Messages whose text the index does not have yet. SQLite's index of messages keeps no text: the number of an entry is the
-- beginning of the message's id.
CREATE TABLE messages_unindexed (
    company UUID NOT NULL,
    id      UUID NOT NULL,
    PRIMARY KEY (company, id)
) /*sqlite: WITHOUT ROWID */;

-- sqlite: CREATE VIRTUAL TABLE conversation_trigrams USING fts5(folded, content='conversation_search', content_rowid='num', tokenize='trigram case_sensitive 1', detail='none');
-- sqlite: CREATE VIRTUAL TABLE contact_trigrams USING fts5(folded, content='contact_search', content_rowid='num', tokenize='trigram case_sensitive 1', detail='none');
-- sqlite: CREATE VIRTUAL TABLE card_trigrams USING fts5(folded, content='card_search', content_rowid='num', tokenize='trigram case_sensitive 1', detail='none');
-- sqlite: CREATE VIRTUAL TABLE message_trigrams USING fts5(folded, content='', contentless_delete=1, tokenize='trigram case_sensitive 1', detail='none');
-- postgres: CREATE INDEX conversation_trigrams ON conversation_search USING gin (folded gin_trgm_ops) WITH (gin_pending_list_limit = 256);
-- postgres: CREATE INDEX contact_trigrams ON contact_search USING gin (folded gin_trgm_ops) WITH (gin_pending_list_limit = 256);
-- postgres: CREATE INDEX card_trigrams ON card_search USING gin (folded gin_trgm_ops) WITH (gin_pending_list_limit = 256);
-- postgres: CREATE TABLE message_search (company UUID NOT NULL, subject UUID NOT NULL, folded TEXT NOT NULL, PRIMARY KEY (company, subject));
-- postgres: CREATE INDEX message_trigrams ON message_search USING gin (folded gin_trgm_ops);

-- Events and webhooks --------------------------------------------------------------------------

-- position orders the feed. SQLite: the order of commits. PostgreSQL: the id of the writing transaction, which is compared with
-- the oldest one still running, so that nothing that commits late is skipped.
CREATE TABLE events (
    position     /*sqlite: INTEGER PRIMARY KEY AUTOINCREMENT */ /*postgres: BIGINT NOT NULL DEFAULT (pg_current_xact_id()::text::bigint) */,
    company      UUID   NOT NULL,
    id           UUID   NOT NULL,
    type         TEXT   NOT NULL,
    conversation UUID,
    board        UUID,
    card         UUID,
    body         BYTEA  NOT NULL,
    created_at   BIGINT NOT NULL
);
CREATE UNIQUE INDEX events_id ON events (company, id);
CREATE INDEX events_feed ON events (company, position, id);
-- postgres: CREATE INDEX events_position ON events (position);

-- An inactive webhook has the position from which it misses events. While missed events are being delivered, replay_position and
-- replay_id name the last one that was looked at.
CREATE TABLE webhooks (
    company              UUID    NOT NULL REFERENCES companies (id),
    id                   UUID    NOT NULL,
    name                 TEXT    NOT NULL,
    url                  TEXT    NOT NULL,
    boards_of            UUID, -- the key whose boards limit the card events; NULL: all boards
    active               BOOLEAN NOT NULL,
    consecutive_failures BIGINT  NOT NULL,
    secret               BYTEA   NOT NULL,
    old_secret           BYTEA,
    old_secret_until     BIGINT,
    created_at           BIGINT  NOT NULL,
    updated_at           BIGINT  NOT NULL,
    missed_position      BIGINT,
    missed_at            BIGINT,
    replay_position      BIGINT,
    replay_id            UUID,
    replay_since         BIGINT,
    events               TEXT    NOT NULL DEFAULT '', -- names, separated by spaces
    PRIMARY KEY (company, id),
    FOREIGN KEY (company, boards_of) REFERENCES keys (company, id)
);

-- next_attempt_at is NULL once the delivery is final, so that the index of due ones stays small. log holds the attempts as JSON
-- objects, each followed by a comma, and is only appended to.
CREATE TABLE deliveries (
    company         UUID   NOT NULL,
    webhook         UUID   NOT NULL,
    id              UUID   NOT NULL,
    event           UUID   NOT NULL,
    event_type      TEXT   NOT NULL,
    status          TEXT   NOT NULL,
    attempts        BIGINT NOT NULL,
    next_attempt_at BIGINT,
    created_at      BIGINT NOT NULL,
    finished_at     BIGINT,
    log             TEXT   NOT NULL,
    PRIMARY KEY (company, webhook, id)
) /*sqlite: WITHOUT ROWID */;
CREATE INDEX deliveries_due ON deliveries (company, webhook, next_attempt_at, id) WHERE next_attempt_at IS NOT NULL;
CREATE INDEX deliveries_created ON deliveries (created_at);
-- postgres: ALTER TABLE deliveries SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.1);

-- The installation -----------------------------------------------------------------------------

-- Which node works for a webhook or a number. A result counts only in the epoch in which it was made.
CREATE TABLE lanes (
    subject     UUID   NOT NULL PRIMARY KEY,
    kind        TEXT   NOT NULL,
    owner       UUID   NOT NULL,
    epoch       BIGINT NOT NULL,
    lease_until BIGINT NOT NULL
);

-- Failed sign-ins. subject is the hash of an address, of an IP address, or of both.
CREATE TABLE sign_in_failures (
    subject  BYTEA  NOT NULL PRIMARY KEY,
    failures BIGINT NOT NULL,
    last_at  BIGINT NOT NULL
);
CREATE INDEX sign_in_failures_age ON sign_in_failures (last_at);

-- The hash of the token that creates the first company. At most one row.
CREATE TABLE setup_tokens (
    hash BYTEA NOT NULL PRIMARY KEY
);

-- A value sealed with the installation's secret key: a server that cannot open it has the wrong key.
CREATE TABLE secret_check (
    id     BIGINT NOT NULL PRIMARY KEY,
    sealed BYTEA  NOT NULL
);
