-- E-mail addresses are unique within a company: another company's members are nobody's business.
DROP INDEX users_email;
CREATE UNIQUE INDEX users_email ON users (company, email_folded) WHERE removed_at IS NULL;

-- The key that issued a key, NULL for keys of the command line. A key ends when the key that issued it is revoked.
ALTER TABLE keys ADD COLUMN parent UUID REFERENCES keys (id);
CREATE INDEX keys_parent ON keys (parent) WHERE parent IS NOT NULL;

-- Contacts of private channels are kept apart from those of the company: pool is the company of a public
-- contact, and the channel of a private one. One person can have a contact in each pool.
DROP INDEX contacts_phone;
DROP INDEX contacts_list;
DROP INDEX contacts_channel;
ALTER TABLE contacts ADD COLUMN pool UUID;
UPDATE contacts SET pool = CASE WHEN public THEN company ELSE COALESCE(channel, id) END;

-- The people of private channels whose contact is in another pool, and the id of their new contact: that of
-- their conversation, or else of their first message in a group of the channel.
CREATE TABLE private_people (
    channel UUID NOT NULL,
    contact UUID NOT NULL,
    copy    UUID NOT NULL,
    PRIMARY KEY (channel, contact)
);
INSERT INTO private_people (channel, contact, copy)
SELECT v.channel, v.contact, v.id
FROM conversations v
JOIN contacts ct ON ct.id = v.contact
WHERE v.private AND ct.pool <> v.channel;
INSERT INTO private_people (channel, contact, copy)
SELECT channel, author, id
FROM (
    SELECT m.channel, m.author, m.id, ROW_NUMBER() OVER (PARTITION BY m.channel, m.author ORDER BY m.id) AS place
    FROM messages m
    JOIN contacts ct ON ct.id = m.author
    WHERE m.private AND ct.pool <> m.channel
) first_messages
WHERE place = 1
ON CONFLICT DO NOTHING;

INSERT INTO contacts (id, company, name, phone, phone_key, channel, blocked, public, folded, unindexed, created_at, updated_at, pool)
SELECT p.copy, ct.company, ct.name, ct.phone, ct.phone_key, p.channel, ct.blocked, FALSE, ct.folded, TRUE, ct.created_at, ct.updated_at, p.channel
FROM private_people p
JOIN contacts ct ON ct.id = p.contact;

UPDATE conversations
SET contact = (SELECT p.copy FROM private_people p WHERE p.channel = conversations.channel AND p.contact = conversations.contact)
WHERE private AND EXISTS (SELECT 1 FROM private_people p WHERE p.channel = conversations.channel AND p.contact = conversations.contact);
UPDATE attendances
SET contact = (SELECT p.copy FROM private_people p WHERE p.channel = attendances.channel AND p.contact = attendances.contact)
WHERE private AND EXISTS (SELECT 1 FROM private_people p WHERE p.channel = attendances.channel AND p.contact = attendances.contact);
UPDATE messages
SET author = (SELECT p.copy FROM private_people p WHERE p.channel = messages.channel AND p.contact = messages.author)
WHERE private AND author IS NOT NULL AND EXISTS (SELECT 1 FROM private_people p WHERE p.channel = messages.channel AND p.contact = messages.author);
UPDATE cards
SET contact = (SELECT a.contact FROM attendances a WHERE a.id = cards.attendance)
WHERE hidden AND contact IS NOT NULL AND attendance IS NOT NULL;

CREATE TABLE identities_of_pools (
    pool    UUID NOT NULL,
    kind    TEXT NOT NULL,
    value   TEXT NOT NULL,
    company UUID NOT NULL,
    contact UUID NOT NULL REFERENCES contacts (id),
    PRIMARY KEY (pool, kind, value)
) /*sqlite: WITHOUT ROWID */;
INSERT INTO identities_of_pools (pool, kind, value, company, contact)
SELECT ct.pool, i.kind, i.value, i.company, i.contact
FROM contact_identities i
JOIN contacts ct ON ct.id = i.contact;
INSERT INTO identities_of_pools (pool, kind, value, company, contact)
SELECT p.channel, i.kind, i.value, i.company, p.copy
FROM contact_identities i
JOIN private_people p ON p.contact = i.contact;
DROP TABLE contact_identities;
ALTER TABLE identities_of_pools RENAME TO contact_identities;
CREATE INDEX contact_identities_contact ON contact_identities (contact);
DROP TABLE private_people;

ALTER TABLE contacts DROP COLUMN public;
-- postgres: ALTER TABLE contacts ALTER COLUMN pool SET NOT NULL;
CREATE UNIQUE INDEX contacts_phone ON contacts (pool, phone_key) WHERE phone_key IS NOT NULL;
CREATE INDEX contacts_list ON contacts (pool, id DESC);
CREATE INDEX contacts_channel ON contacts (pool, channel, id DESC);
