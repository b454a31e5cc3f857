import java.util.Arrays;
import quire.ApiClient;
import quire.ApiException;
import quire.JSON;
import quire.api.QueryApi;
import quire.api.ResultsApi;
import quire.model.CursorResponse;
import quire.model.ErrorBody;
import quire.model.RunQueryRequest;

/** Runs a query, reads a page of its result, looks at it and deletes it, with the client that openapi-generator has made of the API document. */
public class SubmitPageDelete {
  public static void main(String[] arguments) throws Exception {
    ApiClient client = new ApiClient();
    client.updateBaseUri(arguments[0]);
    client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + arguments[1]));
    QueryApi queries = new QueryApi(client);
    ResultsApi results = new ResultsApi(client);
    var mapper = JSON.getDefault().getMapper();

    RunQueryRequest query = new RunQueryRequest().sql(arguments[2]);
    CursorResponse first = queries.runQuery(query, true, null, null, null, 2L, null, null, null).getCursorResponse();
    CursorResponse page = queries.readPage(3L, first.getRequestId(), null, 2L, null, null, null);
    if (results.readResult(first.getRequestId()).getExpirationTimeMs() <= Integer.MAX_VALUE) throw new AssertionError("It has no instant.");
    boolean isDeleted = results.deleteResult(first.getRequestId()).endsWith("deleted.");
    String reason = null;
    try {
      queries.readPage(0L, first.getRequestId(), null, null, null, null, null);
    } catch (ApiException error) {
      reason = mapper.readValue(error.getResponseBody(), ErrorBody.class).getReason().getValue();
    }
    var rows = first.getResultTable().getRows();
    var nextRows = page.getResultTable().getRows();
    System.out.println(mapper.writeValueAsString(Arrays.asList(first.getNumRowsResultSet(), rows, nextRows, isDeleted, reason)));
  }
}
