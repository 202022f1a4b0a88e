-- People who sign in: sessions, invitations, links that set a password, failed sign-ins, two-factor, presence and
-- preferences, and who may see a private channel.

ALTER TABLE users ADD COLUMN two_factor BYTEA;                      -- the sealed secret; NULL: off
ALTER TABLE users ADD COLUMN two_factor_pending BYTEA;              -- a sealed secret that is not confirmed yet
ALTER TABLE users ADD COLUMN two_factor_step BIGINT NOT NULL DEFAULT 0; -- the last time step that was accepted
ALTER TABLE users ADD COLUMN presence TEXT NOT NULL DEFAULT 'auto';
ALTER TABLE users ADD COLUMN signature TEXT NOT NULL DEFAULT '';
ALTER TABLE users ADD COLUMN preferences TEXT NOT NULL DEFAULT '{}';

-- A sign-in looks in every company. The unique index of addresses begins with the company.
CREATE INDEX users_sign_in ON users (email_folded) WHERE removed_at IS NULL;

-- A recovery code works once in place of a two-factor code. Only hashes are kept.
CREATE TABLE recovery_codes (
    company UUID  NOT NULL,
    member  UUID  NOT NULL REFERENCES users (id),
    hash    BYTEA NOT NULL,
    PRIMARY KEY (company, member, hash)
) /*sqlite: WITHOUT ROWID */;

-- A session that ended has no row. Only the hash of its cookie is kept.
CREATE TABLE sessions (
    id           UUID   NOT NULL PRIMARY KEY,
    company      UUID   NOT NULL REFERENCES companies (id),
    member       UUID   NOT NULL REFERENCES users (id),
    hash         BYTEA  NOT NULL,
    ip           TEXT   NOT NULL,
    user_agent   TEXT   NOT NULL,
    created_at   BIGINT NOT NULL,
    last_seen_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX sessions_hash ON sessions (hash);
CREATE INDEX sessions_member ON sessions (company, member, id DESC);
CREATE INDEX sessions_seen ON sessions (last_seen_at);

CREATE TABLE invitations (
    id             UUID   NOT NULL PRIMARY KEY,
    company        UUID   NOT NULL REFERENCES companies (id),
    email          TEXT   NOT NULL,
    email_folded   TEXT   NOT NULL,
    name           TEXT   NOT NULL,
    role           TEXT   NOT NULL,
    access_profile TEXT   NOT NULL,
    sectors        BYTEA,
    hash           BYTEA  NOT NULL,
    created_at     BIGINT NOT NULL,
    expires_at     BIGINT NOT NULL,
    accepted_at    BIGINT
);
CREATE UNIQUE INDEX invitations_hash ON invitations (hash);
CREATE INDEX invitations_company ON invitations (company, id DESC);
CREATE INDEX invitations_email ON invitations (company, email_folded) WHERE accepted_at IS NULL;

-- Links with which a member sets a password. A used link has no row.
CREATE TABLE reset_links (
    hash       BYTEA  NOT NULL PRIMARY KEY,
    company    UUID   NOT NULL REFERENCES companies (id),
    member     UUID   NOT NULL REFERENCES users (id),
    expires_at BIGINT NOT NULL
);
CREATE INDEX reset_links_member ON reset_links (company, member);

-- Failed sign-ins. The subject is the hash of an address, of an IP, or of both.
CREATE TABLE sign_in_failures (
    subject  BYTEA  NOT NULL PRIMARY KEY,
    failures BIGINT NOT NULL,
    last_at  BIGINT NOT NULL
);
CREATE INDEX sign_in_failures_age ON sign_in_failures (last_at);

-- The hash of the token with which the first company is made. One row at most.
CREATE TABLE setup_tokens (
    hash BYTEA NOT NULL PRIMARY KEY
);

-- Who sees a private channel.
CREATE TABLE channel_viewers (
    company UUID NOT NULL,
    channel UUID NOT NULL REFERENCES channels (id),
    member  UUID NOT NULL REFERENCES users (id),
    PRIMARY KEY (company, channel, member)
) /*sqlite: WITHOUT ROWID */;
CREATE INDEX channel_viewers_member ON channel_viewers (member, channel);
INSERT INTO channel_viewers (company, channel, member)
SELECT c.company, c.id, (SELECT u.id FROM users u WHERE u.company = c.company AND u.role = 'owner' AND u.removed_at IS NULL ORDER BY u.id LIMIT 1)
FROM channels c
WHERE c.private AND EXISTS (SELECT 1 FROM users u WHERE u.company = c.company AND u.role = 'owner' AND u.removed_at IS NULL);
