import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;

/** Finds a table by its metadata, runs queries by prepared statements, and prints what it gives, a line each. */
class FlightJdbcTable {
  public static void main(String[] args) throws Exception {
    Properties properties = new Properties();
    properties.put("user", args[1]);
    properties.put("password", args[2]);
    properties.put("useEncryption", "false");
    String table = args[3];
    try (Connection connection = DriverManager.getConnection("jdbc:arrow-flight-sql://" + args[0] + "/", properties)) {
      DatabaseMetaData metadata = connection.getMetaData();
      try (ResultSet rows = metadata.getTables(null, null, table, new String[] {"TABLE"})) {
        while (rows.next()) System.out.println("table " + rows.getString("TABLE_SCHEM") + "." + rows.getString("TABLE_NAME"));
      }
      List<String> columns = new ArrayList<>();
      try (ResultSet rows = metadata.getColumns(null, null, table, null)) {
        while (rows.next()) columns.add(rows.getString("COLUMN_NAME") + ":" + rows.getString("TYPE_NAME"));
      }
      System.out.println("columns " + columns);
      System.out.println("functions " + metadata.getNumericFunctions());
      for (int index = 4; index < args.length; index++) query(connection, args[index]);
    }
  }

  private static void query(Connection connection, String sql) {
    try (PreparedStatement statement = connection.prepareStatement(sql); ResultSet rows = statement.executeQuery()) {
      ResultSetMetaData columns = rows.getMetaData();
      while (rows.next()) {
        List<String> values = new ArrayList<>();
        for (int column = 1; column <= columns.getColumnCount(); column++) {
          values.add(columns.getColumnName(column) + "=" + rows.getString(column));
        }
        System.out.println("row " + values);
      }
    } catch (SQLException thrown) {
      System.out.println("failed: " + thrown.getCause().getMessage());
    }
  }
}
