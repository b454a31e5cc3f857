import java.util.Locale;
import java.util.Map;
import java.util.TimeZone;
import java.util.TreeMap;
import java.util.TreeSet;
import org.joda.time.DateTime;
import org.joda.time.DateTimeZone;

/**
 * Prints the table of `packages/tables/src/expressions/dates/zone-names.ts`: the zones of Joda-Time with their names, as Apache Pinot's
 * own jars have them. `java -cp "$QUIRE_PINOT_JUDGE/lib/*" test/judge/ZoneNames.java`
 */
public final class ZoneNames {
  private static final long START = 1104537600000L; // 2005
  private static final long END = 1893456000000L; // 2030
  private static final long STEP = 5 * 86400000L;

  public static void main(String[] args) {
    TimeZone.setDefault(TimeZone.getTimeZone("UTC"));
    Map<String, StringBuilder> byNames = new TreeMap<>();
    for (String id : new TreeSet<>(DateTimeZone.getAvailableIDs())) {
      DateTimeZone zone = DateTimeZone.forID(id);
      String shown = zone.getID().equals(id) ? id : id + "=" + zone.getID();
      byNames.computeIfAbsent(namesOf(zone), names -> new StringBuilder(names + ":")).append(' ').append(shown);
    }
    byNames.values().forEach(line -> System.out.println(wrap(line.toString())));
  }

  /** The names of standard time and, where they are others, of summer time, as they are most of the time. */
  private static String namesOf(DateTimeZone zone) {
    Map<String, Integer> standard = new TreeMap<>();
    Map<String, Integer> summer = new TreeMap<>();
    for (long time = START; time < END; time += STEP) {
      String shortName = zone.getShortName(time, Locale.ENGLISH);
      String names = shortName.matches("[+-].*") ? "" : shortName + "," + zone.getName(time, Locale.ENGLISH);
      int year = new DateTime(time, DateTimeZone.UTC).getYear();
      boolean isStandard = zone.getOffset(time) <= Math.min(offsetIn(zone, year, 1), offsetIn(zone, year, 7));
      (isStandard ? standard : summer).merge(names, 1, Integer::sum);
    }
    String inWinter = mostOf(standard);
    String inSummer = mostOf(summer);
    return inSummer.isEmpty() || inSummer.equals(inWinter) ? inWinter : inWinter + "," + inSummer;
  }

  private static String mostOf(Map<String, Integer> counts) {
    return counts.entrySet().stream().max(Map.Entry.comparingByValue()).map(Map.Entry::getKey).orElse("");
  }

  private static int offsetIn(DateTimeZone zone, int year, int month) {
    return zone.getOffset(new DateTime(year, month, 1, 0, 0, DateTimeZone.UTC).getMillis());
  }

  private static String wrap(String line) {
    StringBuilder wrapped = new StringBuilder();
    int width = 0;
    for (String word : line.split(" ")) {
      if (width + word.length() + 1 > 99) {
        wrapped.append("\n ");
        width = 1;
      }
      wrapped.append(width == 0 ? "" : " ").append(word);
      width += word.length() + 1;
    }
    return wrapped.toString();
  }
}
