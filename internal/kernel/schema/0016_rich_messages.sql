-- What messages offer to choose from and what a customer chose, both JSON; and whether a file is a recording made for the chat.
ALTER TABLE messages ADD COLUMN interactive TEXT;
ALTER TABLE messages ADD COLUMN choice TEXT;
ALTER TABLE messages ADD COLUMN voice BOOLEAN NOT NULL DEFAULT FALSE;

-- Whether messages that a customer deleted keep their content.
ALTER TABLE companies ADD COLUMN keep_revoked BOOLEAN NOT NULL DEFAULT FALSE;

-- A reaction on its way to a provider: the message that it is on and the emoji, which is empty when a reaction is taken back.
ALTER TABLE sends ADD COLUMN reacts_to UUID;
ALTER TABLE sends ADD COLUMN emoji TEXT;

-- The copy of the templates that a provider has approved, or not. content is JSON.
CREATE TABLE templates (
    company     UUID   NOT NULL,
    channel     UUID   NOT NULL,
    id          UUID   NOT NULL,
    provider_id TEXT   NOT NULL,
    name        TEXT   NOT NULL,
    language    TEXT   NOT NULL,
    folded      TEXT   NOT NULL,
    status      TEXT   NOT NULL,
    category    TEXT   NOT NULL,
    content     TEXT   NOT NULL,
    PRIMARY KEY (company, channel, name, language)
);
-- When the copy of a channel is fetched next, when it was fetched last, and when somebody last asked for it. A channel that
-- has never been fetched has no copy to check messages against.
ALTER TABLE channels ADD COLUMN templates_due_at BIGINT;
ALTER TABLE channels ADD COLUMN templates_synced_at BIGINT;
ALTER TABLE channels ADD COLUMN templates_asked_at BIGINT;
CREATE INDEX channels_templates_due ON channels (templates_due_at) WHERE templates_due_at IS NOT NULL;
UPDATE channels SET templates_due_at = 0 WHERE provider = 'whatsapp' AND status = 'connected';

-- Messages whose text the index of messages does not have yet.
CREATE TABLE messages_unindexed (
    company UUID NOT NULL,
    id      UUID NOT NULL,
    PRIMARY KEY (company, id)
) /*sqlite: WITHOUT ROWID */;
INSERT INTO messages_unindexed (company, id) SELECT company, id FROM messages WHERE text IS NOT NULL;
-- SQLite's index has no text of its own: the number of an entry is the beginning of the message's id.
-- sqlite: CREATE VIRTUAL TABLE message_trigrams USING fts5(folded, content='', contentless_delete=1, tokenize='trigram case_sensitive 1', detail='none');
-- postgres: CREATE TABLE message_search (company UUID NOT NULL, subject UUID NOT NULL, folded TEXT NOT NULL, PRIMARY KEY (company, subject));
-- postgres: CREATE INDEX message_trigrams ON message_search USING gin (folded gin_trgm_ops);
