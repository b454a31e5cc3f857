import type { Finding } from '../finding.ts';
import type { PreviewRequest } from './preview-request.ts';

/** What there is to say of a table that is filled from a stream: its rows cannot be sampled yet. */
export function streamFindings({ config }: PreviewRequest, rowCount: number): readonly Finding[] {
  if (config === undefined || rowCount > 0) return [];
  const { tableType, ingestionConfig, tableIndexConfig } = config.value;
  const inIngestion = ingestionConfig?.streamIngestionConfig?.streamConfigMaps ?? [];
  const inIndexing = Object.keys(tableIndexConfig?.streamConfigs ?? {});
  if (tableType !== 'REALTIME' && inIngestion.length === 0 && inIndexing.length === 0) return [];
  const place = inIngestion.length > 0 ? '/ingestionConfig/streamIngestionConfig' : '/tableType';
  return [
    {
      path: `${config.path}${inIngestion.length === 0 && inIndexing.length > 0 ? '/tableIndexConfig/streamConfigs' : place}`,
      code: 'STREAM_NOT_SAMPLED',
      severity: 'warning',
      message: 'Streams are not sampled yet: give rows of the stream as sourceRows.',
    },
  ];
}
