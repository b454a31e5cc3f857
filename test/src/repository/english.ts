import { parseSync, Visitor } from 'vite';

/** The violations of the rules of CONTRIBUTING.md, "The English of the field", in a text. */
export interface EnglishFindings {
  /** Doc comments that begin with a relative or a preposition instead of a verb or a noun. */
  readonly openings: readonly string[];
  /** Words of our own in comments, messages and identifiers, for which the field has a term. */
  readonly words: readonly string[];
  /** Sentences of comments that have more than 40 words. */
  readonly longSentences: readonly string[];
  /** Lines of comments that have more than 100 columns. Code is laid out by the formatter. */
  readonly wideLines: readonly string[];
}

const sentenceWordsMax = 40;
const columnsMax = 100;

const opening = /^(?:What|Who|Whom|Whose|Which|Of|How|Whether|Where|With|By|So much)\b/;

/** Words of prose, as whole words. */
const words =
  /\b(?:at hand|hearsay|doubtful|sightings?|unstick|aftermath|unclaimed|surroundings|nobody|somebody|anybody|everybody|meanwhile|tells?|told|hears?|heard|begun|rooms?|news)\b/gi;

/** Words within identifiers, in camel case. */
const identifierWords =
  /(?:^|[a-z\d])(?:[aA]tHand|[hH]earsay|[dD]oubtful|[sS]ightings?|[uU]nstick|[aA]ftermath|[uU]nclaimed|[sS]urroundings|[kK]eptFiles|[nN]ews|[tT]old|[bB]egun)(?![a-z])/;

/**
 * Finds the violations of the rules in a file of TypeScript. @throws Error when it cannot be parsed
 */
export function englishOf(path: string, text: string): EnglishFindings {
  const { program, comments, errors } = parseSync(path, text, { astType: 'ts' });
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message ?? ''}`);
  const lineAt = (offset: number): number => text.slice(0, offset).split('\n').length;
  const openings: string[] = [];
  const found: string[] = [];
  const longSentences: string[] = [];
  const wideLines: string[] = [];
  const collect = (prose: string, start: number): void => {
    for (const [word] of prose.matchAll(words)) found.push(`${path}:${lineAt(start)} ${word}`);
  };

  for (const { type, value, start, end } of comments) {
    const line = lineAt(start);
    const prose = value
      .replaceAll(/^\s*\*+ ?/gm, '')
      .replaceAll(/^ {4}.*$/gm, '')
      .replaceAll(/\n(?=\n|- |@|\d+\. )/g, '.\n');
    const sentences = prose.split(/(?<=[.:;!?])\s+/).map((sentence) => sentence.trim());
    if (type === 'Block' && value.startsWith('*') && opening.test(sentences[0] ?? '')) {
      openings.push(`${path}:${line} ${(sentences[0] ?? '').slice(0, 40)}`);
    }
    collect(prose, start);
    for (const sentence of sentences) {
      if (sentence.split(/\s+/).length > sentenceWordsMax) {
        longSentences.push(`${path}:${line} ${sentence.slice(0, 40)}`);
      }
    }
    const lineStart = text.lastIndexOf('\n', start) + 1;
    for (const [index, each] of text.slice(lineStart, end).split('\n').entries()) {
      const isComment = index > 0 || text.slice(lineStart, start).trim() === '';
      if (isComment && each.length > columnsMax) wideLines.push(`${path}:${line + index}`);
    }
  }

  const isTest = /(?:^|\/)test\//.test(path);
  new Visitor({
    Literal: ({ value, start }) => {
      if (!isTest && typeof value === 'string' && value.includes(' ')) collect(value, start);
    },
    TemplateElement: ({ value, start }) => {
      if (!isTest) collect(value.raw, start);
    },
    Identifier: ({ name, start }) => {
      if (identifierWords.test(name)) found.push(`${path}:${lineAt(start)} ${name}`);
    },
  }).visit(program);
  return { openings, words: found, longSentences, wideLines };
}
