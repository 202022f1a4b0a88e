-- The key of saved views begins with the company, as those of all new tables do, so that data can be divided by company.
CREATE TABLE views_by_company (
    company    UUID    NOT NULL REFERENCES companies (id),
    id         UUID    NOT NULL,
    owner      UUID    NOT NULL REFERENCES users (id),
    name       TEXT    NOT NULL,
    folded     TEXT    NOT NULL,
    query      TEXT    NOT NULL,
    shared     BOOLEAN NOT NULL,
    position   BIGINT  NOT NULL,
    created_at BIGINT  NOT NULL,
    PRIMARY KEY (company, id)
);
INSERT INTO views_by_company (company, id, owner, name, folded, query, shared, position, created_at)
SELECT company, id, owner, name, folded, query, shared, position, created_at FROM views;
DROP TABLE views;
ALTER TABLE views_by_company RENAME TO views;
CREATE INDEX views_company ON views (company, owner);
