/** Where a function differs from the engine's on purpose or for good, and why: everything else must agree. */
export interface Difference {
  /** Names without underscores, in small letters. */
  readonly functions: RegExp;
  readonly reason: string;
}

export const differences: readonly Difference[] = [
  {
    functions: /^json(?:path|extractkey|keyvalue)/,
    reason: 'Paths are RFC 9535, of which Jayway’s dialect takes a few more; names in objects keep the order of their text.',
  },
  {
    functions: /^(?:regexp|like)/,
    reason: 'Regular expressions are RE2, which takes linear time: no look-around, no back-references.',
  },
  {
    functions:
      /^(?:year|quarter|month|week|day|dow|doy|yow|hour|minute|second|millisecond|timezone|datetrunc|timestamp|datetime|date|extract|todatetime|fromdatetime|toiso|fromepoch|toepoch|round)/,
    reason: 'Dates beyond the year 275760 are errors, where the engine goes on to 292278994; long spans have 53 bits.',
  },
  { functions: /^(?:issubnetof|ip)/, reason: 'Only whole addresses are read, where the engine takes `0` for 0.0.0.0.' },
  { functions: /^(?:totimestamp|fromtimestamp)/, reason: 'Instants beyond 2^53 milliseconds lose digits.' },
  {
    functions: /^(?:arraytostring|cast|bytestobigdecimal)/,
    reason: 'Lists within lists have no text of their own in Java; maps do not become bytes.',
  },
  { functions: /^(?:stringtoarray|prefixes|suffixes|uniquengrams|generateuniquengrams)/, reason: 'Lists and texts have limits.' },
];
