import { posix } from 'node:path';

/** A citation of a document of the repository in a text. */
export interface Citation {
  readonly line: number;
  readonly document: string;
  readonly sections: readonly string[];
}

const number = String.raw`\d+(?:\.\d+)*`;
const citation = new RegExp(
  String.raw`([\w./-]*\b[A-Z]{3,}\.md)(?:[,)\s]*\s*\*?\s*sections?\s+((?:${number})(?:(?:,| to| and| with)\s+${number})*))?`,
  'g',
);

/**
 * Citations of documents whose names are in capitals, such as `CONTRACT.md section 2`, also across
 * the end of a line of comment.
 */
export function citationsOf(text: string): Citation[] {
  return [...text.matchAll(citation)].map(({ 1: document = '', 2: sections = '', index }) => ({
    line: lineOf(text, index),
    document,
    sections: sections.match(new RegExp(number, 'g')) ?? [],
  }));
}

/**
 * Lines that cite a document without its name, such as "spec 2.8", so that a reader cannot find it.
 */
export function linesWithUnnamedDocuments(text: string): number[] {
  const unnamed =
    /\b(?:the )?(?:spec|specification|contract|design|plan)(?:,? sections?)? \d|\bCONTRACT for\b/gi;
  return [...text.matchAll(unnamed)].map(({ index }) => lineOf(text, index));
}

/** The numbers of the headings of a document. */
export function sectionsOf(markdown: string): ReadonlySet<string> {
  return new Set(
    [...markdown.matchAll(/^#+ (\d+(?:\.\d+)*)\.? /gm)].map(([, section = '']) => section),
  );
}

/** The paths, from the root of the repository, that the relative links of a document lead to. */
export function linksOf(path: string, markdown: string): string[] {
  const prose = markdown.replaceAll(/^```[\s\S]*?^```/gm, '').replaceAll(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\(([^)\s#]+)(?:#[^)\s]*)?\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => posix.join(posix.dirname(path), target));
}

function lineOf(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}
