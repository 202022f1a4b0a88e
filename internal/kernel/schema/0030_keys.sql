-- A key acts as a person or as an integration. issuer is the member who issued it, or rotated it last, in the app or the
-- API; it is null for keys that the command line or another key issued.
ALTER TABLE keys ADD COLUMN acts_as TEXT NOT NULL DEFAULT 'person';
ALTER TABLE keys ADD COLUMN issuer UUID REFERENCES users (id);

-- The key that a message was sent with.
ALTER TABLE messages ADD COLUMN integration UUID;

-- What a stored answer shows: its caller must still be allowed to see it when it is repeated.
ALTER TABLE idempotency ADD COLUMN subject_kind TEXT;
ALTER TABLE idempotency ADD COLUMN subject UUID;
