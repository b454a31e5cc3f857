import { freeForm, model, oneOf, section, someOf, text } from '../model/member.ts';
import { compressionCodecs, encodingTypes, indexTypes, timestampGranularities } from './names.ts';

/** How one column is encoded and indexed (SPECIFICATION.md section 2.4, fieldConfigList). */
export const FieldConfig = model(
  {
    name: text('The column. Required.'),
    encodingType: oneOf(encodingTypes, 'Whether values are kept as they are or in a dictionary.', 'DICTIONARY'),
    indexType: oneOf(indexTypes, 'An index. Superseded by indexTypes.'),
    indexTypes: someOf(indexTypes, 'The indexes of the column.'),
    compressionCodec: oneOf(compressionCodecs, 'How values are compressed.'),
    timestampConfig: section(
      { granularities: someOf(timestampGranularities, 'Units to which truncated times are kept as well.') },
      'Options of a TIMESTAMP index.',
    ),
    indexes: freeForm('Options of indexes, by index.'),
    properties: freeForm('Further options.'),
    tierOverwrites: freeForm('What is different on a tier, by name of the tier.'),
  },
  'How one column is encoded and indexed.',
);
