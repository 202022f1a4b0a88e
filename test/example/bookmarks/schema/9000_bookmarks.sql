CREATE TABLE bookmarks (
    company      UUID   NOT NULL REFERENCES companies (id),
    id           UUID   NOT NULL,
    conversation UUID   NOT NULL,
    member       UUID   NOT NULL,
    note         TEXT   NOT NULL,
    created_at   BIGINT NOT NULL,
    PRIMARY KEY (company, id)
);
CREATE INDEX bookmarks_conversation ON bookmarks (company, conversation);
