-- What a team writes for itself: notes, drafts, canned replies, notifications, and messages to be sent later.

-- Internal notes of a conversation. No statement that sends reads this table. seq is their place among the messages.
-- mentions holds the ids of members, 16 bytes each.
CREATE TABLE notes (
    company      UUID   NOT NULL REFERENCES companies (id),
    conversation UUID   NOT NULL,
    seq          BIGINT NOT NULL,
    id           UUID   NOT NULL,
    client_id    UUID   NOT NULL,
    attendance   UUID,
    author       UUID   NOT NULL REFERENCES users (id),
    text         TEXT   NOT NULL,
    mentions     BYTEA,
    created_at   BIGINT NOT NULL,
    edited_at    BIGINT,
    PRIMARY KEY (company, conversation, seq)
);
CREATE UNIQUE INDEX notes_id ON notes (company, id);
CREATE UNIQUE INDEX notes_client ON notes (company, client_id);

CREATE TABLE drafts (
    company      UUID   NOT NULL REFERENCES companies (id),
    member       UUID   NOT NULL REFERENCES users (id),
    conversation UUID   NOT NULL,
    text         TEXT   NOT NULL,
    reply_to     TEXT,
    updated_at   BIGINT NOT NULL,
    PRIMARY KEY (company, member, conversation)
) /*sqlite: WITHOUT ROWID */;

-- Canned replies. owner is NULL for those of the team. sectors holds ids, 16 bytes each; NULL: all sectors.
CREATE TABLE replies (
    company    UUID   NOT NULL REFERENCES companies (id),
    id         UUID   NOT NULL,
    owner      UUID   REFERENCES users (id),
    shortcut   TEXT   NOT NULL,
    title      TEXT   NOT NULL,
    text       TEXT   NOT NULL,
    media      UUID,
    sectors    BYTEA,
    uses       BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (company, id)
);
CREATE UNIQUE INDEX replies_of_team ON replies (company, shortcut) WHERE owner IS NULL;
CREATE UNIQUE INDEX replies_of_member ON replies (company, owner, shortcut) WHERE owner IS NOT NULL;
CREATE INDEX replies_media ON replies (media) WHERE media IS NOT NULL;

-- A reply that was rendered for a conversation and not sent yet: its next message with that text counts as a use.
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
    member       UUID   NOT NULL REFERENCES users (id),
    id           UUID   NOT NULL,
    kind         TEXT   NOT NULL,
    conversation UUID   NOT NULL,
    by_member    UUID   REFERENCES users (id),
    created_at   BIGINT NOT NULL,
    read_at      BIGINT,
    PRIMARY KEY (company, member, id)
) /*sqlite: WITHOUT ROWID */;
CREATE INDEX notifications_unread ON notifications (company, member, id) WHERE read_at IS NULL;
CREATE INDEX notifications_age ON notifications (created_at);

-- Messages to be sent later. key_id is the key that made it; NULL: a person did, in the app. template is JSON.
-- message is set in the transaction that sends it, together with status.
CREATE TABLE scheduled_messages (
    company         UUID    NOT NULL REFERENCES companies (id),
    id              UUID    NOT NULL,
    conversation    UUID    NOT NULL,
    client_id       UUID    NOT NULL,
    member          UUID    NOT NULL REFERENCES users (id),
    key_id          UUID    REFERENCES keys (id),
    text            TEXT,
    media           UUID,
    template        TEXT,
    cancel_on_reply BOOLEAN NOT NULL,
    send_at         BIGINT  NOT NULL,
    status          TEXT    NOT NULL,
    message         UUID,
    error_code      TEXT,
    error_message   TEXT,
    created_at      BIGINT  NOT NULL,
    updated_at      BIGINT  NOT NULL,
    PRIMARY KEY (company, id)
);
CREATE UNIQUE INDEX scheduled_client ON scheduled_messages (company, client_id);
CREATE INDEX scheduled_conversation ON scheduled_messages (company, conversation, send_at);
CREATE INDEX scheduled_due ON scheduled_messages (send_at, id) WHERE status = 'scheduled';
CREATE INDEX scheduled_reply ON scheduled_messages (conversation) WHERE status = 'scheduled' AND cancel_on_reply;

-- Messages that people send in the app begin with the name of the person.
ALTER TABLE channels ADD COLUMN sign BOOLEAN NOT NULL DEFAULT FALSE;
