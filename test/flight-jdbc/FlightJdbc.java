import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.Date;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.Statement;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Properties;

/** Uses a server of Arrow Flight SQL as tools do that speak JDBC, and prints what it gives, a line each. */
class FlightJdbc {
  public static void main(String[] args) throws Exception {
    Properties properties = new Properties();
    properties.put("user", args[1]);
    properties.put("password", args[2]);
    properties.put("useEncryption", "false");
    String url = "jdbc:arrow-flight-sql://" + args[0] + "/";
    try (Connection connection = DriverManager.getConnection(url, properties)) {
      walkMetadata(connection.getMetaData());
      tables(connection.getMetaData());
      parameters(connection);
      for (int index = 3; index < args.length; index++) query(connection, args[index]);
    }
    properties.put("threadPoolSize", "4");
    try (Connection connection = DriverManager.getConnection(url, properties)) {
      order(connection);
    }
  }

  /** Calls every getter without parameters; a failure of one is a line. */
  private static void walkMetadata(DatabaseMetaData metadata) {
    List<String> failures = new ArrayList<>();
    int count = 0;
    Method[] methods = DatabaseMetaData.class.getMethods();
    Arrays.sort(methods, Comparator.comparing(Method::getName));
    for (Method method : methods) {
      if (method.getParameterCount() > 0 || method.getReturnType() == Connection.class) continue;
      count++;
      try {
        Object value = method.invoke(metadata);
        if (value instanceof ResultSet rows) rows.close();
      } catch (InvocationTargetException thrown) {
        failures.add(method.getName() + ": " + thrown.getCause());
      } catch (Exception thrown) {
        failures.add(method.getName() + ": " + thrown);
      }
    }
    System.out.println("getters " + (count - failures.size()) + " of " + count);
    for (String failure : failures) System.out.println("failed " + failure);
  }

  private static void tables(DatabaseMetaData metadata) throws Exception {
    List<String> tables = new ArrayList<>();
    try (ResultSet rows = metadata.getTables(null, null, "c%", null)) {
      while (rows.next()) tables.add(rows.getString("TABLE_SCHEM") + "." + rows.getString("TABLE_NAME"));
    }
    System.out.println("tables " + tables);
    List<String> columns = new ArrayList<>();
    try (ResultSet rows = metadata.getColumns(null, null, "stocks", null)) {
      while (rows.next()) columns.add(rows.getString("COLUMN_NAME") + ":" + rows.getString("TYPE_NAME"));
    }
    System.out.println("columns " + columns);
  }

  /** Prepares a statement once, and executes it with values of each type, two rows of them. */
  private static void parameters(Connection connection) throws Exception {
    String sql =
        "SELECT count(*) FROM (VALUES (1, 2::BIGINT, 1.5::DOUBLE, 2.50::DECIMAL(10, 2), 'x', true, DATE '2001-02-03', "
            + "TIMESTAMP '2001-02-03 04:05:06.789', '\\x00\\xFF'::BLOB)) AS t(a, b, c, d, e, f, g, h, i) "
            + "WHERE a = ? AND b = ? AND c = ? AND d = ? AND e = ? AND f = ? AND g = ? AND h = ? AND i = ?";
    List<String> counts = new ArrayList<>();
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      counts.add(statement.getParameterMetaData().getParameterCount() + " parameters");
      for (int a = 1; a <= 2; a++) {
        statement.setInt(1, a);
        statement.setLong(2, 2);
        statement.setDouble(3, 1.5);
        statement.setBigDecimal(4, new BigDecimal("2.5"));
        statement.setString(5, "x");
        statement.setBoolean(6, true);
        statement.setDate(7, Date.valueOf("2001-02-03"));
        statement.setTimestamp(8, Timestamp.valueOf("2001-02-03 04:05:06.789"));
        statement.setBytes(9, new byte[] {0, (byte) 0xff});
        try (ResultSet rows = statement.executeQuery()) {
          rows.next();
          counts.add(rows.getString(1));
        }
      }
    }
    try (PreparedStatement statement = connection.prepareStatement("SELECT symbol, price FROM stocks WHERE symbol = ? ORDER BY price LIMIT ?")) {
      for (String symbol : new String[] {"MSFT", "AAPL", null}) {
        statement.setString(1, symbol);
        statement.setInt(2, 1);
        try (ResultSet rows = statement.executeQuery()) {
          counts.add(rows.next() ? rows.getString(1) + " " + rows.getString(2) : "none");
        }
      }
    }
    System.out.println("parameters " + counts);
  }

  /** Reads rows with a pool of threads, which keeps their order where there is one endpoint. */
  private static void order(Connection connection) throws Exception {
    int breaks = 0;
    long previous = -1;
    try (Statement statement = connection.createStatement(); ResultSet rows = statement.executeQuery("SELECT i FROM range(300000) AS t(i)")) {
      while (rows.next()) {
        if (rows.getLong(1) != previous + 1) breaks++;
        previous = rows.getLong(1);
      }
    }
    System.out.println("order " + (previous + 1) + " rows, " + breaks + " breaks");
  }

  private static void query(Connection connection, String sql) throws Exception {
    try (Statement statement = connection.createStatement(); ResultSet rows = statement.executeQuery(sql)) {
      ResultSetMetaData columns = rows.getMetaData();
      int count = 0;
      List<String> first = new ArrayList<>();
      while (rows.next()) {
        if (count++ > 0) continue;
        for (int column = 1; column <= columns.getColumnCount(); column++) {
          first.add(columns.getColumnName(column) + "=" + rows.getString(column));
        }
      }
      System.out.println("rows " + count + " " + first);
    }
  }
}
