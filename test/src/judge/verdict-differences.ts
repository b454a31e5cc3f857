/** A change on whose verdict we differ from the engine's own checks, and why. */
export interface VerdictDifference {
  /** `stricter` where only we refuse it, `laxer` where only the engine does; then the member and what stands there. */
  readonly change: string;
  readonly reason: string;
}

const documentReader =
  'The engine’s reader of documents asks for the member. Here it has a default, as a preview of a first draft needs.';
const noName = 'The engine’s check takes it; but nothing could be asked of what has no name.';

/** All differences on configs: every other change has the same verdict. */
export const configDifferences: readonly VerdictDifference[] = [
  { change: 'stricter: tableName = ""', reason: noName },
  {
    change: 'stricter: tableName = "a.b_OFFLINE"',
    reason:
      'What stands before a dot is a database there, and is left out of the comparison with the schema’s name. There are no databases here.',
  },
  { change: 'laxer: tableType = missing', reason: documentReader },
  { change: 'laxer: segmentsConfig = missing', reason: documentReader },
  { change: 'laxer: tenants = missing', reason: documentReader },
  { change: 'laxer: tableIndexConfig = missing', reason: documentReader },
  { change: 'laxer: segmentsConfig.replication = missing', reason: documentReader },
  {
    change: 'stricter: segmentsConfig.replication = "0"',
    reason: 'A table of which no copy is kept holds no rows.',
  },
  {
    change: 'stricter: isDimTable = true',
    reason:
      'A dimension table is replaced as a whole (REFRESH). The engine looks at that only where there is an ingestionConfig.',
  },
  {
    change: 'stricter: ingestionConfig.transformConfigs = [{"columnName":"name","transformFunction":"Groovy({doc}, doc)"}]',
    reason: 'Scripts are not run here: nothing that comes with a request is executed as code.',
  },
  {
    change:
      'laxer: ingestionConfig.batchIngestionConfig = {"segmentIngestionType":"APPEND","segmentIngestionFrequency":"DAILY","batchConfigMaps":[{"inputDirURI":"/x","inputFormat":"xls"}]}',
    reason: 'The format of files is looked at when files are read: plug-ins of the engine may bring others.',
  },
  {
    change: 'stricter: tableIndexConfig.sortedColumn = ["id","name"]',
    reason: 'Rows are sorted by one column here, and nothing would become of the others.',
  },
  {
    change: 'laxer: tableIndexConfig.segmentPartitionConfig = {}',
    reason: 'It says nothing, and nothing follows from it; the engine’s reader asks for its member.',
  },
  {
    change:
      'laxer: tableIndexConfig.starTreeIndexConfigs = [{"dimensionsSplitOrder":["name"],"functionColumnPairs":["SOME__price"],"maxLeafRecords":10}]',
    reason: 'Which functions a star-tree can hold is not among the rules: nothing here builds one.',
  },
  {
    change: 'stricter: fieldConfigList = [{"name":"name"},{"name":"name"}]',
    reason: 'Of two elements for one column only one can count, and which one is not said.',
  },
];

/** All differences on schemas. */
export const schemaDifferences: readonly VerdictDifference[] = [
  { change: 'stricter: schemaName = missing', reason: noName },
  {
    change: 'laxer: metricFieldSpecs = [{"name":"price","dataType":"double"}]',
    reason: 'Small letters are read as the type, with a warning (TYPE_CONVERTED).',
  },
  { change: 'stricter: metricFieldSpecs = [{"name":"","dataType":"DOUBLE"}]', reason: noName },
  {
    change: 'laxer: complexFieldSpecs = [{"name":"extra","dataType":"STRUCT"}]',
    reason: 'Values are not converted to STRUCT: such a column takes what comes.',
  },
  {
    change: 'stricter: timeFieldSpec = {"incomingGranularitySpec":{"name":"t","dataType":"LONG","timeType":"DAYS"}}',
    reason: 'It has been superseded by dateTimeFieldSpecs, and is an error here.',
  },
];
