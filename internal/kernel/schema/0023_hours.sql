-- Opening hours. weekly and exceptions are JSON. A company, its channels and its sectors may each name one.
CREATE TABLE hours (
    company    UUID   NOT NULL REFERENCES companies (id),
    id         UUID   NOT NULL,
    name       TEXT   NOT NULL,
    timezone   TEXT   NOT NULL,
    weekly     TEXT   NOT NULL,
    exceptions TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (company, id)
);
ALTER TABLE companies ADD COLUMN hours UUID;
ALTER TABLE channels ADD COLUMN hours UUID;
ALTER TABLE sectors ADD COLUMN hours UUID;
