import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.apache.pinot.client.Connection;
import org.apache.pinot.client.ConnectionFactory;
import org.apache.pinot.client.CursorResultSetGroup;
import org.apache.pinot.client.JsonAsyncHttpPinotClientTransportFactory;
import org.apache.pinot.client.ResultCursor;
import org.apache.pinot.client.ResultSet;

/**
 * Pages through the result of a query with a cursor of Apache Pinot's client (from release 1.5 on), and prints a line for each page.
 *
 * <p>Arguments: {@code controller host:port} or {@code brokers host:port}, a query, the page size, then the pages to seek, from 1 on. The
 * token is in the variable QUIRE_TOKEN. Its {@code next()} gives the first page twice, so pages are sought by their numbers.
 */
public class PinotCursors {
  public static void main(String[] args) {
    try {
      run(args);
      System.exit(0);
    } catch (Throwable error) {
      error.printStackTrace();
      System.exit(1); // threads of the client would go on
    }
  }

  private static void run(String[] args) throws Exception {
    Properties properties = new Properties();
    properties.setProperty("headers.Authorization", "Bearer " + System.getenv("QUIRE_TOKEN"));
    Connection connection = args[0].equals("controller")
        ? ConnectionFactory.fromController(properties, args[1])
        : ConnectionFactory.fromHostList(properties, List.of(args[1]),
            new JsonAsyncHttpPinotClientTransportFactory().withConnectionProperties(properties).buildTransport());
    ResultCursor cursor = connection.openCursor(args[2], Integer.parseInt(args[3]));
    System.out.println("rows " + cursor.getTotalRows() + " pages of " + cursor.getPageSize());
    print(cursor, cursor.getCurrentPage());
    for (int index = 4; index < args.length; index++) {
      try {
        print(cursor, cursor.seekToPage(Integer.parseInt(args[index])));
      } catch (Exception error) {
        System.out.println("failed: " + deepest(error).getMessage().replace('\n', ' '));
      }
    }
    cursor.close();
    connection.close();
  }

  private static void print(ResultCursor cursor, CursorResultSetGroup page) {
    ResultSet rows = page.getResultSet(0);
    List<String> cells = new ArrayList<>();
    for (int row = 0; row < rows.getRowCount(); row++) cells.add(rows.getString(row, 0));
    System.out.println("page " + cursor.getCurrentPageNumber() + " at " + page.getOffset() + ": " + String.join(",", cells)
        + (cursor.hasPrevious() ? " <" : "") + (cursor.hasNext() ? " >" : ""));
  }

  private static Throwable deepest(Throwable error) {
    return error.getCause() == null ? error : deepest(error.getCause());
  }
}
