/**
 * Words with which the title of a test must not begin, because its subject would be in its
 * `describe` only. Verbs that may be nouns as well are missing.
 */
const withoutSubject = new Set(
  `is are was were has have had does do did can cannot may might must will would should
   accepts aborts aligns appends asks assumes becomes begins belongs binds breaks brings
   builds catches claims closes comes commits compiles consumes converts counts covers decides
   derives describes evicts exits fails fills finds finishes fits follows forgets gets gives goes
   grows hands has holds imports joins keeps kills knows lasts leads leaves lets lives loads
   loses makes marks measures mends misses moves needs never notices offers opens pads passes
   prints pulls puts quotes rebuilds refuses rejects remembers removes repeats replaces reports
   returns saves says scrolls sees sends serves sets shows signs sleeps spares spreads
   stands starts stays stops stores takes tells throws tries turns understands uses waits wakes
   works
   that which whose and or but nor also`.split(/\s+/),
);

/** The titles of tests in a file, including those that several cases share. */
export function titlesIn(text: string): string[] {
  const titles = text.matchAll(
    /(?:\b(?:test|it)(?:\.(?:concurrent|only|skip|sequential))?\(|\](?: as const)?\)\(|\)\)\()\s*(['"`])((?:\\.|(?!\1).)+)\1,\s*(?:async|\(|\{|timeout|\w+ =>)/g,
  );
  return Array.from(titles, ([, , title = '']) => title);
}

/** Reports whether a title states a guarantee and its subject, without the `describe` around it. */
export function isSentence(title: string): boolean {
  const [first = ''] = title.split(/[ ,:]/);
  return !withoutSubject.has(first);
}
