import { TimeSlice } from '@quire/core/wait';
import type { Finding } from '../finding.ts';
import type { PreviewRequest } from './preview-request.ts';
import { readRequestRows } from './request-rows.ts';
import { SampleBudget } from './sample-budget.ts';
import { noSample, type Sample, type SampleOptions } from './sample.ts';
import { sampleFiles } from './sample-files.ts';

/**
 * Takes the rows of the request; without any, rows of its files, then of the files that its config names, then of its stream. Of a
 * table with two halves a finding says which one the rows came from.
 */
export async function takeSample(request: PreviewRequest, options: SampleOptions): Promise<Sample> {
  const { sourceRows, preview } = request;
  if (sourceRows.length === 0) {
    const ofFiles = await sampleFiles(request, options);
    if (ofFiles.rows.length > 0) return withOrigin(request, ofFiles, 'files');
    // Loaded here: the client of Kafka takes some 20 MB, and most previews have rows or files.
    const { sampleStreams } = await import('./sample-streams.ts');
    const ofStreams = await sampleStreams(request, options);
    const { rows, realtime } = ofStreams;
    return withOrigin(
      request,
      { ...ofFiles, rows, realtime, findings: [...ofFiles.findings, ...ofStreams.findings] },
      'the stream',
    );
  }
  const rowsMax = Math.min(preview.config?.sampling?.max ?? Number.POSITIVE_INFINITY, options.limits.rowsMax);
  const slice = new TimeSlice(options.clock, options.signal);
  const wanted = sourceRows.slice(0, Math.max(0, rowsMax));
  const { rows, findings } = await readRequestRows(wanted, new SampleBudget(options.limits), slice);
  const isCut = sourceRows.length > rowsMax;
  const message = `Of ${sourceRows.length} rows, the first ${rowsMax} are looked at.`;
  const cut: Finding = { path: '/sourceRows', code: 'ROWS_CUT', severity: 'warning', message };
  const unread = (preview.sourceFiles ?? []).length > 0 ? [filesNotRead] : [];
  return {
    ...noSample,
    rows,
    files: preview.sourceFiles ?? [],
    findings: [...findings, ...(isCut ? [cut] : []), ...unread],
  };
}

const filesNotRead: Finding = {
  path: '/sourceFiles',
  code: 'FILES_NOT_READ',
  severity: 'info',
  message: 'No file is read, because the request has rows.',
};

function withOrigin({ otherConfig }: PreviewRequest, sample: Sample, origin: 'files' | 'the stream'): Sample {
  if (otherConfig === undefined || sample.rows.length === 0) return sample;
  const message = `The rows come from ${origin} of the table; both of its halves are checked with them.`;
  const path = origin === 'files' ? '/tableConfigs/offline' : '/tableConfigs/realtime';
  return { ...sample, findings: [...sample.findings, { path, code: 'SAMPLED_HALF', severity: 'info', message }] };
}
