-- One value sealed with the installation's secret key: a server whose key does not open it holds the wrong key.
CREATE TABLE secret_check (
    id     BIGINT NOT NULL PRIMARY KEY,
    sealed BYTEA  NOT NULL
);
