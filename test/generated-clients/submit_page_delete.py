"""Runs a query, reads a page of its result and deletes it, with the client that openapi-python-client has made of the API document."""

import json
import sys

from quire_client import AuthenticatedClient
from quire_client.api.query import read_page, run_query
from quire_client.api.results import delete_result
from quire_client.models import CursorResponse, ErrorBody, RunQueryBody

client = AuthenticatedClient(base_url=sys.argv[1], token=sys.argv[2])
first = run_query.sync(client=client, body=RunQueryBody(sql=sys.argv[3]), do_paginate=True, num_rows=2)
assert isinstance(first, CursorResponse), first
page = read_page.sync(first.request_id, client=client, offset=3, num_rows=2)
assert isinstance(page, CursorResponse), page
deleted = delete_result.sync(first.request_id, client=client)
gone = read_page.sync(first.request_id, client=client, offset=0)
assert isinstance(gone, ErrorBody), gone
print(json.dumps([first.num_rows_result_set, first.result_table.rows, page.result_table.rows, deleted.endswith("deleted."), gone.reason]))
