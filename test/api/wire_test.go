package api_test

import (
	"recado/test/servertest"
	"recado/test/testkit"
)

// call is a request of the company's key below /v1 with a JSON body, if there is one.
func call(c *servertest.Company, method, path, body string) testkit.WireRequest {
	return testkit.WireCall(c.Secret(), method, path, body)
}
