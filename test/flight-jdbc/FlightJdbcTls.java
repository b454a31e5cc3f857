import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.Properties;

/** Connects by TLS with a token, and counts the rows of a query. Arguments: host and port, token, file of the certificate to trust. */
class FlightJdbcTls {
  public static void main(String[] args) throws Exception {
    Properties properties = new Properties();
    properties.put("token", args[1]);
    if (args.length > 2) properties.put("tlsRootCerts", args[2]);
    try (Connection connection = DriverManager.getConnection("jdbc:arrow-flight-sql://" + args[0] + "/", properties);
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("rows 5000")) {
      int count = 0;
      while (rows.next()) count++;
      System.out.println("rows " + count);
    }
  }
}
