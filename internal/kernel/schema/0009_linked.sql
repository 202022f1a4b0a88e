-- Numbers linked by QR code ------------------------------------------------------------------------

-- The link of a channel to WhatsApp. The node that is owner holds the connection. It increments beat as long as it does; if beat
-- stands still for the length of a lease, another node takes over.
CREATE TABLE links (
    company       UUID    NOT NULL,
    channel       UUID    NOT NULL,
    state         TEXT    NOT NULL, -- none, waiting, scanned, linked, failed or leaving
    qr            TEXT,
    pairing_code  TEXT,
    pairing_phone TEXT,             -- the number for which a pairing code is wanted
    expires_at    BIGINT,           -- of qr or pairing_code
    error         TEXT,             -- JSON: why it failed
    wanted_until  BIGINT,           -- a person is looking at the code until then
    generation    BIGINT  NOT NULL, -- changes with every request to link or unlink
    phone         TEXT,             -- the linked number
    online        BOOLEAN NOT NULL, -- there is a connection
    seen_at       BIGINT,           -- when WhatsApp was last heard
    history       BIGINT,           -- percent of the history that has been imported; NULL: unknown
    owner         UUID,
    beat          BIGINT  NOT NULL,
    PRIMARY KEY (company, channel),
    FOREIGN KEY (company, channel) REFERENCES channels (company, id)
);

-- Keys, sessions and other state of the linked devices, encrypted with the key in channels.credentials.
CREATE TABLE linked_store (
    company UUID   NOT NULL,
    channel UUID   NOT NULL,
    kind    TEXT   NOT NULL,
    key     TEXT   NOT NULL,
    value   BYTEA  NOT NULL,
    PRIMARY KEY (company, channel, kind, key),
    FOREIGN KEY (company, channel) REFERENCES channels (company, id)
) /*sqlite: WITHOUT ROWID */;

-- How many messages a linked number sends in a minute at most. NULL: not a linked number, or the default.
ALTER TABLE channels ADD COLUMN pace BIGINT;

-- The change of a sent message: edit or revoke of the message reacts_to. NULL: a message or a reaction.
ALTER TABLE sends ADD COLUMN change TEXT;
-- What an edit replaced: the text, in case WhatsApp refuses the edit.
ALTER TABLE sends ADD COLUMN undo TEXT;

-- Whether messages of a group open cases. It says nothing for other conversations.
ALTER TABLE conversations ADD COLUMN cases BOOLEAN NOT NULL DEFAULT FALSE;

-- The members of a group as WhatsApp last reported them, as JSON.
ALTER TABLE conversations ADD COLUMN members TEXT;

-- The picture of a group, a small JPEG, PNG or WebP, and WhatsApp's id of it.
ALTER TABLE conversations ADD COLUMN picture_id TEXT;
ALTER TABLE conversations ADD COLUMN picture BYTEA;
