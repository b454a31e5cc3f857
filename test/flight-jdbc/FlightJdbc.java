import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.Statement;
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
      for (int index = 3; index < args.length; index++) query(connection, args[index]);
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
