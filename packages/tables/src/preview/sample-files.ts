import type { PreviewRequest } from './preview-request.ts';
import type { Sample, SampleOptions } from './sample.ts';

export async function sampleFiles(_request: PreviewRequest, _options: SampleOptions): Promise<Sample> {
  return { rows: [], hasTypedText: false, files: [], matchingFileCount: 0, findings: [] };
}
