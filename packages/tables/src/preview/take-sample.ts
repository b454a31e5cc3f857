import type { Finding } from '../finding.ts';
import { Pace } from './pace.ts';
import type { PreviewRequest } from './preview-request.ts';
import { readRequestRows } from './request-rows.ts';
import { SampleBudget } from './sample-budget.ts';
import type { Sample, SampleOptions } from './sample.ts';
import { sampleFiles } from './sample-files.ts';
import { streamFindings } from './stream-findings.ts';

/**
 * Takes the rows of the request; without any, rows of its files, then of the files that its config names. A stream is not
 * sampled yet, which a finding says.
 */
export async function takeSample(request: PreviewRequest, options: SampleOptions): Promise<Sample> {
  const { sourceRows, preview } = request;
  if (sourceRows.length === 0) {
    const sample = await sampleFiles(request, options);
    return { ...sample, findings: [...sample.findings, ...streamFindings(request, sample.rows.length)] };
  }
  const rowsMax = Math.min(preview.config?.sampling?.max ?? Number.POSITIVE_INFINITY, options.limits.rowsMax);
  const pace = new Pace(options.clock, options.signal);
  const wanted = sourceRows.slice(0, Math.max(0, rowsMax));
  const { rows, findings } = await readRequestRows(wanted, new SampleBudget(options.limits), pace);
  const isCut = sourceRows.length > rowsMax;
  const message = `Of ${sourceRows.length} rows, the first ${rowsMax} are looked at.`;
  const cut: Finding = { path: '/sourceRows', code: 'ROWS_CUT', severity: 'warning', message };
  const unread = (preview.sourceFiles ?? []).length > 0 ? [filesNotRead] : [];
  return {
    rows,
    hasTypedText: false,
    files: preview.sourceFiles ?? [],
    matchingFileCount: 0,
    findings: [...findings, ...(isCut ? [cut] : []), ...unread],
  };
}

const filesNotRead: Finding = {
  path: '/sourceFiles',
  code: 'FILES_NOT_READ',
  severity: 'info',
  message: 'No file is read, because the request has rows.',
};
