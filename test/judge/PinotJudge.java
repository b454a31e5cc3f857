import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.pinot.common.function.FunctionInfo;
import org.apache.pinot.common.function.FunctionRegistry;
import org.apache.pinot.segment.local.function.FunctionEvaluator;
import org.apache.pinot.segment.local.function.FunctionEvaluatorFactory;
import org.apache.pinot.segment.local.segment.creator.TransformPipeline;
import org.apache.pinot.segment.local.utils.SchemaUtils;
import org.apache.pinot.segment.local.utils.TableConfigUtils;
import org.apache.pinot.spi.config.table.TableConfig;
import org.apache.pinot.spi.data.Schema;
import org.apache.pinot.spi.data.readers.BaseRecordExtractor;
import org.apache.pinot.spi.data.readers.GenericRow;
import org.apache.pinot.spi.data.readers.RecordExtractorConfig;
import org.apache.pinot.spi.utils.JsonUtils;

/**
 * Answers what Apache Pinot's own classes make of expressions, rows, configs and schemas: one JSON object a line in, one a line out,
 * in the same order. `do` says which question it is.
 */
public final class PinotJudge {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  static {
    // A controller refuses scripts in ingestion unless its settings say otherwise.
    TableConfigUtils.setDisableGroovy(true);
  }

  public static void main(String[] args) throws Exception {
    PrintStream out = new PrintStream(new java.io.FileOutputStream(java.io.FileDescriptor.out), false, StandardCharsets.UTF_8);
    System.setOut(System.err); // libraries that print do not disturb the answers
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      Object answer;
      try {
        JsonNode question = MAPPER.readTree(line);
        answer = answer(question);
      } catch (Throwable e) {
        answer = Map.of("error", describe(e));
      }
      out.println(MAPPER.writeValueAsString(answer));
      if (!in.ready()) {
        out.flush();
      }
    }
    out.flush();
  }

  private static Object answer(JsonNode question) throws Exception {
    switch (question.get("do").asText()) {
      case "functions":
        return functions();
      case "evaluate":
        return evaluate(question);
      case "pipeline":
        return pipeline(question);
      case "validateTable":
        return validateTable(question);
      case "validateSchema":
        SchemaUtils.validate(Schema.fromString(question.get("schema").toString()));
        return Map.of("valid", true);
      default:
        throw new IllegalArgumentException("Unknown question: " + question);
    }
  }

  /** Every name of the registry, and its signatures by how many arguments they take, -1 for any number. */
  private static Object functions() {
    Map<String, Object> byName = new TreeMap<>();
    FunctionRegistry.getFunctions().forEach((name, function) -> {
      List<Object> signatures = new ArrayList<>();
      for (int count = 0; count <= 24; count++) {
        FunctionInfo info = function.getFunctionInfo(count);
        if (info == null) {
          continue;
        }
        Method method = info.getMethod();
        Map<String, Object> signature = new LinkedHashMap<>();
        List<String> takes = new ArrayList<>();
        for (Class<?> type : method.getParameterTypes()) {
          takes.add(type.getSimpleName());
        }
        signature.put("arguments", count);
        signature.put("takes", takes);
        signature.put("returns", method.getReturnType().getSimpleName());
        signature.put("takesNull", info.hasNullableParameters());
        signature.put("isVariadic", method.isVarArgs());
        signature.put("isDeterministic", info.isDeterministic());
        signature.put("class", method.getDeclaringClass().getSimpleName());
        signatures.add(signature);
      }
      byName.put(name, signatures);
    });
    return byName;
  }

  /** An expression on each of some rows: values, or why there is none. */
  private static Object evaluate(JsonNode question) {
    FunctionEvaluator evaluator;
    try {
      evaluator = FunctionEvaluatorFactory.getExpressionEvaluator(question.get("expression").asText());
    } catch (Throwable e) {
      return Map.of("refused", describe(e));
    }
    List<Object> values = new ArrayList<>();
    for (JsonNode fields : question.get("rows")) {
      try {
        values.add(show(evaluator.evaluate(rowOf(fields))));
      } catch (Throwable e) {
        values.add(Map.of("error", describe(e)));
      }
    }
    return Map.of("values", values);
  }

  /** Rows through the pipeline of a table, one after the other. */
  private static Object pipeline(JsonNode question) throws Exception {
    TransformPipeline pipeline;
    try {
      TableConfig config = JsonUtils.jsonNodeToObject(question.get("config"), TableConfig.class);
      Schema schema = Schema.fromString(question.get("schema").toString());
      pipeline = new TransformPipeline(config, schema);
    } catch (Throwable e) {
      return Map.of("refused", describe(e));
    }
    List<Object> results = new ArrayList<>();
    for (JsonNode fields : question.get("rows")) {
      try {
        TransformPipeline.Result result = pipeline.processRow(rowOf(fields));
        List<Object> rows = new ArrayList<>();
        for (GenericRow row : result.getTransformedRows()) {
          Map<String, Object> shown = new LinkedHashMap<>();
          Map<String, Object> shownFields = new TreeMap<>();
          row.getFieldToValueMap().forEach((name, value) -> shownFields.put(name, show(value)));
          shown.put("fields", shownFields);
          shown.put("nullFields", row.getNullValueFields().stream().sorted().collect(java.util.stream.Collectors.toList()));
          shown.put("isIncomplete", row.isIncomplete());
          shown.put("isSanitized", row.isSanitized());
          rows.add(shown);
        }
        results.add(Map.of("rows", rows, "filtered", result.getSkippedRowCount()));
      } catch (Throwable e) {
        results.add(Map.of("error", describe(e)));
      }
    }
    return Map.of("results", results);
  }

  /** A config with its schema, as the controller checks a table before it makes it; what needs a cluster is left out. */
  private static Object validateTable(JsonNode question) throws Exception {
    Schema schema = Schema.fromString(question.get("schema").toString());
    TableConfig config = JsonUtils.stringToObjectAndUnrecognizedProperties(question.get("config").toString(), TableConfig.class).getLeft();
    TableConfigUtils.validate(config, schema, null);
    TableConfigUtils.validateTableName(config);
    TableConfigUtils.ensureMinReplicas(config, 1);
    TableConfigUtils.ensureStorageQuotaConstraints(config, "200M");
    return Map.of("valid", true);
  }

  /** A row as Pinot's extractor of JSON makes it; single values whose name in an object begins with `$` are of that type. */
  private static GenericRow rowOf(JsonNode fields) throws Exception {
    GenericRow row = new GenericRow();
    Map<String, Object> values = MAPPER.convertValue(fields, new TypeReference<LinkedHashMap<String, Object>>() { });
    Extractor extractor = new Extractor();
    values.forEach((name, value) -> row.putValue(name, value == null ? null : extractor.convert(value)));
    return row;
  }

  private static final class Extractor extends BaseRecordExtractor<Map<String, Object>> {
    @Override
    public void init(java.util.Set<String> fields, RecordExtractorConfig config) {
    }

    @Override
    public GenericRow extract(Map<String, Object> from, GenericRow to) {
      from.forEach((name, value) -> to.putValue(name, value == null ? null : convert(value)));
      return to;
    }

    @Override
    public Object convert(Object value) {
      if (value instanceof Map && ((Map<?, ?>) value).size() == 1) {
        Map.Entry<?, ?> only = ((Map<?, ?>) value).entrySet().iterator().next();
        String given = String.valueOf(only.getValue());
        switch (String.valueOf(only.getKey())) {
          case "$int":
            return Integer.valueOf(given);
          case "$long":
            return Long.valueOf(given);
          case "$float":
            return Float.valueOf(given);
          case "$double":
            return Double.valueOf(given);
          case "$decimal":
            return new BigDecimal(given);
          case "$boolean":
            return Boolean.valueOf(given);
          case "$timestamp":
            return new Timestamp(Long.parseLong(given));
          case "$bytes":
            return HexFormat.of().parseHex(given);
          default:
            break;
        }
      }
      return super.convert(value);
    }
  }

  /** A value whose type shows: text, true and false as JSON, numbers and the rest as an object of one member that names the type. */
  private static Object show(Object value) {
    if (value == null || value instanceof String || value instanceof Boolean) {
      return value;
    }
    if (value instanceof Integer || value instanceof Short || value instanceof Byte) {
      return Map.of("$int", value.toString());
    }
    if (value instanceof Long) {
      return Map.of("$long", value.toString());
    }
    if (value instanceof Float) {
      return Map.of("$float", value.toString());
    }
    if (value instanceof Double) {
      return Map.of("$double", value.toString());
    }
    if (value instanceof BigDecimal || value instanceof java.math.BigInteger) {
      return Map.of("$decimal", value.toString());
    }
    if (value instanceof Timestamp) {
      return Map.of("$timestamp", Long.toString(((Timestamp) value).getTime()));
    }
    if (value instanceof byte[]) {
      return Map.of("$bytes", HexFormat.of().formatHex((byte[]) value));
    }
    if (value instanceof Collection) {
      return ((Collection<?>) value).stream().map(PinotJudge::show).collect(java.util.stream.Collectors.toList());
    }
    if (value.getClass().isArray()) {
      List<Object> shown = new ArrayList<>();
      for (int i = 0; i < java.lang.reflect.Array.getLength(value); i++) {
        shown.add(show(java.lang.reflect.Array.get(value, i)));
      }
      return shown;
    }
    if (value instanceof Map) {
      Map<String, Object> shown = new HashMap<>();
      ((Map<?, ?>) value).forEach((name, member) -> shown.put(String.valueOf(name), show(member)));
      return Map.of("$map", shown);
    }
    return Map.of("$other", value.toString());
  }

  private static String describe(Throwable error) {
    StringBuilder text = new StringBuilder();
    for (Throwable e = error; e != null; e = e.getCause() == e ? null : e.getCause()) {
      String message = e.getClass().getSimpleName() + ": " + e.getMessage();
      text.append(text.isEmpty() ? "" : " <- ").append(message, 0, Math.min(300, message.length()));
    }
    return text.toString();
  }
}
