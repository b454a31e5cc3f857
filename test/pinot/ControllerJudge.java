import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.apache.pinot.controller.api.resources.TableConfigsRestletResource;
import org.apache.pinot.controller.helix.core.minion.PinotTaskManager;
import org.apache.pinot.controller.helix.core.minion.generator.TaskGeneratorRegistry;
import org.apache.pinot.segment.local.utils.TableConfigUtils;
import org.apache.pinot.spi.config.TableConfigs;
import org.apache.pinot.spi.utils.JsonUtils;
import sun.reflect.ReflectionFactory;

/**
 * Answers whether a controller of Apache Pinot takes a table with its schema: one JSON object of POST /tableConfigs/validate a line in,
 * one verdict a line out, in the same order.
 *
 * The check is that route's own, with the task generators that Apache Pinot ships. What only a running cluster knows is skipped: tenants,
 * instances and active tasks. The task manager, whose constructor needs a cluster, holds nothing but the registry of generators.
 */
public final class ControllerJudge {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  public static void main(String[] args) throws Exception {
    PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);
    System.setOut(System.err); // libraries that print do not disturb the answers
    TableConfigUtils.setDisableGroovy(true); // as a controller does unless its settings say otherwise
    TableConfigsRestletResource route = new TableConfigsRestletResource();
    set(route, TableConfigsRestletResource.class, "_pinotTaskManager", taskManager());
    Method check = TableConfigsRestletResource.class.getDeclaredMethod("validateConfig", TableConfigs.class, String.class, String.class);
    check.setAccessible(true);
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      out.println(MAPPER.writeValueAsString(verdict(route, check, line)));
      if (!in.ready()) {
        out.flush();
      }
    }
    out.flush();
    System.exit(0); // libraries leave threads behind
  }

  private static Object verdict(TableConfigsRestletResource route, Method check, String line) {
    try {
      JsonNode question = MAPPER.readTree(line);
      TableConfigs configs = JsonUtils.stringToObjectAndUnrecognizedProperties(question.toString(), TableConfigs.class).getLeft();
      check.invoke(route, configs, null, "TENANT,MINION_INSTANCES,ACTIVE_TASKS");
      return Map.of("valid", true);
    } catch (InvocationTargetException e) {
      return Map.of("error", String.valueOf(e.getCause().getMessage()));
    } catch (Throwable e) {
      return Map.of("error", e.getClass().getSimpleName() + ": " + e.getMessage());
    }
  }

  private static PinotTaskManager taskManager() throws Exception {
    PinotTaskManager manager = (PinotTaskManager) ReflectionFactory.getReflectionFactory()
        .newConstructorForSerialization(PinotTaskManager.class, Object.class.getConstructor()).newInstance();
    set(manager, PinotTaskManager.class, "_taskGeneratorRegistry", new TaskGeneratorRegistry(null));
    return manager;
  }

  private static void set(Object object, Class<?> type, String name, Object value) throws Exception {
    Field field = type.getDeclaredField(name);
    field.setAccessible(true);
    field.set(object, value);
  }
}
