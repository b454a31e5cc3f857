import { completeModel } from '../model/complete-model.ts';
import type { Finding } from '../finding.ts';
import { readModel } from '../model/read-model.ts';
import { PreviewObject } from './preview-object.ts';

/** A preview object as somebody sent it, read by its model. */
export interface ParsedPreviewObject {
  readonly preview: PreviewObject;
  readonly findings: readonly Finding[];
  readonly unrecognizedProperties: Readonly<Record<string, unknown>>;
}

/** Reads the body of a preview; never throws, and finds everything that does not fit, not only the first (SPECIFICATION.md section 2.3). */
export function parsePreviewObject(value: unknown): ParsedPreviewObject {
  const read = readModel(PreviewObject, value);
  return {
    preview: read.value ?? {},
    findings: read.findings,
    unrecognizedProperties: read.unrecognizedProperties,
  };
}

/** A preview object with every member of the specification's table. */
export type CompletePreviewObject = { readonly [Member in keyof PreviewObject]-?: unknown };

/** The same preview with its full set of members: what was left out is null, empty or its default. */
export function completePreviewObject(preview: PreviewObject): CompletePreviewObject {
  return completeModel(PreviewObject, preview) as CompletePreviewObject;
}
