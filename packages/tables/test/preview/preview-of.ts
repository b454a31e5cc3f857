import { ManualClock } from '@quire/core/testing';
import { type PreviewOptions, type PreviewResponse, previewTable } from '../../src/index.ts';

const now = Date.UTC(2026, 0, 1);

/** Previews a table with a clock that does not advance. */
export function previewOf(
  request: unknown,
  options: Partial<PreviewOptions> = {},
): Promise<PreviewResponse> {
  return previewTable(request, { clock: new ManualClock({ nowMs: now }), ...options });
}

/** Returns rows in the format of a request. */
export function rowsOf(...rows: readonly unknown[]) {
  return rows.map((fieldToValueMap) => ({ fieldToValueMap }));
}

/** Returns codes and paths of findings, without their messages. */
export function codesOf({ findings }: Pick<PreviewResponse, 'findings'>): readonly string[] {
  return findings.map(({ code, path }) => `${code} ${path}`);
}
