-- For how long after closing a case messages still belong to it, and whether that holds for the customer's messages too.
ALTER TABLE companies ADD COLUMN grace_minutes BIGINT NOT NULL DEFAULT 10;
ALTER TABLE companies ADD COLUMN grace_for_customers BOOLEAN NOT NULL DEFAULT FALSE;

-- The sectors of an entry that changed the sector.
ALTER TABLE assignments ADD COLUMN sector_from UUID;
ALTER TABLE assignments ADD COLUMN sector_to UUID;
