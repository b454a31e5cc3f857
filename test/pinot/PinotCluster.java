import java.io.InputStream;
import java.io.OutputStream;
import java.io.Reader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayDeque;
import java.util.Base64;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import org.apache.pinot.common.utils.ZkStarter;
import org.apache.pinot.spi.env.PinotConfiguration;
import org.apache.pinot.spi.services.ServiceStartable;

/**
 * A whole Apache Pinot in one JVM, for tests: PinotCluster PROPERTIES. `roles` lists zookeeper, controller, broker, server and minion in the
 * order of their start; a digit behind a name (server2) is one more of its kind. A setting of a role is `<role>/<key>`. `tls.folder` holds
 * certificate.pem and key.pem, of which keystore.p12 is made. Listens on the port `ready.port` once all have started, and says nothing there.
 */
public class PinotCluster {
  private static final Map<String, String> STARTERS = Map.of(
      "controller", "org.apache.pinot.controller.ControllerStarter",
      "broker", "org.apache.pinot.broker.broker.helix.HelixBrokerStarter",
      "server", "org.apache.pinot.server.starter.helix.HelixServerStarter",
      "minion", "org.apache.pinot.minion.MinionStarter");

  public static void main(String[] arguments) {
    try {
      run(Path.of(arguments[0]));
    } catch (Throwable failure) {
      failure.printStackTrace();
      System.exit(1); // threads of ZooKeeper would keep the process alive
    }
  }

  private static void run(Path file) throws Exception {
    Properties settings = new Properties();
    try (Reader reader = Files.newBufferedReader(file)) {
      settings.load(reader);
    }
    if (settings.getProperty("tls.folder") != null) makeKeyStore(Path.of(settings.getProperty("tls.folder")));
    String zookeeper = settings.getProperty("zookeeper");
    Deque<ServiceStartable> started = new ArrayDeque<>();
    for (String role : settings.getProperty("roles").split(",")) {
      if (role.equals("zookeeper")) {
        int port = Integer.parseInt(zookeeper.substring(zookeeper.lastIndexOf(':') + 1));
        ZkStarter.startLocalZkServer(port, settings.getProperty("zookeeper.folder"));
      } else {
        started.push(start(role, zookeeper, settings));
      }
    }
    int readyPort = Integer.parseInt(settings.getProperty("ready.port"));
    try (ServerSocket ready = new ServerSocket(readyPort, 50, InetAddress.getLoopbackAddress())) {
      while (true) ready.accept().close();
    }
  }

  /** What Java reads, of what everybody else does. Its password is `password`. */
  private static void makeKeyStore(Path folder) throws Exception {
    char[] password = "password".toCharArray();
    String pem = Files.readString(folder.resolve("key.pem")).replaceAll("-----[^-]+-----|\\s", "");
    PrivateKey key = KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(Base64.getDecoder().decode(pem)));
    try (InputStream certificate = Files.newInputStream(folder.resolve("certificate.pem"));
        OutputStream target = Files.newOutputStream(folder.resolve("keystore.p12"))) {
      Certificate[] chain = {CertificateFactory.getInstance("X.509").generateCertificate(certificate)};
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(null, password);
      store.setKeyEntry("pinot", key, password, chain);
      store.store(target, password);
    }
  }

  private static ServiceStartable start(String role, String zookeeper, Properties settings) throws Exception {
    Map<String, Object> own = new HashMap<>();
    for (String key : settings.stringPropertyNames()) {
      if (key.startsWith(role + "/")) own.put(key.substring(role.length() + 1), settings.getProperty(key));
    }
    own.put("pinot.zk.server", zookeeper);
    own.put("pinot.cluster.name", "test");
    own.put("controller.zk.str", zookeeper);
    own.put("controller.helix.cluster.name", "test");
    Class<?> starter = Class.forName(STARTERS.get(role.replaceAll("\\d+$", "")));
    ServiceStartable service = (ServiceStartable) starter.getDeclaredConstructor().newInstance();
    service.init(new PinotConfiguration(own));
    service.start();
    return service;
  }
}
