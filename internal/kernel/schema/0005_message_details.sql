-- What messages gained beside their text: reactions, the ad or the product they came from. All three are
-- JSON and NULL where there is nothing.
ALTER TABLE messages ADD COLUMN reactions TEXT;
ALTER TABLE messages ADD COLUMN referral TEXT;
ALTER TABLE messages ADD COLUMN product TEXT;
-- Messages of groups alone have an author.
CREATE INDEX messages_author ON messages (author) WHERE author IS NOT NULL;

-- Edits, revocations and reactions that arrived before the message they change. body is JSON, sender says
-- who made the change: of each kind the latest of a sender is kept.
CREATE TABLE early_changes (
    channel     UUID   NOT NULL,
    external_id TEXT   NOT NULL,
    kind        TEXT   NOT NULL,
    sender      TEXT   NOT NULL,
    body        TEXT   NOT NULL,
    at          BIGINT NOT NULL,
    created_at  BIGINT NOT NULL,
    PRIMARY KEY (channel, external_id, kind, sender)
) /*sqlite: WITHOUT ROWID */;
CREATE INDEX early_changes_age ON early_changes (created_at);

-- Names from the address book of a channel's phone, for people who have no contact yet.
CREATE TABLE address_book (
    channel    UUID   NOT NULL,
    kind       TEXT   NOT NULL,
    value      TEXT   NOT NULL,
    name       TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (channel, kind, value)
) /*sqlite: WITHOUT ROWID */;

-- What the provider says about the whole account of a channel. Unlike warning it stays until the provider
-- or the team ends it, or until restriction_until.
ALTER TABLE channels ADD COLUMN restriction TEXT;
ALTER TABLE channels ADD COLUMN restriction_until BIGINT;

-- The hash that the provider announced for a file, in its own spelling.
ALTER TABLE media ADD COLUMN provider_sha256 TEXT;
