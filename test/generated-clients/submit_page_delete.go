// Runs a query, reads a page of its result, looks at it and deletes it, with the client that openapi-generator has made of the API document.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"strings"

	"pages/quire"
)

func main() {
	url, token, sql := os.Args[1], os.Args[2], os.Args[3]
	settings := quire.NewConfiguration()
	settings.Servers = quire.ServerConfigurations{{URL: url}}
	client := quire.NewAPIClient(settings)
	ctx := context.WithValue(context.Background(), quire.ContextAccessToken, token)

	answer, _, err := client.QueryAPI.RunQuery(ctx).DoPaginate(true).NumRows(2).RunQueryRequest(*quire.NewRunQueryRequest(sql)).Execute()
	check(err)
	first := answer.CursorResponse
	page, _, err := client.QueryAPI.ReadPage(ctx, first.RequestId).Offset(3).NumRows(2).Execute()
	check(err)
	result, _, err := client.ResultsAPI.ReadResult(ctx, first.RequestId).Execute()
	check(err)
	if result.ExpirationTimeMs <= math.MaxInt32 {
		panic("it has no instant")
	}
	deleted, _, err := client.ResultsAPI.DeleteResult(ctx, first.RequestId).Execute()
	check(err)
	_, _, err = client.QueryAPI.ReadPage(ctx, first.RequestId).Offset(0).Execute()
	var failure *quire.GenericOpenAPIError
	if !errors.As(err, &failure) {
		panic("the page of a deleted result was read")
	}
	reason := failure.Model().(quire.ErrorBody).Reason
	isDeleted := strings.HasSuffix(deleted, "deleted.")
	check(json.NewEncoder(os.Stdout).Encode([]any{first.NumRowsResultSet, first.ResultTable.Rows, page.ResultTable.Rows, isDeleted, reason}))
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
