import { expect, test } from 'vitest';
import { fieldsOf, run } from '../run.ts';

const generate = (fieldToFunctionMap: Record<string, string>, preComplexTypeTransform = false) => {
  return {
    enricherType: 'generateColumn',
    properties: { fieldToFunctionMap },
    preComplexTypeTransform,
  };
};

test('columns are generated one after the other, whatever stood there', async () => {
  const enrichmentConfigs = [
    generate({
      once: "concat(upper(name), '!')",
      twice: 'concat(once, once)',
      name: "concat(name, 'b')",
    }),
  ];
  expect(await fieldsOf([{ name: 'a' }], { ingestion: { enrichmentConfigs } })).toEqual([
    { name: 'ab', once: 'A!', twice: 'A!A!' },
  ]);
});

test('those before complex types see nested values, those after see the flattened columns', async () => {
  const enrichmentConfigs = [
    generate({ before: 'jsonFormat(user)' }, true),
    generate({ after: 'user.name' }),
  ];
  const ingestion = { enrichmentConfigs, complexTypeConfig: {} };
  expect(await fieldsOf([{ user: { name: 'x' } }], { ingestion })).toEqual([
    { before: '{"name":"x"}', 'user.name': 'x', after: 'x' },
  ]);
});

test('an enricher that is not supported or unknown and a bad expression are findings', async () => {
  const enrichmentConfigs = [
    { enricherType: 'clpEnricher', properties: { fields: ['log'] } },
    generate({ 'a/b': 'uper(x)' }),
    { enricherType: 'x' },
  ];
  const { findings, rows } = await run([{ x: 1 }], { ingestion: { enrichmentConfigs } });
  expect(findings.map(({ path, code, severity }) => [path, code, severity])).toEqual([
    ['/ingestionConfig/enrichmentConfigs/0/enricherType', 'PIPELINE_ENRICHER_NOT_RUN', 'warning'],
    [
      '/ingestionConfig/enrichmentConfigs/1/properties/fieldToFunctionMap/a~1b',
      'EXPRESSION_UNKNOWN_FUNCTION',
      'error',
    ],
    ['/ingestionConfig/enrichmentConfigs/2/enricherType', 'PIPELINE_ENRICHER_UNKNOWN', 'error'],
  ]);
  expect(findings[0]?.message).toBe(
    'The enricher clpEnricher is not supported here: log_logtype, log_dictionaryVars, log_encodedVars have no values in this preview. Apache Pinot computes them from log.',
  );
  expect(rows.map(({ fields }) => fields)).toEqual([{ x: 1 }]);
});
