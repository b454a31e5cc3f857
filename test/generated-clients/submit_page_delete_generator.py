import json, sys
import quire_generated as q
from quire_generated.api.query_api import QueryApi
from quire_generated.api.results_api import ResultsApi
client = q.ApiClient(q.Configuration(host=sys.argv[1], access_token=sys.argv[2]))
first = QueryApi(client).run_query(do_paginate=True, num_rows=2, run_query_request=q.RunQueryRequest(sql=sys.argv[3])).actual_instance
print(type(first).__name__)
page = QueryApi(client).read_page(request_id=first.request_id, offset=3, num_rows=2)
deleted = ResultsApi(client).delete_result(first.request_id)
try:
    QueryApi(client).read_page(request_id=first.request_id, offset=0); reason = None
except q.ApiException as error:
    reason = json.loads(error.body)['reason']
print(json.dumps([first.num_rows_result_set, first.result_table.rows, page.result_table.rows, deleted.endswith('deleted.'), reason]))
