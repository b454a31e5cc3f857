/** The reasons why values differ between Apache Pinot and Quire in the dialect `pinot`. */
export interface DifferenceCause {
  readonly cause: string;
  /** The engines of Apache Pinot that have the other value. */
  readonly engines: readonly ('single-stage' | 'multi-stage')[];
  /** The queries, as the agreement names them. */
  readonly subjects: readonly string[];
}

export const differenceCauses: readonly DifferenceCause[] = [
  {
    cause:
      'The multi-stage engine calculates whole numbers as whole numbers (`7 / 2` is 3, a division by 0 some number), the single-stage engine as DOUBLE. Quire does ' +
      'as the single-stage engine.',
    engines: ['multi-stage'],
    subjects: [
      'i / 2',
      'i / 0',
      '7 / 2',
      'MOD(i, 0)',
      // 86400000 * 30 is beyond 32 bits.
      "DATEDIFF('week', tms, tms + 86400000 * 30)",
    ],
  },
  {
    cause:
      'The multi-stage engine declares what FROMDATETIME reads as TIMESTAMP, and writes it so; to the single-stage engine it is LONG, as here.',
    engines: ['multi-stage'],
    subjects: [
      "FROMDATETIME(day, 'yyyy-MM-dd')",
      "FROMDATETIME('12:30', 'HH:mm')",
      "FROMDATETIME('03-05', 'MM-dd')",
      "FROMDATETIME(CONCAT(day, '12:30', ' '), 'yyyy-MM-dd HH:mm')",
    ],
  },
  {
    cause:
      'The least and the greatest TIMESTAMP are milliseconds to the single-stage engine; to the multi-stage engine they are timestamps, as here.',
    engines: ['single-stage'],
    subjects: ['SELECT COUNT(DISTINCT kind), MIN(ts), MAX(tms) FROM things'],
  },
  {
    cause:
      'The multi-stage engine declares a covariance of an INT and a DOUBLE as INT, and cuts it.',
    engines: ['multi-stage'],
    subjects: ['COVARPOP(i, d)'],
  },
  {
    cause:
      'A quotient of a BIG_DECIMAL has as many digits behind the point there as the dividend of its row: `3 / 4` is 1. Here it is a DOUBLE.',
    engines: ['single-stage', 'multi-stage'],
    subjects: ['n / 4'],
  },
  {
    cause: 'The single-stage engine shows the group of null as 0, though it counts it apart.',
    engines: ['single-stage'],
    subjects: ['SELECT maybe, COUNT(*) FROM things GROUP BY maybe ORDER BY maybe LIMIT 30'],
  },
  {
    cause:
      'The multi-stage engine loses rows of a FULL JOIN that have no partner: it applies the condition of WHERE before the join.',
    engines: ['multi-stage'],
    subjects: [
      'SELECT t.kind, k.kind FROM things t FULL JOIN kinds k ON t.kind = k.kind WHERE t.id IS NULL OR t.id < 4 ORDER BY t.id LIMIT 30',
    ],
  },
];

/** The reasons why Quire refuses queries that one of Apache Pinot's engines answers. */
export const refusals: readonly Pick<DifferenceCause, 'cause' | 'subjects'>[] = [
  {
    cause: 'The embedded engine writes the form NFC of Unicode only.',
    subjects: ["NORMALIZE(s, 'NFD')"],
  },
  { cause: 'The embedded engine has no CRC-32.', subjects: ['CRC32(TOUTF8(kind))'] },
];
