// Without a file in assembly the compiler refuses functions that have no body: see argon2.go.
