-- What an entry of the list of erased people is: the hash of a phone or WhatsApp id ('person'), the hash of the id of a contact ('contact'),
-- or a person who was erased from the pool that a channel has left for this one ('moved').
CREATE TABLE erased_by_kind (
    company   UUID   NOT NULL REFERENCES companies (id),
    pool      UUID   NOT NULL,
    hash      BYTEA  NOT NULL,
    kind      TEXT   NOT NULL,
    erased_at BIGINT NOT NULL,
    PRIMARY KEY (company, pool, hash, kind)
) /*sqlite: WITHOUT ROWID */;
INSERT INTO erased_by_kind (company, pool, hash, kind, erased_at)
SELECT company, pool, hash, 'person', erased_at FROM erased;
DROP TABLE erased;
ALTER TABLE erased_by_kind RENAME TO erased;

-- The reactions of a person in the groups of a channel.
CREATE INDEX messages_reactions ON messages (company, channel) WHERE reactions IS NOT NULL;
