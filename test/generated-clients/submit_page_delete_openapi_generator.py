"""Runs a query, reads a page of its result, looks at it and deletes it, with the client that openapi-generator has made of the API document."""

import json
import sys

from quire_generated import ApiClient, ApiException, Configuration, CursorResponse, RunQueryRequest
from quire_generated.api.query_api import QueryApi
from quire_generated.api.results_api import ResultsApi

client = ApiClient(Configuration(host=sys.argv[1], access_token=sys.argv[2]))
queries, results = QueryApi(client), ResultsApi(client)
first = queries.run_query(RunQueryRequest(sql=sys.argv[3]), do_paginate=True, num_rows=2).actual_instance
assert isinstance(first, CursorResponse), first
page = queries.read_page(request_id=first.request_id, offset=3, num_rows=2)
assert results.read_result(first.request_id).expiration_time_ms > 2**31
deleted = results.delete_result(first.request_id)
reason = None
try:
    queries.read_page(request_id=first.request_id, offset=0)
except ApiException as error:
    reason = json.loads(error.body)["reason"]
print(json.dumps([first.num_rows_result_set, first.result_table.rows, page.result_table.rows, deleted.endswith("deleted."), reason]))
