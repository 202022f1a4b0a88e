-- How many bytes of stored files each company has, kept with every insert and deletion. A company without a
-- row has none.
CREATE TABLE media_usage (
    company UUID   NOT NULL PRIMARY KEY REFERENCES companies (id),
    bytes   BIGINT NOT NULL
);
INSERT INTO media_usage (company, bytes)
SELECT company, SUM(size)
FROM media
WHERE stored
GROUP BY company;

-- Since when a file that was uploaded has waited to be used; null once anything refers to it, and for files
-- that customers sent.
ALTER TABLE media ADD COLUMN unattached_at BIGINT;
UPDATE media
SET unattached_at = created_at
WHERE stored AND channel IS NULL AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.media = media.id);
CREATE INDEX media_unattached ON media (unattached_at) WHERE unattached_at IS NOT NULL;

-- Why a file of a customer will not be fetched.
ALTER TABLE media ADD COLUMN fetch_error TEXT;
