package api_test

import (
	"recado/test/servertest"
	"recado/test/testkit"
)

// wireCall returns a request below /v1 with the company's key and a JSON body, if there is one.
func wireCall(c *servertest.Company, method, path, body string) testkit.WireRequest {
	return testkit.WireCall(c.Secret(), method, path, body)
}
