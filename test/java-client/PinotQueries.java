import java.util.List;
import java.util.Properties;
import org.apache.pinot.client.Connection;
import org.apache.pinot.client.ConnectionFactory;
import org.apache.pinot.client.JsonAsyncHttpPinotClientTransportFactory;
import org.apache.pinot.client.ResultSet;

/**
 * Runs queries with Apache Pinot's client and prints what it makes of the answers: a line of column names and types, a line for each row,
 * and for a query that fails the words of the client.
 *
 * <p>Arguments: {@code controller host:port} or {@code brokers host:port}, then queries. The token is in the variable QUIRE_TOKEN.
 */
public class PinotQueries {
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
    for (int index = 2; index < args.length; index++) {
      try {
        print(connection.execute(args[index]).getResultSet(0));
      } catch (Exception error) {
        System.out.println("failed: " + deepest(error).getMessage().replace('\n', ' '));
      }
    }
    connection.close();
  }

  private static void print(ResultSet rows) {
    StringBuilder text = new StringBuilder();
    for (int column = 0; column < rows.getColumnCount(); column++) {
      text.append(column == 0 ? "" : "\t").append(rows.getColumnName(column)).append(' ').append(rows.getColumnDataType(column));
    }
    for (int row = 0; row < rows.getRowCount(); row++) {
      for (int column = 0; column < rows.getColumnCount(); column++) {
        text.append(column == 0 ? "\n" : "\t").append(cell(rows, row, column));
      }
    }
    System.out.println(text);
  }

  /** By the getter that programs use for the type. */
  private static String cell(ResultSet rows, int row, int column) {
    switch (rows.getColumnDataType(column)) {
      case "INT":
        return Integer.toString(rows.getInt(row, column));
      case "LONG":
        return Long.toString(rows.getLong(row, column));
      case "DOUBLE":
        return Double.toString(rows.getDouble(row, column));
      default:
        return rows.getString(row, column);
    }
  }

  private static Throwable deepest(Throwable error) {
    return error.getCause() == null ? error : deepest(error.getCause());
  }
}
