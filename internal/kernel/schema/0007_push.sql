-- Web Push -------------------------------------------------------------------------------------

ALTER TABLE companies ADD COLUMN push_texts BOOLEAN NOT NULL DEFAULT TRUE; -- notifications contain the text of messages
ALTER TABLE users ADD COLUMN push_kinds TEXT; -- the kinds in preferences, as a JSON list, for statements; NULL: all

-- The key pair with which the installation identifies itself to push services, sealed. There is one row.
CREATE TABLE push_key (
    id     BIGINT NOT NULL PRIMARY KEY,
    sealed BYTEA  NOT NULL
);

-- The browsers that get notifications. A subscription ends with the session that created it.
CREATE TABLE push_subscriptions (
    company      UUID   NOT NULL REFERENCES companies (id),
    id           UUID   NOT NULL,
    member       UUID   NOT NULL,
    session      UUID   NOT NULL,
    hash         BYTEA  NOT NULL, -- of the endpoint
    sealed       BYTEA  NOT NULL, -- the endpoint and the keys of the browser
    device       TEXT   NOT NULL,
    created_at   BIGINT NOT NULL,
    updated_at   BIGINT NOT NULL,
    last_used_at BIGINT, -- the last notification that the push service accepted
    paused_until BIGINT, -- nothing is sent before, because the push service failed or asked for it
    PRIMARY KEY (company, id),
    FOREIGN KEY (company, session) REFERENCES sessions (company, id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX push_subscriptions_endpoint ON push_subscriptions (company, hash, member);
CREATE INDEX push_subscriptions_member ON push_subscriptions (company, member);
CREATE INDEX push_subscriptions_session ON push_subscriptions (company, session);

-- Notifications to send, at most one per subscription and conversation: a later one replaces an earlier one. id is new with
-- every notification. claimed is the id whose attempt has started: if it is still there at due_at, the outcome is unknown.
CREATE TABLE pushes (
    company      UUID   NOT NULL,
    subscription UUID   NOT NULL,
    conversation UUID   NOT NULL,
    id           UUID   NOT NULL,
    kind         TEXT   NOT NULL,
    entry        UUID, -- the message or note that it is about
    tries        BIGINT NOT NULL,
    created_at   BIGINT NOT NULL,
    due_at       BIGINT NOT NULL,
    claimed      UUID,
    PRIMARY KEY (company, subscription, conversation),
    FOREIGN KEY (company, subscription) REFERENCES push_subscriptions (company, id) ON DELETE CASCADE
) /*sqlite: WITHOUT ROWID */;
CREATE INDEX pushes_due ON pushes (due_at);
CREATE INDEX pushes_company ON pushes (company, due_at);
